import type { Pool, PoolClient } from 'pg'

/**
 * A statement that fails leaves the connection in the pool, where `pool.query()` would close it. `discard`
 * has it closed.
 */
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
