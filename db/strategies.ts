import type { EntityManager } from './database.ts'
import type { Strategy } from './entities/index.ts'

/** What decides whether a strategy may send signals. */
export type StrategyStanding = Pick<Strategy, 'id' | 'status'>

/** Whether the user has this strategy, and whether it runs; null when not. */
export async function findStrategyStanding(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<StrategyStanding | null> {
  const rows = await em.execute<StrategyStanding[]>(
    'select id, status from strategies where id = ? and user_id = ?',
    [id, userId],
  )
  return rows[0] ?? null
}
