import { defineUpdate } from '@temporalio/workflow'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'

export interface FlattenInput {
  flattenId: string
  rounds?: number
}

/** Update: the number of rounds, once the first has stored its orders. */
export const awaitFirstRound = defineUpdate<number>('awaitFirstRound')

export interface FlattenOutcome {
  rounds: number
  standing: string
}

export interface FlattenRound {
  orders: ByHandTerms[]
  hasEnded: boolean
  /** Milliseconds until the next round, if no order ends before. */
  pause: number
  standing: string
}

/** `next`: UTC instant. */
export interface FlatByCloseLook {
  begun: string[]
  next: string | null
}

export interface FlatByCloseOutcome {
  begun: number
}
