import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/query.ts'

/** Grows here and in Temporal: the lagging side was restored. */
export interface LedgerMark {
  sequence: number
  /** UTC instant. */
  markedAt: string
  age: number
  /** UTC instant of the restored state; null unless reconciliation is due. */
  restoredTo: string | null
}

export async function readLedgerMark(em: EntityManager): Promise<LedgerMark | null> {
  const [row] = await em.execute<
    { sequence: number; age: number; markedAt: StoredInstant; restoredTo: StoredInstant | null }[]
  >(
    `select sequence::float8, extract(epoch from now() - marked_at)::float8 as age, marked_at as "markedAt",
       restored_to as "restoredTo"
     from ledger_mark`,
  )
  return row ? { ...row, markedAt: instantOf(row.markedAt), restoredTo: instantOrNull(row.restoredTo) } : null
}

/** A restored ledger may lack orders: no workflow starts before reconciliation. */
export const isLedgerBehind = async (em: EntityManager): Promise<boolean> =>
  ((await readLedgerMark(em))?.restoredTo ?? null) !== null

export async function writeLedgerMark(em: EntityManager, sequence: number): Promise<void> {
  await em.execute(
    `insert into ledger_mark (sequence, marked_at) values (?, now())
     on conflict ((true)) do update set sequence = excluded.sequence, marked_at = excluded.marked_at
     where ledger_mark.sequence < excluded.sequence`,
    [sequence],
  )
}
