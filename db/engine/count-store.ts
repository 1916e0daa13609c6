import pg from 'pg'

/** A pool of its own, so that counting never waits behind the work that it bounds. */
export type CountStore = pg.Pool

/** The durable table outlives a crash of the server. */
export const COUNT_TABLES = { durable: 'sign_in_counts', quick: 'request_counts' } as const

export function openCountStore(url: string, poolSize = 4): CountStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    // A request is decided without its count rather than delayed.
    connectionTimeoutMillis: 800,
    query_timeout: 800,
    // The process has counted otherwise by then, so the server must not count late.
    statement_timeout: 800,
    keepAlive: true,
  })
  // An 'error' event without a listener would end the process.
  pool.on('error', () => {})
  return pool
}
