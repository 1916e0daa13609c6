import { z } from 'zod'
import { paging } from '../http/validation/query.ts'
import { symbol, uuid } from '../http/validation/values.ts'

export const agendaQuery = z.strictObject({
  accountId: uuid().optional(),
  symbol: symbol().optional(),
  ...paging,
})
