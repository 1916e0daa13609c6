import type { EntityManager } from '../engine/database.ts'
import type { FlattenScope } from './flattenings.ts'

export async function signalsOfScope(
  em: EntityManager,
  { scope, scopeId }: Pick<FlattenScope, 'scope' | 'scopeId'>,
  signalIds: readonly string[],
): Promise<string[]> {
  if (scope === 'account' || signalIds.length === 0) return [...signalIds]
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals where id = any(?::uuid[]) and ${scope === 'strategy' ? 'strategy_id' : 'token_id'} = ?`,
    [`{${signalIds.join(',')}}`, scopeId],
  )
  const own = new Set(rows.map(({ id }) => id))
  return signalIds.filter((id) => own.has(id))
}
