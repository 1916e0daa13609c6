import type { EntityManager } from '../engine/database.ts'

/**
 * Seconds by which PostgreSQL's clock is ahead of that of this process, below zero where it is behind; to half of the time that
 * asking takes.
 */
export async function readClockDifference(em: EntityManager): Promise<number> {
  const asked = Date.now()
  const [row] = await em.execute<{ now: number }[]>(
    'select extract(epoch from clock_timestamp())::float8 as now',
  )
  return row!.now - (asked + Date.now()) / 2_000
}
