import type { EntityManager } from '../engine/database.ts'

/** Seconds that PostgreSQL's clock is ahead, within half a round trip. */
export async function readClockDifference(em: EntityManager): Promise<number> {
  const asked = Date.now()
  const [row] = await em.execute<{ now: number }[]>(
    'select extract(epoch from clock_timestamp())::float8 as now',
  )
  return row!.now - (asked + Date.now()) / 2_000
}
