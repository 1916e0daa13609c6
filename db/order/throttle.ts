import { haltForbids, type ActiveHalt } from '#domain/risk/halt.ts'
import type { OrderCaps } from '#domain/risk/buying-power.ts'
import { parseClientOrderId, isTerminal, type OrderReport, type OrderStatus } from '#domain/order/order.ts'
import { ordersSent } from '#domain/risk/risk.ts'
import { DEFAULT_RISK_LIMITS, riskLimits, type RiskSettings } from '#domain/risk/limits.ts'
import type { SenderDenial } from '#domain/signal/sender.ts'
import { exchangeDaySql } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'
import {
  instantOf,
  instantOrNull,
  type StoredInstant,
  FREED,
  WORKING,
  ask,
  type Query,
} from '../engine/query.ts'
import { raiseHalt, activeHaltSql } from '../risk/halts.ts'
import { decisionKey } from './decisions.ts'
import { readPermits, type GivenUp, type LeavingOrder, type Permits } from './send-permits.ts'
import { senderOfSignal } from './sender.ts'
import { ORDER_SHOWN_WITHIN_MS } from '#domain/time/broker-clock.ts'

/**
 * allowed: with the UTC instant of sizing. barred: the sender may open nothing. runaway: unexplained or beyond the cap,
 * with a halt set. void: no decision.
 */
export type ThrottleVerdict = Permits &
  (
    | { verdict: 'allowed'; decidedAt: string | null }
    | { verdict: 'halted'; halt: ActiveHalt }
    | { verdict: 'barred'; code: SenderDenial }
    | { verdict: 'over_limit'; detail: string }
    | { verdict: 'runaway'; detail: string }
    | { verdict: 'given_up'; givenUp: GivenUp }
    | { verdict: 'void' }
  )

const GUARD = 'order-guard'

/**
 * Send gate in one statement, exact under concurrency; a repetition counts once. Orders need a decision for their
 * quantity; opening ones a permitted sender and room under caps and limits, closing ones only under the minute's cap.
 */
export async function checkThrottle(
  em: EntityManager,
  order: LeavingOrder,
  caps: OrderCaps,
): Promise<ThrottleVerdict> {
  let registration: Registration
  try {
    registration = await ask(em, registrationQuery(order, caps))
  } catch (error) {
    const window = exceededWindow(error)
    if (window === null) throw error
    return { ...(await overflow(em, order, caps, window)), ...(await readPermits(em, order.clientOrderId)) }
  }
  if (registration.verdict !== 'unaccounted') return registration
  // A fault of ours may affect every account. All users read the reason: it names no order.
  const reason = 'an order that no signal accounts for was about to leave'
  await raiseHalt(em, { scope: 'global' }, { level: 'reduceOnly', reason, by: GUARD })
  const detail = `no signal of the account accounts for the order ${order.clientOrderId}`
  const { verdict: _verdict, ...permits } = registration
  return { ...permits, verdict: 'runaway', detail }
}

/** unaccounted: no signal explains the order. */
type Registration =
  | Extract<ThrottleVerdict, { verdict: 'allowed' | 'halted' | 'barred' | 'given_up' | 'void' }>
  | (Permits & { verdict: 'unaccounted' })

/** Statement of {@link checkThrottle}; at a cap it fails with its transaction. */
export const registrationQuery = (order: LeavingOrder, caps: OrderCaps): Query<Registration> => {
  const identity = parseClientOrderId(order.clientOrderId)
  return {
    sql: order.reducing ? CLOSING : OPENING,
    parameters: [
      order.accountId,
      order.clientOrderId,
      order.quantity,
      identity?.signalId ?? null,
      identity && decisionKey(identity),
      identity?.role === 'entry' && identity.generation > caps.entriesPerSignal,
      caps.perMinute,
      caps.perDay,
    ],
    read([row]: readonly ThrottleRow[]) {
      const { halt, accounted, sender, stands, permits, is_permitted: isPermitted, given_up: givenUp } = row!
      const known = { permits, before: instantOrNull(row!.before), asOf: instantOf(row!.as_of) }
      if (isPermitted) return { ...known, verdict: 'allowed', decidedAt: instantOrNull(row!.decided_at) }
      if (givenUp !== null) return { ...known, verdict: 'given_up', givenUp }
      if (accounted && !stands) return { ...known, verdict: 'void' }
      const isForbidden =
        halt !== null && haltForbids(halt.level, { reducing: order.reducing, isManual: row!.is_by_hand })
      if (isForbidden) return { ...known, verdict: 'halted', halt }
      if (sender !== null) return { ...known, verdict: 'barred', code: sender }
      // A permitted order was abandoned meanwhile.
      return { ...known, verdict: accounted ? 'void' : 'unaccounted' }
    },
  }
}

/** No room under a cap or limit; nothing was registered. */
export const isBeyondCap = (error: unknown): boolean => exceededWindow(error) !== null

interface ThrottleRow {
  halt: ActiveHalt | null
  accounted: boolean
  stands: boolean
  is_permitted: boolean
  sender: SenderDenial | null
  is_by_hand: boolean
  permits: number
  before: StoredInstant | null
  given_up: GivenUp | null
  decided_at: StoredInstant | null
  as_of: StoredInstant
}

const capSql = (limit: 'maxOrdersPerMinute' | 'maxOrdersPerDay', cap: string): string => `least(${cap},
  case when settings.limits -> '${limit}' is null then ${DEFAULT_RISK_LIMITS[limit] ?? cap}
    else (settings.limits ->> '${limit}')::integer end)`

/** Closing orders have no daily limit. */
const UNLIMITED = '2147483647'

/** Check constraints of `order_rates` enforce the caps. The row lock makes `takeBackDecision` wait. */
function throttleSql(reducing: boolean): string {
  const sender = reducing
    ? 'null'
    : `(select ${senderOfSignal('s')} from signals s where s.id = asked.signal_id)`
  const permitted = reducing
    ? `judged.halt ->> 'level' is distinct from 'fullStop'`
    : `(judged.halt is null or judged.is_by_hand and judged.halt ->> 'level' = 'pauseEntries') and judged.sender is null`
  return `
    with asked as (
      select ?::uuid as account_id, ?::text as client_order_id, ?::numeric as quantity, ?::uuid as signal_id,
        ?::text as decision, ?::boolean as is_beyond, ?::integer as minute_cap,
        ?::integer as day_cap, ${reducing} as reducing),
    source as materialized (
      select s.decisions -> asked.decision as decision, s.ask is not null as is_by_hand,
        asked.decision = 'entry' and s.status in ${FREED} as has_ended,
        case asked.decision when 'entry' then s.checked_at
          else (s.decisions -> asked.decision ->> 'sizedAt')::timestamptz end as decided_at
      from asked join signals s on s.id = asked.signal_id and s.account_id = asked.account_id
      where not asked.is_beyond for share of s),
    judged as (
      select ${activeHaltSql('(select user_id from accounts where id = asked.account_id)', 'asked.account_id')} as halt,
        exists (select from source) as accounted, ${sender} as sender,
        coalesce((select is_by_hand from source), false) as is_by_hand,
        exists (select from source where not has_ended and (decision ->> 'quantity')::numeric = asked.quantity
          and coalesce(decision ->> 'outcome', 'ready') = 'ready' and decision -> 'stopped' is null) as stands
      from asked),
    registered as (
      insert into send_permits as out
        (client_order_id, account_id, reducing, registered_at, permits, permitted_at)
      select asked.client_order_id, asked.account_id, asked.reducing, now(), 1, now() from asked, judged
      where ${permitted} and judged.stands
      on conflict (client_order_id) do update
        set permits = out.permits + 1, permitted_before = out.permitted_at, permitted_at = now() where out.given_up is null
      returning account_id, permits, permitted_before),
    counted as (
      insert into order_rates as rate
        (account_id, reducing, minute, minute_count, minute_cap, day, day_count, day_cap)
      select asked.account_id, asked.reducing, date_trunc('minute', now()), 1,
        ${reducing ? 'asked.minute_cap' : capSql('maxOrdersPerMinute', 'asked.minute_cap')},
        ${exchangeDaySql('now()')}, 1,
        ${reducing ? UNLIMITED : capSql('maxOrdersPerDay', 'asked.day_cap')}
      from asked join registered using (account_id)
      left join risk_settings settings on settings.account_id = asked.account_id
      where registered.permits = 1
      on conflict (account_id, reducing) do update set
        minute = greatest(rate.minute, excluded.minute),
        minute_count = case when rate.minute >= excluded.minute then rate.minute_count + 1 else 1 end,
        minute_cap = excluded.minute_cap,
        day = greatest(rate.day, excluded.day),
        day_count = case when rate.day >= excluded.day then rate.day_count + 1 else 1 end,
        day_cap = excluded.day_cap
      returning day_count),
    forgotten as (
      delete from send_permits
      where registered_at < now() - interval '7 days' and (select day_count from counted) = 1)
    -- Of an order that was not let out, what stood there before this statement.
    select judged.halt, judged.accounted, judged.sender, judged.is_by_hand, judged.stands, registered.permits is not null as is_permitted,
      coalesce(registered.permits, known.permits, 0) as permits, known.given_up,
      case when registered.permits is null then known.permitted_at else registered.permitted_before end as before,
      (select decided_at from source) as decided_at, now() as as_of
    from judged left join registered on true
      left join send_permits known on known.client_order_id = (select client_order_id from asked)`
}
const OPENING = throttleSql(false)
const CLOSING = throttleSql(true)

type RateWindow = 'minute' | 'day'

function exceededWindow(error: unknown): RateWindow | null {
  if (!(error instanceof Error) || !('constraint' in error)) return null
  if (error.constraint === 'order_rates_minute') return 'minute'
  return error.constraint === 'order_rates_day' ? 'day' : null
}

/** Halts the account beyond the cap, but not beyond its own limit. */
async function overflow(
  em: EntityManager,
  { accountId, reducing }: LeavingOrder,
  caps: OrderCaps,
  window: RateWindow,
): Promise<{ verdict: 'over_limit' | 'runaway'; detail: string }> {
  const [account] = await em.execute<{ user_id: string; limits: RiskSettings | null }[]>(
    `select a.user_id, s.limits from accounts a left join risk_settings s on s.account_id = a.id where a.id = ?`,
    [accountId],
  )
  const limits = riskLimits(account?.limits ?? {})
  const own = window === 'minute' ? limits.maxOrdersPerMinute : limits.maxOrdersPerDay
  const cap = window === 'minute' ? caps.perMinute : caps.perDay
  const when = window === 'minute' ? 'this minute' : 'today'
  if (!reducing && own !== null && own <= cap)
    return { verdict: 'over_limit', detail: ordersSent(own, own, when) }
  const detail = `${cap} ${reducing ? 'closing' : 'opening'} orders of the account were sent ${when}, more than any account should send`
  if (account)
    await raiseHalt(
      em,
      { scope: 'account', userId: account.user_id, accountId },
      { level: 'reduceOnly', reason: detail, by: GUARD },
    )
  return { verdict: 'runaway', detail }
}

// An accepted order is confirmed, unconfirmed, or has ended; unconfirmed it protects nothing. Decision 9.

/** SQL condition on an open order: its broker has shown it, or still may. */
export const isConfirmed = (order: string): string => `coalesce(
  ${order}.unconfirmed_since > now() - interval '${ORDER_SHOWN_WITHIN_MS} milliseconds', true)`

export async function noteUnconfirmed(em: EntityManager, orderId: string): Promise<void> {
  await em.execute(
    `update orders set unconfirmed_since = now()
     where id = ? and unconfirmed_since is null and status in ${WORKING}`,
    [orderId],
  )
}

export interface UnconfirmedRow {
  id: string
  status: OrderStatus
  revision: number
  unconfirmed_since: StoredInstant | null
}

export const isGivenUp = ({
  status,
  unconfirmed_since,
}: Pick<UnconfirmedRow, 'status' | 'unconfirmed_since'>): boolean =>
  unconfirmed_since !== null && isTerminal(status) && status !== 'FILLED'

/**
 * The broker's report confirms the order and resolves the alert; an open state confirms no abandoned order. True: read
 * the row again.
 */
export async function noteConfirmed(
  em: EntityManager,
  row: UnconfirmedRow,
  heard: OrderReport,
): Promise<boolean> {
  if (row.unconfirmed_since === null || (isGivenUp(row) && !isTerminal(heard.status))) return false
  await em.execute(
    `with confirmed as (
       update orders set unconfirmed_since = null, revision = revision + 1
       where id = ? and revision = ? returning signal_id as subject, client_order_id)
     update alerts set resolved_at = now() from confirmed
     where kind = 'order_unknown_at_broker' and signal_id = subject
       and data ->> 'clientOrderId' = client_order_id and resolved_at is null`,
    [row.id, row.revision],
  )
  return true
}
