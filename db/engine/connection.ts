import type { Pool, PoolClient } from 'pg'

/** Keeps the connection after a failed statement, unlike `pool.query()`. `discard` closes it. */
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
