import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/instants.ts'

/**
 * A number that only grows, kept both here and in Temporal. When one of them falls behind the other, that one was set
 * back to an earlier state, as by restoring a copy.
 */
export interface LedgerMark {
  sequence: number
  /** UTC instant. */
  markedAt: string
  /** Seconds since then. */
  age: number
  /** UTC instant of the state that was restored; null when no restoration waits to be reconciled. */
  restoredTo: string | null
}

/** Null before the first mark. */
export async function readLedgerMark(em: EntityManager): Promise<LedgerMark | null> {
  const [row] = await em.execute<
    { sequence: string; at: StoredInstant; age: number; restored: StoredInstant | null }[]
  >(
    `select sequence::text, marked_at as at, extract(epoch from now() - marked_at)::float8 as age,
       restored_to as restored
     from ledger_mark`,
  )
  return row
    ? {
        sequence: Number(row.sequence),
        markedAt: instantOf(row.at),
        age: row.age,
        restoredTo: instantOrNull(row.restored),
      }
    : null
}

/** Sets the number, unless it is larger already. */
export async function writeLedgerMark(em: EntityManager, sequence: number): Promise<void> {
  await em.execute(
    `insert into ledger_mark (sequence, marked_at) values (?, now())
     on conflict ((true)) do update set sequence = excluded.sequence, marked_at = excluded.marked_at
     where ledger_mark.sequence < excluded.sequence`,
    [sequence],
    'run',
  )
}
