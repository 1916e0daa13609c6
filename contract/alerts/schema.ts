import { ALERT_KINDS } from '#domain/alert.ts'
import { z } from 'zod'
import { paging } from '../values/query.ts'
import { oneOf, uuid } from '../values/values.ts'

export const alertListQuery = z.strictObject({
  ...paging,
  state: oneOf(['open', 'all']).default('open'),
  kind: oneOf(ALERT_KINDS).optional(),
  accountId: uuid().optional(),
  signalId: uuid().optional(),
})
