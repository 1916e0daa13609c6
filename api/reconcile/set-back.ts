import type { LedgerMark } from '#db/watch/ledger-mark.ts'

/** Seconds between two marks: a copy that is older than that is noticed. */
export const MARK_EVERY = 30
/** Seconds without a mark after which nothing is taken for granted: a broker, or all stores at once, may be older. */
const STANDSTILL = 3 * MARK_EVERY

export type SetBack = 'ledger' | 'temporal' | 'standstill'

/** A mark is written into the ledger first and then into Temporal, which has the same or the one before; null when that is so. */
export function findSetBack(ledger: LedgerMark | null, temporal: number): SetBack | null {
  if (ledger !== null && ledger.restoredTo !== null) return 'ledger'
  const sequence = ledger?.sequence ?? 0
  if (temporal > sequence) return 'ledger'
  if (temporal < sequence - 1) return 'temporal'
  return ledger !== null && ledger.age > STANDSTILL ? 'standstill' : null
}
