import type { Pool, PoolClient } from 'pg'

/** Unlike `pool.query()`, a failed statement leaves the connection in the pool. `discard` closes it. */
export async function onConnection<T>(
  pool: Pool,
  use: (client: PoolClient, discard: () => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isUnusable = false
  try {
    return await use(client, () => (isUnusable = true))
  } finally {
    client.release(isUnusable)
  }
}
