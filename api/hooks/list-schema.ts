import { z } from 'zod'
import { checkPeriod, paging, period } from '../http/validation/query.ts'
import { anyOf, lineOfText } from '../http/validation/values.ts'

export const REQUEST_OUTCOMES = ['accepted', 'nothing', 'repeated', 'refused', 'dry_run', 'late'] as const

export const hookListQuery = z.strictObject(paging)

export const requestListQuery = z
  .strictObject({
    outcome: anyOf(REQUEST_OUTCOMES).optional(),
    q: lineOfText(100)
      .describe('Text that stands in the body, in capitals or not; such as a symbol')
      .optional(),
    ...period,
    ...paging,
  })
  .check(checkPeriod)
