import type { EntityManager } from './database.ts'
import type { Pool } from 'pg'

export interface Query<T> {
  /** With MikroORM's placeholder `?`. */
  sql: string
  parameters: readonly unknown[]
  read(rows: readonly never[]): T
}

export const ask = async <T>(em: EntityManager, { sql, parameters, read }: Query<T>): Promise<T> =>
  read(await em.execute<never[]>(sql, [...parameters]))

interface Reading {
  /** Lower bound of server time less ours, since the answer took a while; milliseconds. */
  ahead: number
  /** Milliseconds of `performance.now()`. */
  at: number
}

export const SERVER_TIME = 'select extract(epoch from clock_timestamp())::float8 * 1000 as now'

/** Milliseconds after which any newer reading wins, because clocks drift and are set. */
const FRESH = 10_000

const readings = new WeakMap<Pool, Reading>()

/** Milliseconds since the epoch, from an answer that has just come. */
export function noteServerTime(pool: Pool, told: number): void {
  const at = performance.now()
  const known = readings.get(pool)
  const ahead = told - at
  // The fastest answer is the most exact one.
  if (known === undefined || at - known.at > FRESH || ahead > known.ahead) readings.set(pool, { ahead, at })
}

export const forgetServerTime = (pool: Pool): void => void readings.delete(pool)

/** Milliseconds since the epoch, never later than `moment` of `performance.now()`. */
export async function byServerClock(pool: Pool, moment: number): Promise<number> {
  const known = readings.get(pool)
  if (known === undefined || performance.now() - known.at > FRESH) {
    const { rows } = await pool.query<{ now: number }>(SERVER_TIME)
    noteServerTime(pool, rows[0]!.now)
  }
  return readings.get(pool)!.ahead + moment
}
