import { z } from 'zod'
import { expects } from '../hooks/schema.ts'
import { flatOfSignals } from '../values/flat-by-close.ts'
import { metadata } from '../values/metadata.ts'
import { paging } from '../values/query.ts'
import { lineOfText, linesOfText, oneOf, uuid } from '../values/values.ts'

export const STRATEGY_STATUSES = ['active', 'paused'] as const

const fields = {
  name: z.string({ error: 'must be text' }).trim().pipe(lineOfText(100)),
  description: linesOfText(2_000).nullable(),
  status: oneOf(STRATEGY_STATUSES),
  defaultAccountId: uuid().nullable(),
  metadata: metadata(),
  expects: expects(),
  flatByClose: flatOfSignals(),
}

export const newStrategy = {
  ...fields,
  description: fields.description.default(null),
  status: fields.status.default('active'),
  defaultAccountId: fields.defaultAccountId.default(null),
  metadata: fields.metadata.default({}),
  expects: fields.expects.default(null),
  flatByClose: fields.flatByClose.default(null),
}

export const strategyChange = z.strictObject(fields).partial()

export const strategyListQuery = z.strictObject({
  ...paging,
  status: fields.status.optional(),
  archived: oneOf(['true', 'false'])
    .default('false')
    .transform((word) => word === 'true'),
})
