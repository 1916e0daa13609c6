import { defineUpdate } from '@temporalio/workflow'
import type { ManualOrderTerms } from '#domain/manual-order.ts'

/** 1 6 9 */

/** The one argument of the workflow that closes everything of one flattening. */
export interface FlattenInput {
  flattenId: string
  /** Of earlier runs, after continue-as-new. */
  rounds?: number
}

/** Update: the number of rounds, once the first has stored orders for all that was held. */
export const awaitFirstRound = defineUpdate<number>('awaitFirstRound')

export interface FlattenOutcome {
  rounds: number
  /** For an operator. */
  standing: string
}

/** The outcome of one look at everything that is to be closed. */
export interface FlattenRound {
  /** Stored by this round, to be started. */
  orders: ManualOrderTerms[]
  isOver: boolean
  /** Milliseconds until the next round, if no order ends before. */
  pause: number
  /** Where it stands, in words for an operator. */
  standing: string
}

/** Begun flattenings, and when the next one within reach is due; UTC instant. */
export interface FlatByCloseLook {
  begun: string[]
  next: string | null
}

export interface FlatByCloseOutcome {
  begun: number
}
