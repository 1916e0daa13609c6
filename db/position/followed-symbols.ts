import type { EntityManager } from '../engine/database.ts'

export interface FollowedSymbol {
  accountId: string
  symbol: string
  isHeld: boolean
}

export async function listFollowedSymbols(em: EntityManager, userId: string): Promise<FollowedSymbol[]> {
  return em.execute<FollowedSymbol[]>(
    `select account_id as "accountId", symbol, bool_or(is_held) as "isHeld" from (
       select account_id, symbol, true as is_held, null::timestamptz as due_at from positions where user_id = ?
       union all
       select account_id, symbol, false, least(scheduled_at, expires_at) from signals where user_id = ? and status in ('pending', 'scheduled')) followed
     group by account_id, symbol order by bool_or(is_held) desc, min(due_at), symbol`,
    [userId, userId],
  )
}
