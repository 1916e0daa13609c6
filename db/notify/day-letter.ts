import type { AlertKind } from '#domain/alert/alert.ts'
import type { ExitFigures } from '#domain/exit/kept-levels.ts'
import type { Distance, ProtectedPosition, Protection } from '#domain/exit/protection.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import type { OrderSide } from '#domain/order/order.ts'
import type { Action } from '#domain/signal/signal.ts'
import { exchangeMidnightSql } from '../engine/day-starts.ts'
import { WORKING } from '../engine/query.ts'
import { isConfirmed } from '../order/throttle.ts'
import { coverSql } from '../position/position-cover.ts'

/** `count`: of all. `first`: at most 20. */
export interface Listed<Row> {
  count: number
  first: Row[]
}

/** What closes shares of a position. */
export interface LetterCover {
  quantity: Decimal
  /** UTC instant at which the exit is sent, where known. */
  at: string | null
  /** Open at the broker. */
  order: (ExitFigures & { trail: Distance | null }) | null
  levels: { protection: Protection; position: ProtectedPosition; best: Decimal } | null
}

export interface LetterPosition {
  symbol: string
  side: TradeSide
  quantity: Decimal
  /** Shares that nothing closes. */
  uncovered: Decimal
  /** At most five. */
  covers: LetterCover[]
}

interface LetterSignal {
  symbol: string
  action: Action
}

export interface DayLetter {
  /** Executed that day, without exits: `price` is average dollars a share. */
  orders: Listed<{ symbol: string; side: OrderSide; quantity: Decimal; price: Decimal }>
  /** Closed that day: dollars after fees. */
  trades: Listed<{ symbol: string; realised: Decimal }>
  /** `uncovered`: positions with shares that nothing closes; they come first. */
  positions: Listed<LetterPosition> & { uncovered: number }
  /** ISO; null: no end. */
  waiting: Listed<LetterSignal & { until: string | null }>
  missed: Listed<LetterSignal & { reason: string | null }>
  /** Open and not acknowledged; `count`: alerts of the kind. */
  alerts: { kind: AlertKind; count: number }[]
}

const MOST_LETTER_ROWS = 20
const MOST_COVERS = 5
const MOST_OF_REASON = 500

/** SQL CTE: the accounts of the trading mode of `users u`. */
export const MINE = `mine as materialized (
  select id from accounts where user_id = u.id and is_demo = (u.trading_mode = 'PAPER') and is_active)`

const isMine = (row: string): string => `${row}.user_id = u.id and ${row}.account_id in (select id from mine)`

const isOnDay = (instant: string, day: string): string =>
  `${instant} >= ${exchangeMidnightSql(day)} and ${instant} < ${exchangeMidnightSql(`${day} + 1`)}`

const WAITING = `signals s where ${isMine('s')} and s.status = 'pending'`

// The status and `updated_at` are for the indexes.
const refusedSql = (day: string): string => `signals s where ${isMine('s')} and s.origin <> 'adopted'
  and s.status in ('rejected', 'error') and is_refused(s) and ${isOnDay('s.accepted_at', day)}`
const expiredSql = (day: string): string => `signals s where ${isMine('s')}
  and s.updated_at >= ${exchangeMidnightSql(day)} and s.status = 'cancelled' and s.status_reason = 'EXPIRED' and s.ask is null and ${isOnDay('s.valid_until', day)}`

/** SQL condition within {@link MINE}: signals wait, or have expired that day. */
export const needsPersonSql = (day: string): string =>
  `(exists (select from ${WAITING}) or exists (select from ${expiredSql(day)}))`

/** SQL: {@link Listed} of the rows of `from`. */
const listedSql = (line: string, from: string, order: string, sums = ''): string => `(
  select jsonb_build_object('count', count(*)::int,
    'first', coalesce(jsonb_agg(line order by place) filter (where place <= ${MOST_LETTER_ROWS}), '[]')${sums})
  from (select jsonb_build_object(${line}) as line, row_number() over (order by ${order}) as place from ${from}) lines)`

const ORDER_LINE = `'symbol', symbol, 'side', side, 'quantity', trim_scale(quantity)::text, 'price', trim_scale(price)::text`
const TRADE_LINE = `'symbol', t.symbol, 'realised', trim_scale(t.realised_pnl)::text`
const HELD_LINE = `'symbol', symbol, 'side', side, 'quantity', trim_scale(quantity)::text,
  'uncovered', trim_scale(uncovered)::text, 'covers', covers`
const WAITING_LINE = `'symbol', s.symbol, 'action', s.action, 'until', s.valid_until`
const MISSED_LINE = `'symbol', m.symbol, 'action', m.action, 'reason', left(m.status_detail, ${MOST_OF_REASON})`

const ordersSql = (day: string): string => `(
  select o.id, o.symbol, o.side, min(f.at) as at, sum(f.quantity) as quantity,
    round(sum(f.quantity * f.price) / sum(f.quantity), 9) as price
  from fills f join orders o on o.id = f.order_id and o.role <> 'exit'
  where ${isMine('f')} and ${isOnDay('f.at', day)} group by o.id) done`

/** SQL: the open order of cover `c`, as protections have it. */
const COVER_ORDER = `(
  select jsonb_build_object('orderType', o.order_type, 'timeInForce', o.time_in_force, 'trail', o.trail,
    'limitPrice', trim_scale(o.limit_price)::text, 'stopPrice', trim_scale(o.stop_price)::text,
    'stopLimitPrice', trim_scale(o.stop_limit_price)::text)
  from orders o
  where (o.id = c.order_id or c.order_id is null and o.signal_id = c.signal_id and o.role = 'exit')
    and o.status in ${WORKING} and o.broker_order_id is not null and ${isConfirmed('o')}
  order by o.created_at desc, o.id limit 1)`

const COVER_LEVELS = `(
  select jsonb_build_object('protection', s.protection, 'best', trim_scale(l.best_price)::text,
    'position', jsonb_build_object('side', l.side, 'average', trim_scale(l.average_price)::text,
      'fees', trim_scale(l.fees)::text))
  from protections l join signals s on s.id = l.signal_id
  where l.signal_id = c.signal_id and l.ended_at is null and s.protection is not null)`

const HELD = `(
  select p.id, p.symbol, p.side, p.quantity, greatest(p.quantity - own.quantity, 0) as uncovered, own.covers
  from positions p cross join lateral (
    select coalesce(sum(c.quantity), 0) as quantity, coalesce(jsonb_agg(jsonb_build_object('at', c.at,
      'quantity', trim_scale(c.quantity)::text, 'order', ${COVER_ORDER}, 'levels', ${COVER_LEVELS}) order by c.place)
      filter (where c.place <= ${MOST_COVERS}), '[]') as covers
    from (
      select *, row_number() over (order by at, signal_id, order_id) as place from covers
      where account_id = p.account_id and symbol = p.symbol and side = p.side and quantity > 0) c) own
  where ${isMine('p')}) held`

const OPEN_ALERTS = `(
  select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'count', count) order by count desc, kind), '[]')
  from (
    select l.kind, count(*)::int as count from alerts l
    where l.user_id = u.id and (l.account_id is null or l.account_id in (select id from mine))
      and l.resolved_at is null and l.acknowledged_at is null group by l.kind) kinds)`

/** SQL: {@link DayLetter} of `users u`. `day`: expression. */
export const dayLetterSql = (day: string): string => {
  const closed = `trades t where ${isMine('t')} and t.status = 'CLOSED' and ${isOnDay('t.exit_at', day)}`
  const missed = `(select s.* from ${refusedSql(day)} union all select s.* from ${expiredSql(day)}) m`
  const uncovered = `, 'uncovered', (count(*) filter (where line ->> 'uncovered' <> '0'))::int`
  return `(
    with ${MINE}, covers as materialized (${coverSql((alias) => `${alias}.user_id = u.id`)})
    select jsonb_build_object('alerts', ${OPEN_ALERTS},
      'orders', ${listedSql(ORDER_LINE, ordersSql(day), 'at, id')},
      'trades', ${listedSql(TRADE_LINE, closed, 't.exit_at, t.id')},
      'positions', ${listedSql(HELD_LINE, HELD, 'uncovered = 0, symbol, id', uncovered)},
      'waiting', ${listedSql(WAITING_LINE, WAITING, 's.valid_until, s.id')},
      'missed', ${listedSql(MISSED_LINE, missed, 'm.accepted_at, m.id')}))`
}
