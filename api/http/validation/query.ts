import { z } from 'zod'
import type { ApiContext } from '../context.ts'
import { validationError } from '../errors.ts'
import { faultsIn } from './fields.ts'
import { utcInstant } from './instants.ts'
import { wholeNumber } from './values.ts'

export const paging = {
  limit: wholeNumber(1, 500).default(50),
  offset: wholeNumber(0, 1_000_000_000).default(0),
  cursor: z
    .string({ error: 'must be text' })
    .max(300, 'must be the nextCursor of an earlier answer')
    .optional(),
}

export const period = { from: utcInstant().optional(), to: utcInstant().optional() }

export const checkPeriod: z.core.CheckFn<{ from?: string | undefined; to?: string | undefined }> = ({
  value: { from, to },
  issues,
}) => {
  if (from !== undefined && to !== undefined && from >= to)
    issues.push({ code: 'custom', path: ['to'], message: 'must be later than from', input: to })
}

export const noQuery = z.strictObject({})

export function readQuery<S extends z.ZodType>(ctx: ApiContext, schema: S): z.output<S> {
  const result = schema.safeParse(ctx.state.query.values)
  if (result.success) return result.data
  throw validationError(faultsIn(result.error))
}
