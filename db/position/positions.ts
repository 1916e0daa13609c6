import { dayReference } from '#domain/account/day-result.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { EntityManager } from '../engine/database.ts'
import { TODAY_SQL } from '../engine/day-starts.ts'
import { Position } from '../entities/index.ts'
import { given, type Filter } from '../engine/filter.ts'
import { findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'

export type PositionFilter = Filter<Pick<Position, 'accountId' | 'symbol'>>

export async function listPositions(
  em: EntityManager,
  userId: string,
  filter: PositionFilter,
): Promise<Position[]> {
  return findRows(em, Position, { ...given(filter), userId }, { symbol: 'asc', id: 'asc' })
}

export interface PositionToday {
  position: Position
  /** Average dollars a share; null where the broker reports no last close. */
  dayReference: Decimal | null
}

/** An order's shares count as opened with its first. */
export async function listPositionsToday(
  em: EntityManager,
  userId: string,
  filter: PositionFilter,
): Promise<PositionToday[]> {
  const positions = await listPositions(em, userId, filter)
  if (positions.length === 0) return []
  const rows = await queryRows<Record<'account_id' | 'symbol' | 'side' | 'quantity' | 'value', string>>(
    em,
    `select account_id, symbol, side, sum(quantity)::text as quantity,
       sum(quantity * entry_price + case side when 'LONG' then fees else -fees end)::text as value
     from trades where user_id = ? and status = 'OPEN' and entry_at >= ${TODAY_SQL}
     group by account_id, symbol, side`,
    [userId],
  )
  const opened = new Map(rows.map((row) => [`${row.account_id} ${row.symbol} ${row.side}`, row]))
  return positions.map((position) => {
    const today = opened.get(`${position.accountId} ${position.symbol} ${position.side}`)
    const { quantity = '0', value = '0' } = today ?? {}
    return {
      position,
      dayReference: dayReference(position, { quantity: decimal(quantity), value: decimal(value) }),
    }
  })
}

/** Time after the last sync: a brief outage of the broker changes no positions. */
const BELIEVED_FOR = `interval '5 minutes'`

/** SQL condition: never synced, or long in error. `a`, `b`: accounts, broker_connections. */
export const isOutOfTouchSql = (a: string, b: string): string => `(
  ${a}.last_synced_at is null
  or (${b}.status = 'error' and ${a}.last_synced_at < now() - ${BELIEVED_FOR}))`

export interface AccountOutOfTouch {
  id: string
  name: string
  detail: string | null
}

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
