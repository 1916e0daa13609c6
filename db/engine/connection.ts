import type { Pool, PoolClient } from 'pg'

/**
 * Lends one connection of a pool. A statement that fails leaves it in the pool, where `pool.query()` would close it; one
 * that is broken is replaced.
 *
 * @param use is given the connection, and a call that has it closed afterwards
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
