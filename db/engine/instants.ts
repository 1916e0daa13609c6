import type { EntityManager } from './database.ts'

/** An instant as PostgreSQL answers it, or as it stands in JSON that PostgreSQL has built. */
export type StoredInstant = Date | string

/** The UTC instant in the form in which the rules and answers carry it. */
export const instantOf = (stored: StoredInstant): string => new Date(stored).toISOString()

/** Like {@link instantOf}; null where there is none. */
export const instantOrNull = (stored: StoredInstant | null): string | null =>
  stored === null ? null : instantOf(stored)

/** The present instant by PostgreSQL's clock, which dates all that the ledger holds; UTC. */
export async function readInstant(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ now: StoredInstant }[]>('select now() as now')
  return instantOf(row!.now)
}
