import { Migrator } from '@mikro-orm/migrations'
import { MikroORM, type EntityManager, type PostgreSqlDriver } from '@mikro-orm/postgresql'
import { BoundDriver } from './bound-driver.ts'
import { entities } from '../entities/index.ts'
import { migrations } from '../migrations/index.ts'
import type { Pool, PoolClient } from 'pg'

/** By then whoever held a connection that broke has given it back, if they ever do; milliseconds. */
const LOST_CONNECTION_GRACE_MS = 1_000

/**
 * Takes connections that broke back into the pool's count. A transaction whose connection breaks is given up without
 * giving the connection back (Kysely 0.29, issue 1990): each would hold a place in the pool for ever, until
 * there is none left.
 */
function reclaimLostConnections(pool: Pool): void {
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

export type Database = MikroORM
export type { EntityManager }

/** Named by its parent, whose entity manager it makes. */
const driver: typeof PostgreSqlDriver = BoundDriver

/**
 * Opens a pool on the database; nothing is read until the first query, so an unreachable server shows there.
 * A connection that breaks is replaced by the pool.
 *
 * @param poolSize connections at most
 * @param connectingTime milliseconds within which one is free or made
 */
export async function openDatabase(url: string, poolSize = 10, connectingTime = 1_500): Promise<Database> {
  return MikroORM.init({
    clientUrl: url,
    driver,
    entities,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true, tableName: 'schema_migrations' },
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 30_000 },
    forceUtcTimezone: true,
    driverOptions: {
      // A statement that hangs must not hold a webhook sender or an activity for ever.
      connectionTimeoutMillis: connectingTime,
      statement_timeout: 15_000,
      // Nor must a process that stands still in the midst of a transaction hold its locks: others would wait as long.
      idle_in_transaction_session_timeout: 10_000,
      keepAlive: true,
      onPoolCreated: reclaimLostConnections,
    },
  })
}
