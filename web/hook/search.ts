import { oneOf, pageOf, textOf } from '../parts/search.ts'
import { ALL_OUTCOMES, type Outcome } from './outcomes.ts'

export interface InboxSearch {
  outcome?: Outcome
  /** Text in the body. */
  q?: string
  /** From 1, which the address omits. */
  page?: number
}

export const inboxSearch = (raw: Record<string, unknown>): InboxSearch => ({
  ...oneOf(raw, 'outcome', ALL_OUTCOMES),
  ...textOf(raw, 'q'),
  ...pageOf(raw),
})
