import type { Database } from './database.ts'

/** Connections of a pool, and statements that wait for one. */
export interface PoolUse {
  used: number
  idle: number
  waiting: number
  /** Connections at most. */
  limit: number
}

/** How a pool is used at this moment, without asking PostgreSQL anything. */
export async function poolUse(database: Database): Promise<PoolUse> {
  const pool = await database.em.getConnection().getNativeClient()
  const { totalCount, idleCount, waitingCount } = pool
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit: pool.options.max }
}
