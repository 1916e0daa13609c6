import pg from 'pg'

/** A separate pool: counting never waits behind work that it limits. */
export type CountStore = pg.Pool

export const COUNT_TABLES = { durable: 'sign_in_counts', quick: 'request_counts' } as const

export function openCountStore(url: string, poolSize = 4): CountStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    // A request proceeds without count rather than wait.
    connectionTimeoutMillis: 800,
    query_timeout: 800,
    // No late count: the process has counted otherwise.
    statement_timeout: 800,
    keepAlive: true,
  })
  // An unheard 'error' event would end the process.
  pool.on('error', () => {})
  return pool
}
