import { z } from 'zod'
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

export const pagingAnswer = {
  total: z.int().describe('How many rows there are; as counted on the first page, where a cursor was sent'),
  totalIsExact: z.boolean().describe('False when there are more rows than are counted, which is 10,000'),
  limit: z.int(),
  offset: z.int().describe('Rows before the first one shown'),
  nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last one'),
}
