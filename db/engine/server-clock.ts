import type { Pool } from 'pg'

/** PostgreSQL's clock as it was read last: its milliseconds since the epoch beside ours of `performance.now()`. */
interface Reading {
  /** The server's time less ours, at least: the answer has taken a while to come. */
  ahead: number
  /** Milliseconds of `performance.now()`. */
  at: number
}

/** Read only where no statement has told it lately. */
export const SERVER_TIME = 'select extract(epoch from clock_timestamp())::float8 * 1000 as now'

/** A reading is replaced by any newer one after so many milliseconds, because clocks drift and are set. */
const FRESH = 10_000

const readings = new WeakMap<Pool, Reading>()

/** Takes what the server's clock showed in an answer that has just come; milliseconds since the epoch. */
export function noteServerTime(pool: Pool, told: number): void {
  const at = performance.now()
  const known = readings.get(pool)
  const ahead = told - at
  // The answer that came fastest tells most exactly.
  if (known === undefined || at - known.at > FRESH || ahead > known.ahead) readings.set(pool, { ahead, at })
}

/** The reading is of no use any more. */
export const forgetServerTime = (pool: Pool): void => void readings.delete(pool)

/**
 * A moment of `performance.now()` by the server's clock, in milliseconds since the epoch: that moment or earlier, by the time
 * that an answer takes, so that what has to begin before it on the server does so before it here. Asks the server where its
 * clock has not been read lately.
 */
export async function byServerClock(pool: Pool, moment: number): Promise<number> {
  const known = readings.get(pool)
  if (known === undefined || performance.now() - known.at > FRESH) {
    const { rows } = await pool.query<{ now: number }>(SERVER_TIME)
    noteServerTime(pool, rows[0]!.now)
  }
  return readings.get(pool)!.ahead + moment
}
