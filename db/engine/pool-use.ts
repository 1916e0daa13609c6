import type { Database } from './database.ts'

export interface PoolUse {
  used: number
  idle: number
  waiting: number
  limit: number
}

export async function poolUse(database: Database): Promise<PoolUse> {
  const pool = await database.em.getConnection().getNativeClient()
  const { totalCount, idleCount, waitingCount } = pool
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit: pool.options.max }
}
