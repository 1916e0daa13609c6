import type { EntityManager } from './database.ts'
import { Position } from './entities/index.ts'
import { given, type Filter } from './filter.ts'

export type PositionFilter = Filter<Pick<Position, 'accountId' | 'symbol'>>

/** A user's open positions, by symbol; there are as many as a person holds, so they come whole. */
export async function listPositions(
  em: EntityManager,
  userId: string,
  filter: PositionFilter,
): Promise<Position[]> {
  return em.find(Position, { ...given(filter), userId }, { orderBy: { symbol: 'asc', id: 'asc' } })
}
