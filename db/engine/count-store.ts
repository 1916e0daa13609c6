import pg from 'pg'

/** A separate pool: counting never waits behind the work that it limits. */
export type CountStore = pg.Pool

/** The durable table survives a crash of the server. */
export const COUNT_TABLES = { durable: 'sign_in_counts', quick: 'request_counts' } as const

export function openCountStore(url: string, poolSize = 4): CountStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    // A request proceeds without its count rather than wait.
    connectionTimeoutMillis: 800,
    query_timeout: 800,
    // The process has counted otherwise by then: no late count.
    statement_timeout: 800,
    keepAlive: true,
  })
  // An 'error' event without a listener would end the process.
  pool.on('error', () => {})
  return pool
}
