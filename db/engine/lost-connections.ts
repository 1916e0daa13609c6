import type { Pool, PoolClient } from 'pg'

/** By then whoever held a connection that broke has given it back, if they ever do; milliseconds. */
const LOST_CONNECTION_GRACE_MS = 1_000

/**
 * Takes connections that broke back into the pool's count. A transaction whose connection breaks is given up without
 * giving the connection back (Kysely 0.29, issue 1990): each would hold a place in the pool for ever, until
 * there is none left.
 */
export function reclaimLostConnections(pool: Pool): void {
  const held = new WeakSet<PoolClient>()
  pool.on('acquire', (client) => held.add(client))
  pool.on('release', (_, client) => held.delete(client))
  pool.on('connect', (client) => {
    client.once('end', () => {
      setTimeout(() => {
        if (held.has(client)) client.release(true)
      }, LOST_CONNECTION_GRACE_MS)
    })
  })
}
