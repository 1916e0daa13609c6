import { Migrator } from '@mikro-orm/migrations'
import { MikroORM, type EntityManager, type PostgreSqlDriver } from '@mikro-orm/postgresql'
import { BoundDriver } from './bound-driver.ts'
import { entities } from '../entities/index.ts'
import { migrations } from '../migrations/index.ts'
import type { Pool, PoolClient } from 'pg'

/** Milliseconds for the holder to release a broken connection. */
const LOST_CONNECTION_GRACE_MS = 1_000

/** Kysely 0.29 (issue 1990) loses broken connections of transactions. */
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

const driver: typeof PostgreSqlDriver = BoundDriver

/** Fails at the first query. `connectingTime`: milliseconds until a connection is free. */
export async function openDatabase(url: string, poolSize = 10, connectingTime = 1_500): Promise<Database> {
  return MikroORM.init({
    clientUrl: url,
    driver,
    entities,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true, tableName: 'schema_migrations' },
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 10_000 },
    forceUtcTimezone: true,
    driverOptions: {
      // A hanging statement must not block a sender or activity.
      connectionTimeoutMillis: connectingTime,
      statement_timeout: 15_000,
      // A stalled process must not keep its locks.
      idle_in_transaction_session_timeout: 10_000,
      keepAlive: true,
      // PostgreSQL keeps plans per connection, 30 MB after ten minutes.
      maxLifetimeSeconds: 300,
      onPoolCreated: reclaimLostConnections,
    },
  })
}
