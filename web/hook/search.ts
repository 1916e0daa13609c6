import { oneOf, pageOf, textOf } from '../parts/search.ts'
import { ALL_OUTCOMES, type Outcome } from './outcomes.ts'

/** Which requests of a hook are shown, as the address tells it. */
export interface InboxSearch {
  outcome?: Outcome
  /** Text that stands in the body. */
  q?: string
  /** From 1, which is left out. */
  page?: number
}

export const inboxSearch = (raw: Record<string, unknown>): InboxSearch => ({
  ...oneOf(raw, 'outcome', ALL_OUTCOMES),
  ...textOf(raw, 'q'),
  ...pageOf(raw),
})
