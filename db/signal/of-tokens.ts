import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'

const WAITS = `s.status in ('pending', 'scheduled', 'queued') and s.decided_by is null and s.ask is null`

/** SQL: waiting signals `s` whose token `t` was revoked with them. */
export const REVOKED_WAITING = `access_tokens t join signals s on s.token_id = t.id where t.withdrawn_by is not null and ${WAITS}`

export const waitingSignalsSql = (token: string): string =>
  `(select count(*)::int from signals s where s.token_id = ${token} and ${WAITS})`

export interface DueWithdrawal {
  signal: Signal
  by: string
}

/** Oldest first, also from requests in flight at the revocation. `tokenId` null: any. */
export async function dueWithdrawals(
  em: EntityManager,
  tokenId: string | null,
  excluding: readonly string[],
  limit: number,
): Promise<DueWithdrawal[]> {
  const rows = await em.execute<{ id: string; by: string }[]>(
    `select s.id, t.withdrawn_by as by
     from ${REVOKED_WAITING} ${tokenId === null ? '' : 'and t.id = ?'}
       ${excluding.length > 0 ? 'and s.id not in (?)' : ''} order by s.accepted_at limit ?`,
    [...(tokenId === null ? [] : [tokenId]), ...(excluding.length > 0 ? [excluding] : []), limit],
  )
  if (rows.length === 0) return []
  const by = new Map(rows.map((row) => [row.id, row.by]))
  const signals = await em.find(Signal, { id: { $in: [...by.keys()] } }, { orderBy: { acceptedAt: 'asc' } })
  return signals.map((signal) => ({ signal, by: by.get(signal.id)! }))
}
