import type { EntityManager } from './database.ts'

/** As PostgreSQL answers it, or writes it into JSON. */
export type StoredInstant = Date | string

/** UTC instant in ISO form. */
export const instantOf = (stored: StoredInstant): string => new Date(stored).toISOString()

export const instantOrNull = (stored: StoredInstant | null): string | null =>
  stored === null ? null : instantOf(stored)

/** PostgreSQL's clock, which dates all of the ledger; UTC. */
export async function readInstant(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ now: StoredInstant }[]>('select now() as now')
  return instantOf(row!.now)
}
