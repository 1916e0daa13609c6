import { ALERT_KINDS } from '#domain/alert.ts'
import { z } from 'zod'
import { paging } from '../http/validation/query.ts'
import { oneOf, uuid } from '../http/validation/values.ts'

export const alertListQuery = z.strictObject({
  ...paging,
  state: oneOf(['open', 'all']).default('open'),
  kind: oneOf(ALERT_KINDS).optional(),
  accountId: uuid().optional(),
  signalId: uuid().optional(),
})
