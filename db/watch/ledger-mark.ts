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

/**
 * Records that the ledger was restored from a copy, so that it is reconciled however young the copy is. May be repeated.
 *
 * @param instant UTC instant of the state that was restored
 */
export async function markRestored(em: EntityManager, instant: string): Promise<void> {
  await em.execute(
    `insert into ledger_mark (sequence, marked_at, restored_to) values (1, now(), ?)
     on conflict ((true)) do update set restored_to = excluded.restored_to`,
    [instant],
    'run',
  )
}

/** Ends the restoration that was reconciled; one that was recorded meanwhile stays. */
export async function endRestoration(em: EntityManager, restoredTo: string): Promise<void> {
  await em.execute(
    'update ledger_mark set restored_to = null where restored_to = ?::timestamptz',
    [restoredTo],
    'run',
  )
}
