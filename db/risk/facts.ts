import { MAX_POSITION_LAG_MS } from '#domain/time/broker-clock.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { ActiveHalt } from '#domain/risk/halt.ts'
import { DEFAULT_RISK_LIMITS, riskLimits, type RiskLimits, type RiskSettings } from '#domain/risk/limits.ts'
import type { RiskContext } from '#domain/risk/risk.ts'
import { exchangeDaySql } from '../engine/day-starts.ts'
import { FREED, LEAVING, WORKING } from '../engine/query.ts'
import { isKeyed } from '../signal/requests.ts'
import { activeHaltSql } from './halts.ts'

/** Prices and calendar come from the broker. */
export interface RiskFacts {
  limits: RiskLimits
  context: Omit<RiskContext, 'lastPrice' | 'marketPhase'>
}

export interface RiskFactsJson extends Omit<
  RiskFacts['context'],
  'halt' | 'isManual' | 'isApproved' | 'priceBeforeApproval'
> {
  settings: RiskSettings
  halt: ActiveHalt | null
}

/** Time for which the broker's positions may lack a fill. */
const SYNC_LAG = `interval '${MAX_POSITION_LAG_MS} milliseconds'`
const BROKER_BEHIND = `interval '30 seconds'`

/** JSON ({@link RiskFactsJson}) for `s`, whose own order does not count as open. */
export const riskFactsSql = (s: string): string => `(
  select json_build_object(
    'settings', coalesce(settings.limits, '{}'),
    'halt', ${activeHaltSql(`${s}.user_id`, `${s}.account_id`)},
    'equity', account.equity::text,
    'equityRecord', account.equity_record,
    'dayStartEquity', day_start.equity::text,
    'ordersThisMinute', case when rate.minute = date_trunc('minute', now()) then rate.minute_count else 0 end,
    'ordersToday', case when rate.day = ${exchangeDaySql('now()')} then rate.day_count else 0 end,
    'heldQuantity', coalesce(held.quantity, 0)::text,
    'workingQuantity', (${WORKING_QUANTITY(s)} + ${DECIDED(s)} + ${FILLED_SINCE_SYNC(s)})::text,
    'secondsSinceTwin', ${secondsSinceTwin(s)})
  from accounts account
  left join risk_settings settings on settings.account_id = account.id
  left join account_day_starts day_start
    on day_start.account_id = account.id and day_start.day = ${exchangeDaySql('now()')}
  left join order_rates rate on rate.account_id = account.id and not rate.reducing
  left join positions held on held.account_id = account.id and held.symbol = ${s}.symbol
    and held.side = case ${s}.action when 'openLong' then 'LONG' when 'openShort' then 'SHORT' end
  where account.id = ${s}.account_id)`

const OPENING_SIDE = (s: string): string =>
  `case ${s}.action when 'openLong' then 'BUY' when 'openShort' then 'SELL_SHORT' end`

const WORKING_QUANTITY = (s: string): string => `coalesce((
  select sum(o.quantity - o.filled_quantity) from orders o
  where o.account_id = ${s}.account_id and o.end_acknowledged_at is null and o.symbol = ${s}.symbol
    and o.id is distinct from ${s}.order_id
    and o.side = ${OPENING_SIDE(s)} and o.status in ${WORKING}
    -- One by hand counts from its decision on, and with what was decided.
    and (o.broker_order_id is not null or exists (
      select from signals h where h.id = o.signal_id and h.decisions -> 'entry' ->> 'outcome' = 'ready'))), 0)`

const DECIDED = (s: string): string => `coalesce((
  select sum((e.decisions -> 'entry' ->> 'quantity')::numeric) from signals e
  where e.account_id = ${s}.account_id and e.symbol = ${s}.symbol and e.entry_ended_at is null
    and e.id <> ${s}.id and e.action = ${s}.action and e.status in ${LEAVING}
    and e.decisions -> 'entry' ->> 'outcome' = 'ready'
    and not exists (select from orders o where o.signal_id = e.id and o.role <> 'exit')), 0)`

/** Fills that the last sync may lack; late ones by the broker's instant. */
const FILLED_SINCE_SYNC = (s: string): string => `coalesce((
  select sum(o.filled_quantity) from orders o
  where o.account_id = ${s}.account_id and o.symbol = ${s}.symbol and o.side = ${OPENING_SIDE(s)}
    and o.updated_at > coalesce(account.last_synced_at - ${SYNC_LAG}, '-infinity')
    and o.filled_at > coalesce(account.last_synced_at - ${SYNC_LAG} - ${BROKER_BEHIND}, '-infinity')), 0)`

const isUnnamed = (s: string): string => `(${s}.source_id is null and not ${isKeyed(`${s}.id`)})`

/**
 * Senders distinguished signals with sourceIds and orders with keys; other prices are a ladder's steps; a close is
 * sized to the position.
 */
const secondsSinceTwin = (s: string): string => `(
  select extract(epoch from ${s}.accepted_at - max(twin.accepted_at))::float
  from signals twin
  where twin.account_id = ${s}.account_id
    and twin.accepted_at >= ${s}.accepted_at - make_interval(secs =>
      case when settings.limits -> 'duplicateWindowSeconds' is null
        then ${DEFAULT_RISK_LIMITS.duplicateWindowSeconds ?? 'null'}
        else (settings.limits ->> 'duplicateWindowSeconds')::float end)
    and (twin.accepted_at, twin.id) < (${s}.accepted_at, ${s}.id)
    and twin.origin <> 'adopted' and twin.symbol = ${s}.symbol and (twin.ask ->> 'side') is not distinct from (${s}.ask ->> 'side')
    and (${s}.ask is not null or twin.action = ${s}.action)
    and ${s}.ask ->> 'reducesOnly' is distinct from 'true' and twin.ask ->> 'reducesOnly' is distinct from 'true'
    and twin.quantity = ${s}.quantity and twin.quantity_type = ${s}.quantity_type
    and twin.order_type = ${s}.order_type
    and twin.limit_price is not distinct from ${s}.limit_price
    and twin.stop_price is not distinct from ${s}.stop_price
    and (twin.status not in ${FREED} or twin.ask is not null and twin.status = 'cancelled') and twin.target is null
    and (${isUnnamed('twin')} or ${isUnnamed(s)}))`

export function riskFactsOf({ settings, ...facts }: RiskFactsJson): RiskFacts {
  const amount = (text: Decimal): Decimal => decimal(text)
  return {
    limits: riskLimits(settings),
    context: {
      ...facts,
      isManual: false,
      isApproved: false,
      priceBeforeApproval: null,
      equity: amount(facts.equity),
      dayStartEquity: facts.dayStartEquity === null ? null : amount(facts.dayStartEquity),
      heldQuantity: amount(facts.heldQuantity),
      workingQuantity: amount(facts.workingQuantity),
    },
  }
}
