import { textOf } from '../parts/search.ts'

/** Whose limits are shown; the first account’s without one. */
export interface LimitsSearch {
  account?: string
}

export const limitsSearch = (raw: Record<string, unknown>): LimitsSearch => textOf(raw, 'account')
