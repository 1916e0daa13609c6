import type { EntityManager } from '../engine/database.ts'
import {
  type StoredInstant,
  LEAVING,
  WORKING,
  instantOf,
  instantOrNull,
  ask,
  type Query,
} from '../engine/query.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import { sharesAfter, type OwnedShares } from '#domain/position/ownership.ts'
import type { LedgerRole } from '#domain/signal/by-hand.ts'
import type { OrderSide, OrderType, TimeInForce } from '#domain/order/order.ts'
import { stillReserved, type LiveOrder, type SymbolState } from '#domain/position/symbol-state.ts'
import { EXIT_SIZE_OVERRIDE } from '../exit/exits.ts'
import { closeIsUnderWay } from '../order/cancelled-for.ts'
import {
  DECIDED_BY,
  FILLED_THROUGH,
  ORIGIN,
  OWNING_SIGNAL,
  orderOf,
  originOf,
  RESERVED_LOTS,
  type OriginRow,
} from './execution-attribution.ts'

/** Lock until the transaction ends. Parameters: account id, symbol. */
export const LOCK_ACCOUNT_SYMBOL = `select pg_advisory_xact_lock(hashtextextended(?::text || ' ' || ?::text, 0))`

/** This lock precedes locks of signals, against deadlocks. */
export const lockAccountSymbol = (em: EntityManager, accountId: string, symbol: string): Promise<void> =>
  ask(em, symbolLockQuery(accountId, symbol))

export const lockSymbolOf = (em: EntityManager, signalId: string): Promise<unknown> =>
  em.execute(`select ${LOCK_OF_SIGNAL} from signals where id = ?`, [signalId])

const LOCK_OF_SIGNAL = `pg_advisory_xact_lock(hashtextextended(account_id::text || ' ' || symbol, 0))`

/** Locks account and symbol; a repetition finds the same queue position. */
export async function takeTurn(em: EntityManager, signalId: string): Promise<StoredInstant | null> {
  const [row] = await em.execute<{ at: StoredInstant }[]>(
    `with turn as materialized (
       select decided_by, queued_at, ${LOCK_OF_SIGNAL}
       from signals where id = ?)
     select case when decided_by is null then clock_timestamp() else queued_at end as at from turn`,
    [signalId],
  )
  return row?.at ?? null
}

export const symbolLockQuery = (accountId: string, symbol: string): Query<void> => ({
  sql: LOCK_ACCOUNT_SYMBOL,
  parameters: [accountId, symbol],
  read: () => undefined,
})

interface ExecutionRow extends OriginRow {
  side: 'BUY' | 'SELL'
  quantity: Decimal
  filled_through: Decimal
  client_order_id: string | null
}

interface LiveRow {
  client_order_id: string
  broker_order_id: string | null
  signal_id: string | null
  role: LedgerRole
  symbol: string
  side: OrderSide
  open: Decimal
  filled: Decimal
  order_type: OrderType
  limit_price: Decimal | null
  stop_price: Decimal | null
  time_in_force: TimeInForce
  known_at: StoredInstant | null
  sized_at: string | null
  reservedLots: OwnedShares[] | null
  is_chosen: boolean
}

/** Executions since the position was last flat. A known fill counts before the broker lists it. */
export async function readSymbolState(
  em: EntityManager,
  accountId: string,
  symbol: string,
  { without = null }: { without?: string | null } = {},
): Promise<SymbolState> {
  const [row] = await em.execute<
    {
      executions: ExecutionRow[] | null
      live: LiveRow[] | null
      changed_at: StoredInstant | null
      yielding: SymbolState['yielding'] | null
      as_of: StoredInstant
      adopter: string | null
    }[]
  >(SYMBOL_STATE, [accountId, symbol])
  return {
    asOf: instantOf(row!.as_of),
    shares: sharesAfter(
      (row!.executions ?? [])
        .filter((execution) => without === null || execution.client_order_id !== without)
        .map((execution) => ({
          side: execution.side,
          quantity: decimal(execution.quantity),
          orderFilled: decimal(execution.filled_through),
          origin: originOf(execution),
        })),
      row!.adopter,
    ),
    changedAt: instantOrNull(row!.changed_at),
    live: (row!.live ?? [])
      .filter((order) => order.client_order_id !== without)
      .map((order) => liveOrderOf(order, row!.adopter)),
    unattributed: [
      ...new Set((row!.executions ?? []).flatMap(({ role, side }) => (role === null ? [side] : []))),
    ],
    yielding: row!.yielding ?? [],
  }
}

/** A size override applies to an exit at its time. */
const IS_CHOSEN = `s.decisions -> '${EXIT_SIZE_OVERRIDE}' is not null`

const SIDE_OF_ACTION = `case s.action when 'openLong' then 'BUY' when 'closeLong' then 'SELL'
  when 'openShort' then 'SELL_SHORT' else 'BUY_TO_COVER' end`

const SYMBOL_STATE = `
  with asked as (select ?::uuid as account_id, ?::text as symbol),
  flat as (
    select coalesce(max(f.at), '-infinity') as at from fills f, asked
    where f.account_id = asked.account_id and f.symbol = asked.symbol and f.checkpoint -> 'lots' = '[]'::jsonb),
  executed as (
    select f.side, f.quantity, f.order_filled, f.at, f.broker_order_id, f.execution_id, f.recorded_at
    from fills f, asked, flat
    where f.account_id = asked.account_id and f.symbol = asked.symbol and f.at > flat.at
    union all
    select case when o.side in ('BUY', 'BUY_TO_COVER') then 'BUY' else 'SELL' end, o.filled_quantity - listed.quantity,
      o.filled_quantity, o.filled_at, o.broker_order_id, o.client_order_id, o.updated_at
    from asked, flat, orders o, lateral (
      select coalesce(sum(f.quantity), 0) as quantity
      from order_broker_ids b join fills f using (account_id, broker_order_id) where b.order_id = o.id) listed
    -- A fill that is listed late may lie before the moment in which nothing else was held.
    where o.account_id = asked.account_id and o.symbol = asked.symbol
      and o.filled_at > flat.at - interval '1 day' and o.filled_quantity > listed.quantity),
  attributed as (
    select x.*, o.client_order_id, ${ORIGIN}, ${FILLED_THROUGH} as filled_through
    from executed x
    ${orderOf('(select account_id from asked)')}),
  live as (
    select o.client_order_id, o.broker_order_id, ${OWNING_SIGNAL} as signal_id, o.role, o.symbol, o.side,
      o.quantity - known.filled as open, known.filled, o.order_type, o.limit_price, o.stop_price,
      o.time_in_force, case when o.role = 'manual' then o.acknowledged_at else o.known_at end as known_at,
      null as sized_at, ${RESERVED_LOTS} as "reservedLots", ${IS_CHOSEN} and o.client_order_id ~ '-x[0-9]+$' as is_chosen
    from asked, orders o
    -- An execution that is listed before the order is reported has taken its shares already.
    cross join lateral (
      select greatest(o.filled_quantity, coalesce(sum(f.quantity), 0)) as filled
      from order_broker_ids b join fills f using (account_id, broker_order_id) where b.order_id = o.id) known
    ${DECIDED_BY}
    where o.account_id = asked.account_id and o.symbol = asked.symbol and o.end_acknowledged_at is null
      and o.status in ${WORKING}
      and (o.role <> 'manual' or s.decisions -> 'entry' ->> 'outcome' = 'ready')
    union all
    -- Entries that were decided, and are sent or about to be.
    select s.id || '-e1', null, s.id, 'entry', s.symbol, ${SIDE_OF_ACTION},
      (s.decisions -> 'entry' ->> 'quantity')::numeric, 0, s.order_type, s.limit_price, s.stop_price, s.time_in_force,
      null, null, s.decisions -> 'entry' -> 'reservedLots', false
    from asked, signals s
    where s.account_id = asked.account_id and s.symbol = asked.symbol and s.entry_ended_at is null
      and s.status in ${LEAVING} and s.decisions -> 'entry' ->> 'outcome' = 'ready'
      and not exists (select from orders o where o.client_order_id = s.id || '-e1')
    union all
    -- Exits that were sized, and are sent or about to be: of each signal the last one, unless it was given up.
    select sized.client_order_id, null, s.id, 'exit', s.symbol,
      case s.action when 'openLong' then 'SELL' else 'BUY_TO_COVER' end, sized.quantity, 0,
      case sized.terms ->> 'orderType' when 'moc' then 'market' else sized.terms ->> 'orderType' end,
      (sized.terms ->> 'limitPrice')::numeric, (sized.terms ->> 'stopPrice')::numeric,
      sized.terms ->> 'timeInForce', null, sized.at, null, ${IS_CHOSEN}
    from asked, signals s, lateral (
      select s.id || case value #>> '{order,reason}' when 'PROTECTION' then '-p' when 'TAKE_PROFIT' then '-t' else '-x' end
          || substring(key from 6) as client_order_id,
        substring(key from 6)::integer as generation, (value ->> 'quantity')::numeric as quantity,
        coalesce(value #> '{order,terms}', s.exit_rule) as terms,
        value ->> 'sizedAt' as at, value -> 'stopped' is not null as given_up
      from jsonb_each(s.decisions) where key like 'exit-%' order by generation desc limit 1) sized
    where s.account_id = asked.account_id and s.symbol = asked.symbol and s.exit_status in ('waiting', 'scheduled')
      and sized.quantity > 0 and not sized.given_up
      and not exists (select from orders o where o.client_order_id = sized.client_order_id)),
  yielding as (
    select distinct o.signal_id, o.cancelled_for as closer from asked, orders o
    where o.account_id = asked.account_id and o.symbol = asked.symbol and o.cancelled_for is not null
      and o.role = 'exit'
      and ${closeIsUnderWay('o')})
  select
    (select json_agg(json_build_object('side', side, 'quantity', quantity::text, 'filled_through', filled_through,
        'role', role, 'signal_id', signal_id, 'client_order_id', client_order_id, 'action', action, 'reservedLots', "reservedLots")
      order by at, coalesce(broker_order_id, '') collate "C", order_filled, execution_id collate "C") from attributed) as executions,
    (select greatest(max(recorded_at), (select max(a.amended_at) from fill_amendments a, asked
       where a.account_id = asked.account_id)) from attributed) as changed_at,
    (select json_agg(json_build_object('client_order_id', client_order_id, 'broker_order_id', broker_order_id,
        'signal_id', signal_id, 'role', role, 'symbol', symbol, 'side', side, 'open', open::text,
        'filled', filled::text, 'order_type', order_type, 'limit_price', limit_price::text,
        'stop_price', stop_price::text, 'time_in_force', time_in_force, 'known_at', known_at,
        'sized_at', sized_at, 'reservedLots', "reservedLots", 'is_chosen', is_chosen)
      order by known_at nulls last, client_order_id) from live) as live,
    (select json_agg(json_build_object('signalId', signal_id, 'closer', closer)) from yielding) as yielding,
    (select s.id from signals s, asked
     where s.account_id = asked.account_id and s.symbol = asked.symbol and s.origin = 'adopted' and s.closings = 0) as adopter,
    now() as as_of`

const amount = (value: Decimal | null): Decimal | null => (value === null ? null : decimal(value))

/** Shares without owner close as their adopter's. */
function liveOrderOf(row: LiveRow, adopter: string | null): LiveOrder {
  const { role, signal_id: signalId } = row
  const open = decimal(row.open)
  return {
    clientOrderId: row.client_order_id,
    brokerOrderId: row.broker_order_id,
    signalId,
    role,
    symbol: row.symbol,
    side: row.side,
    open,
    orderType: row.order_type,
    limitPrice: amount(row.limit_price),
    stopPrice: amount(row.stop_price),
    timeInForce: row.time_in_force,
    knownAt: instantOrNull(row.known_at),
    ...(row.sized_at && { sizedAt: row.sized_at }),
    ...(row.is_chosen && { isChosen: true as const }),
    reservedLots: stillReserved({ role, signalId, open }, row.reservedLots ?? [], decimal(row.filled)).map(
      (one) => ({
        ...one,
        owner: one.owner ?? adopter,
      }),
    ),
  }
}

/** Decisions of an account and symbol run in sequence: each sees the earlier ones. */
export async function decideUnderLock<T>(
  em: EntityManager,
  accountId: string,
  symbol: string,
  decide: (symbolState: SymbolState, inner: EntityManager) => Promise<T>,
): Promise<T> {
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, accountId, symbol)
    return decide(await readSymbolState(inner, accountId, symbol), inner)
  })
}
