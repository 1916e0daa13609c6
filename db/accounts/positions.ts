import type { EntityManager } from '../engine/database.ts'
import { Position } from '../entities/index.ts'
import { given, type Filter } from '../engine/filter.ts'
import { findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'

export type PositionFilter = Filter<Pick<Position, 'accountId' | 'symbol'>>

/** A user's open positions, by symbol; there are as many as a person holds, so they come whole. */
export async function listPositions(
  em: EntityManager,
  userId: string,
  filter: PositionFilter,
): Promise<Position[]> {
  return findRows(em, Position, { ...given(filter), userId }, { symbol: 'asc', id: 'asc' })
}

/**
 * Positions of an account whose connection is in error are shown for this long after the last sync: a broker that is
 * away for a moment does not change them.
 */
const BELIEVED_FOR = `interval '5 minutes'`

/**
 * Whether what is known of an account is not to be believed any more: it was never synced, or its connection has been in
 * error for long. `a` and `b` are aliases of accounts and broker_connections.
 */
export const isOutOfTouchSql = (a: string, b: string): string => `(
  ${a}.last_synced_at is null
  or (${b}.status = 'error' and ${a}.last_synced_at < now() - ${BELIEVED_FOR}))`

/** An account whose positions are not known. */
export interface AccountOutOfTouch {
  id: string
  name: string
  /** Why, as far as that is known. */
  detail: string | null
}

/** The active accounts of a user, or the named one, whose positions are not known. */
export async function listAccountsOutOfTouch(
  em: EntityManager,
  userId: string,
  accountId?: string,
): Promise<AccountOutOfTouch[]> {
  return queryRows<AccountOutOfTouch>(
    em,
    `select a.id, a.name, b.status_detail as detail
     from accounts a join broker_connections b on b.id = a.broker_id
     where a.user_id = ? ${accountId === undefined ? '' : 'and a.id = ?'} and a.is_active
       and ${isOutOfTouchSql('a', 'b')}
     order by a.created_at, a.id`,
    accountId === undefined ? [userId] : [userId, accountId],
  )
}
