import { z } from 'zod'
import { expects } from '../hooks/schema.ts'
import { flatOfSignals } from '../http/validation/flat-by-close.ts'
import { metadata } from '../http/validation/metadata.ts'
import { paging } from '../http/validation/query.ts'
import { lineOfText, linesOfText, oneOf, uuid } from '../http/validation/values.ts'

export const STRATEGY_STATUSES = ['active', 'paused'] as const

const name = () => z.string({ error: 'must be text' }).trim().pipe(lineOfText(100))
const description = () => linesOfText(2_000).nullable()
const status = () => oneOf(STRATEGY_STATUSES)
const defaultAccountId = () => uuid().nullable()

export const newStrategy = {
  name: name(),
  description: description().default(null),
  status: status().default('active'),
  defaultAccountId: defaultAccountId().default(null),
  metadata: metadata().default({}),
  expects: expects().default(null),
  flatByClose: flatOfSignals().default(null),
}

export const strategyChange = {
  name: name().optional(),
  description: description().optional(),
  status: status().optional(),
  defaultAccountId: defaultAccountId().optional(),
  metadata: metadata().optional(),
  expects: expects().optional(),
  flatByClose: flatOfSignals().optional(),
}

export const strategyListQuery = z.strictObject({
  ...paging,
  status: status().optional(),
  archived: oneOf(['true', 'false'])
    .default('false')
    .transform((word) => word === 'true'),
})
