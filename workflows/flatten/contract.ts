import { defineUpdate } from '@temporalio/workflow'
import type { ManualOrderTerms } from '#domain/manual-order.ts'

/** What the outside knows of closing everything: for a request, or by the calendar. */

/** The one argument of the workflow that closes everything of one flattening. */
export interface FlattenInput {
  flattenId: string
  /** Rounds of earlier runs, when the workflow continued as new because its history had grown long. */
  rounds?: number
}

/** Update: answers once the first round is done, and orders are stored for all that was held then; the rounds that were done. */
export const awaitFirstRound = defineUpdate<number>('awaitFirstRound')

/** How the workflow ended. */
export interface FlattenOutcome {
  rounds: number
  /** Where it stood at the end, in words for an operator. */
  standing: string
}

/** The outcome of one look at everything that is to be closed. */
export interface FlattenRound {
  /** Orders that this round has stored, which are to be started. */
  orders: ManualOrderTerms[]
  isOver: boolean
  /** Milliseconds until the next round, if no order ends before. */
  pause: number
  /** Where it stands, in words for an operator. */
  standing: string
}

/** What one look at the ends of sessions has begun, by their ids, and when the next is due that it reaches; UTC instant. */
export interface FlatByCloseLook {
  begun: string[]
  next: string | null
}

/** How many flattenings one look has begun. */
export interface FlatByCloseOutcome {
  begun: number
}
