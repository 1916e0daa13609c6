import pg from 'pg'

/** A small pool of its own for counting requests: counting never waits behind the work that it bounds. */
export type CountStore = pg.Pool

/** Tables that hold the counts; the first keeps them through a crash of the server, the second need not. */
export const COUNT_TABLES = { durable: 'sign_in_counts', quick: 'request_counts' } as const

export function openCountStore(url: string, poolSize = 4): CountStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    // Counting must not delay an answer: a request is decided without it rather than kept waiting.
    connectionTimeoutMillis: 800,
    query_timeout: 800,
    // The process that gave a count up has counted otherwise: it must not be counted late by a server that had it wait.
    statement_timeout: 800,
    keepAlive: true,
  })
  // An idle connection that breaks is replaced at the next use; unheard, the event would end the process.
  pool.on('error', () => {})
  return pool
}
