import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/instants.ts'

/** Grows here and in Temporal alike: the lagging side was restored to an earlier state. */
export interface LedgerMark {
  sequence: number
  /** UTC instant. */
  markedAt: string
  age: number
  /** UTC instant of the restored state; null unless a restoration waits for its reconciliation. */
  restoredTo: string | null
}

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

export async function writeLedgerMark(em: EntityManager, sequence: number): Promise<void> {
  await em.execute(
    `insert into ledger_mark (sequence, marked_at) values (?, now())
     on conflict ((true)) do update set sequence = excluded.sequence, marked_at = excluded.marked_at
     where ledger_mark.sequence < excluded.sequence`,
    [sequence],
  )
}
