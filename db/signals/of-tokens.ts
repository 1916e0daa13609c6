import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'

/** Signals that wait by the authority of a token alone: not sent yet, and approved by nobody. */

const WAITS = `s.status in ('pending', 'scheduled', 'queued') and s.decided_by is null`

/** An expression for how many signals wait by the authority of a token; `token` is an expression of its id. */
export const waitingSignalsSql = (token: string): string =>
  `(select count(*)::int from signals s where s.token_id = ${token} and ${WAITS})`

/** A signal that is to be withdrawn because its token was revoked, and the person who did that. */
export interface DueWithdrawal {
  signal: Signal
  by: string
}

/**
 * Signals that wait although their token was revoked together with them: those that a request in flight has brought since
 * are among them. The oldest first.
 *
 * @param tokenId of this one; null for any token of any user
 */
export async function dueWithdrawals(
  em: EntityManager,
  tokenId: string | null,
  excluding: readonly string[],
  limit: number,
): Promise<DueWithdrawal[]> {
  const rows = await em.execute<{ id: string; by: string }[]>(
    `select s.id, t.withdrawn_by as by
     from access_tokens t join signals s on s.token_id = t.id
     where t.withdrawn_by is not null and ${WAITS} ${tokenId === null ? '' : 'and t.id = ?'}
       ${excluding.length > 0 ? 'and s.id not in (?)' : ''} order by s.accepted_at limit ?`,
    [...(tokenId === null ? [] : [tokenId]), ...(excluding.length > 0 ? [excluding] : []), limit],
  )
  if (rows.length === 0) return []
  const by = new Map(rows.map((row) => [row.id, row.by]))
  const signals = await em.find(Signal, { id: { $in: [...by.keys()] } }, { orderBy: { acceptedAt: 'asc' } })
  return signals.map((signal) => ({ signal, by: by.get(signal.id)! }))
}
