import { Migrator } from '@mikro-orm/migrations'
import { MikroORM, type EntityManager, type PostgreSqlDriver } from '@mikro-orm/postgresql'
import { BoundDriver } from './bound-driver.ts'
import { entities } from '../entities/index.ts'
import { migrations } from '../migrations/index.ts'
import type { Pool, PoolClient } from 'pg'

/** Time for a holder of a broken connection to give it back; milliseconds. */
const LOST_CONNECTION_GRACE_MS = 1_000

/** Kysely 0.29 (issue 1990) loses broken connections of transactions: each would hold a place in the pool for ever. */
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

/** Typed as its parent, whose entity manager it makes. */
const driver: typeof PostgreSqlDriver = BoundDriver

/** Fails at the first query. `connectingTime`: milliseconds until a connection is free or made. */
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
      // A hanging statement must not hold a sender or an activity for ever.
      connectionTimeoutMillis: connectingTime,
      statement_timeout: 15_000,
      // A process that stands still within a transaction must not hold its locks.
      idle_in_transaction_session_timeout: 10_000,
      keepAlive: true,
      // PostgreSQL keeps the plans of each connection, 30 MB of them after ten minutes.
      maxLifetimeSeconds: 300,
      onPoolCreated: reclaimLostConnections,
    },
  })
}
