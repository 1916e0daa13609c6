import type { Decimal } from '#domain/money/decimal.ts'
import { HOLD_STEPS_SECONDS } from '#domain/position/hold-lengths.ts'
import { exchangeDaySql, exchangeMidnightSql } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import type { Statement } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'
import type { TradingMode } from '../entities/user.entity.ts'
import { CURVE_PARTS } from '#domain/account/performance-period.ts'

/** SQL: our order `o` that closed trade `t`; its signal `s`. */
const CLOSING_ORDER = `left join orders o on o.id = t.exit_order_ids[1] left join signals s on s.id = o.signal_id`

/** SQL with {@link CLOSING_ORDER}. Another signal's exit is a 'signal'. */
const EXIT_WAY = `case
    when o.id is null then 'elsewhere'
    when o.role = 'manual' then 'person'
    when o.role <> 'exit' or o.signal_id is distinct from t.signal_id then 'signal'
    when o.client_order_id ~ '-t[0-9]+$' then 'limit'
    when o.client_order_id ~ '-p[0-9]+$' then case
      when o.order_type in ('limit', 'stopLimit') then o.order_type
      when o.order_type = 'oco' and (t.exit_price - o.limit_price) * case t.side when 'LONG' then 1 else -1 end >= 0 then 'limit'
      else 'stop' end
    when s.exit_rule is null then 'stop'
    when s.exit_rule ->> 'orderType' in ('limit', 'stop', 'stopLimit') then s.exit_rule ->> 'orderType'
    else 'time' end`

const EXIT_DECISION = `s.decisions -> ('exit-' || substring(o.client_order_id from '[0-9]+$'))`

/** The decided price is the submission's if the broker had the order this soon. */
const SENT_WITHIN = `interval '5 seconds'`

/** SQL with {@link CLOSING_ORDER}, dollars a share. Null for limits, which fill at their price, and auctions. */
const REFERENCE = `case
    when o.order_type in ('stop', 'stopLimit') then case when not exists (
      select from order_broker_ids b where b.order_id = o.id and b.broker_order_id <> o.broker_order_id) then o.stop_price end
    when o.order_type = 'market' and o.role = 'exit' and o.time_in_force not in ('opg', 'cls')
        and o.acknowledged_at < (${EXIT_DECISION} ->> 'sizedAt')::timestamptz + ${SENT_WITHIN}
      then (${EXIT_DECISION} ->> 'price')::numeric end`

/** Dollars lost against {@link REFERENCE}; below 0: better. */
const EXIT_SLIPPAGE = `(${REFERENCE} - t.exit_price) * t.quantity * case t.side when 'LONG' then 1 else -1 end`

export interface StatisticsFilter {
  accounts: { accountId: string } | { mode: TradingMode }
  strategyId?: string | undefined
  symbol?: string | undefined
  /** Exchange days of closing, both included; null: no bound. */
  from: string | null
  to: string | null
}

export interface TradeGroup {
  /** Null for no key, such as trades without strategy. */
  key: string | null
  trades: number
  wins: number
  losses: number
  /** After fees. */
  realisedPnl: Decimal
  /** Both above 0. */
  won: Decimal
  lost: Decimal
  fees: Decimal
  best: Decimal | null
  worst: Decimal | null
  averageHold: number | null
}

export interface ExitGroup extends TradeGroup {
  exitFees: Decimal
  /** Dollars lost against the reference; below 0: better; null where unknown. */
  slippage: Decimal | null
  compared: number
}

/** Dollars, in order of closing. */
export interface CurvePoint {
  trade: number
  /** UTC instant. */
  at: string
  total: Decimal
  /** Distance below the highest earlier total, at least 0. */
  fall: Decimal
}

/** `hour`, `weekday` (1: Monday): of the entry, New York. `exit`: an `ExitWay`. */
const BREAKDOWNS = ['strategy', 'symbol', 'hour', 'weekday', 'length', 'exit', 'day'] as const
type Breakdown = (typeof BREAKDOWNS)[number]

export interface TradeStatistics {
  all: TradeGroup
  maxDrawdown: Decimal
  /** At most {@link MAX_POINTS}, with highs, lows and deepest falls. */
  curve: CurvePoint[]
  groups: Record<Exclude<Breakdown, 'exit'>, TradeGroup[]> & { exit: ExitGroup[] }
}

const BREAKDOWN_KEYS = {
  strategy: 'strategy_id::text',
  symbol: 'symbol',
  hour: `extract(hour from entry_at at time zone '${NYSE_ZONE}')::int::text`,
  weekday: `extract(isodow from entry_at at time zone '${NYSE_ZONE}')::int::text`,
  length: `width_bucket(extract(epoch from exit_at - entry_at), array[${HOLD_STEPS_SECONDS.join(', ')}])::text`,
  exit: 'way',
  day: `${exchangeDaySql('exit_at')}::text`,
} as const satisfies Record<Breakdown, string>

const GROUP_FIGURES = `
  count(*)::int as trades, (count(*) filter (where realised_pnl > 0))::int as wins,
  (count(*) filter (where realised_pnl < 0))::int as losses,
  coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
  coalesce(sum(realised_pnl) filter (where realised_pnl > 0), 0)::text as won,
  coalesce(-sum(realised_pnl) filter (where realised_pnl < 0), 0)::text as lost,
  coalesce(sum(fees), 0)::text as fees, max(realised_pnl)::text as best, min(realised_pnl)::text as worst,
  extract(epoch from avg(exit_at - entry_at))::float8 as "averageHold"`

const EXIT_FIGURES = `${GROUP_FIGURES}, sum(exit_fees)::text as "exitFees", sum(slippage)::text as slippage,
  count(slippage)::int as compared`

export async function readTradeStatistics(
  em: EntityManager,
  userId: string,
  filter: StatisticsFilter,
): Promise<TradeStatistics> {
  const scope = scopeOf(userId, filter, 'exit_at')
  const [row] = await queryRows<TradeStatistics>(
    em,
    `with closed as materialized (
       select t.id, t.symbol, t.strategy_id, t.entry_at, t.exit_at, t.realised_pnl, t.fees, t.exit_fees,
         ${EXIT_WAY} as way, ${EXIT_SLIPPAGE} as slippage
       from (select * from trades where status = 'CLOSED' and ${scope.sql}) t ${CLOSING_ORDER}),
     summed as (
       select id, exit_at, row_number() over (order by exit_at, id) as n,
         sum(realised_pnl) over (order by exit_at, id) as total from closed),
     fallen as materialized (
       select n, exit_at, total, greatest(max(total) over (order by n), 0) - total as fall,
         (n - 1) * ${CURVE_PARTS} / count(*) over () as part, count(*) over () as of_all
       from summed),
     kept as (
       select n from fallen where n = 1 or n = of_all
       union select * from (select distinct on (part) n from fallen order by part, total, n) low
       union select * from (select distinct on (part) n from fallen order by part, total desc, n) high
       union select * from (select distinct on (part) n from fallen order by part, fall desc, n) deep)
     select
       (select row_to_json(f) from (select null as key, ${GROUP_FIGURES} from closed) f) as "all",
       (select coalesce(max(fall), 0)::text from fallen) as "maxDrawdown",
       (select coalesce(json_agg(json_build_object('trade', n, 'at', exit_at, 'total', total::text,
          'fall', fall::text) order by n), '[]') from fallen where n in (select n from kept)) as curve,
       json_build_object(${BREAKDOWNS.map((kind) => `'${kind}', ${groupsOf(kind)}`).join(', ')}) as groups`,
    scope.parameters,
  )
  return row!
}

const MAX_GROUPS = 100

const groupsOf = (kind: Breakdown): string => `
  (select coalesce(json_agg(g order by g.key), '[]')
   from (select ${BREAKDOWN_KEYS[kind]} as key, ${kind === 'exit' ? EXIT_FIGURES : GROUP_FIGURES} from closed group by 1
     ${kind === 'day' ? '' : `order by 2 desc, 1 limit ${MAX_GROUPS}`}) g)`

/** SQL condition; days apply to `instant`. */
function scopeOf(
  userId: string,
  { accounts, strategyId, symbol, from, to }: StatisticsFilter,
  instant: 'exit_at' | 'accepted_at',
): Statement {
  const [condition, value] =
    'accountId' in accounts ? ['id = ?', accounts.accountId] : ['is_demo = ?', accounts.mode === 'PAPER']
  const conditions: [string, unknown[]][] = [
    [
      `user_id = ? and account_id in (select id from accounts where user_id = ? and ${condition})`,
      [userId, userId, value],
    ],
    ...(strategyId === undefined ? [] : [['strategy_id = ?', [strategyId]] as [string, unknown[]]]),
    ...(symbol === undefined ? [] : [['symbol = ?', [symbol]] as [string, unknown[]]]),
    ...(from === null
      ? []
      : [[`${instant} >= ${exchangeMidnightSql('?::date')}`, [from]] as [string, unknown[]]]),
    ...(to === null
      ? []
      : [[`${instant} < ${exchangeMidnightSql('?::date + 1')}`, [to]] as [string, unknown[]]]),
  ]
  return {
    sql: conditions.map(([sql]) => sql).join(' and '),
    parameters: conditions.flatMap(([, parameters]) => parameters),
  }
}

export interface SenderExecution {
  sentBy: string | null
  /** Executed market entries: a limit's time depends on the price. */
  signals: number
  /** Time to the fill from the last of sending, due time and approval. */
  medianSeconds: number
  slowSeconds: number
  /** Signals with a price noted before approval. */
  compared: number
  /** Average percent; below 0: better than noted. */
  slippagePercent: number | null
}

const MAX_SENDERS = 20

export async function readSenderExecution(
  em: EntityManager,
  userId: string,
  filter: StatisticsFilter,
): Promise<SenderExecution[]> {
  const scope = scopeOf(userId, filter, 'accepted_at')
  return queryRows<SenderExecution>(
    em,
    `select sent_by as "sentBy", count(*)::int as signals,
       percentile_cont(0.5) within group (order by took) as "medianSeconds",
       percentile_cont(0.95) within group (order by took) as "slowSeconds",
       count(slippage)::int as compared, avg(slippage)::float8 as "slippagePercent"
     from (
       select s.sent_by, greatest(extract(epoch from o.filled_at
           - greatest(s.accepted_at, s.scheduled_at, s.decided_at)), 0)::float8 as took,
         (s.avg_fill_price - s.held_price) / nullif(s.held_price, 0) * 100
           * case when s.action in ('openLong', 'closeShort') then 1 else -1 end as slippage
       from (select * from signals where ask is null and order_type = 'market' and ${scope.sql}) s
       join orders o on o.id = s.order_id where o.filled_at is not null) each_one
     group by sent_by order by 2 desc, 1 limit ${MAX_SENDERS}`,
    scope.parameters,
  )
}
