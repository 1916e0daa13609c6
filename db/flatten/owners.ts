import { asArray } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import type { Flattening } from './flattenings.ts'

/** SQL condition: `s`, or the signal that it continues, was accepted by the parameter (UTC). */
export const CAME_BY = `coalesce((select first.accepted_at from signals first where first.id = s.continues), s.accepted_at) <= ?::timestamptz`

/** SQL: signals `s` of the scope; parameter: id, null for accounts. */
export const OF_SCOPE = { account: '?::uuid is null', strategy: 's.strategy_id = ?', hook: 's.token_id = ?' }

/** Signals of the scope; for a request only earlier ones. */
export async function signalsOfScope(
  em: EntityManager,
  { scope, scopeId, cause, createdAt }: Pick<Flattening, 'scope' | 'scopeId' | 'cause' | 'createdAt'>,
  signalIds: readonly string[],
): Promise<string[]> {
  if (signalIds.length === 0) return []
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals s where id = any(?::uuid[]) and ${OF_SCOPE[scope]} ${cause === 'close' ? '' : `and ${CAME_BY}`}`,
    [asArray(signalIds), scopeId, ...(cause === 'close' ? [] : [createdAt])],
  )
  const own = new Set(rows.map(({ id }) => id))
  return signalIds.filter((id) => own.has(id))
}
