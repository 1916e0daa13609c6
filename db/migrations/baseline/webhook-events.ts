import { EVENT_KINDS } from '#domain/alert/channels.ts'
import { belongsTo } from '../row-policy.ts'

interface Announcement {
  /** What happened, as SQL over `new` and `old`; its first word is one of {@link EVENT_KINDS}. */
  type: string
  on: 'insert' | `update of ${string}`
  when?: string
}

/** As the API shows it. */
const instant = (column: string): string =>
  `to_char(new.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const decimal = (column: string): string => `trim_scale(new.${column})::text`
/** A body has at most 20 kB (Standard Webhooks), and JSON may need six bytes for a character. */
const words = (column: string): string => `left(new.${column}, 2000)`

const SIGNAL_DATA = `jsonb_build_object('id', new.id, 'accountId', new.account_id, 'strategyId', new.strategy_id, 'sourceId', new.source_id,
  'symbol', new.symbol, 'action', new.action, 'quantity', ${decimal('quantity')}, 'quantityType', new.quantity_type,
  'status', new.status, 'statusReason', ${words('status_reason')}, 'filledQuantity', ${decimal('filled_quantity')},
  'avgFillPrice', ${decimal('avg_fill_price')}, 'validUntil', ${instant('valid_until')})`
const EXIT_DATA = `jsonb_build_object('signalId', new.id, 'accountId', new.account_id, 'symbol', new.symbol, 'status', new.exit_status,
  'reason', new.exit_reason, 'orderId', new.exit_order_id)`
// The signal of an order by hand is shown nowhere.
const ORDER_DATA = `jsonb_build_object('id', new.id, 'signalId', case when new.role <> 'manual' then new.signal_id end,
  'accountId', new.account_id, 'role', new.role, 'clientOrderId', new.client_order_id, 'brokerOrderId', new.broker_order_id,
  'symbol', new.symbol, 'side', new.side, 'orderType', new.order_type, 'quantity', ${decimal('quantity')},
  'limitPrice', ${decimal('limit_price')}, 'stopPrice', ${decimal('stop_price')}, 'status', new.status,
  'filledQuantity', ${decimal('filled_quantity')}, 'avgFillPrice', ${decimal('avg_fill_price')}, 'reason', ${words('reason')})`
const FILL_DATA = `jsonb_build_object('executionId', new.execution_id, 'accountId', new.account_id, 'orderId', new.order_id,
  'brokerOrderId', new.broker_order_id, 'symbol', new.symbol, 'side', new.side, 'quantity', ${decimal('quantity')},
  'price', ${decimal('price')}, 'fees', ${decimal('fees')}, 'at', ${instant('at')})`
const AMENDMENT_DATA = `jsonb_build_object('executionId', new.execution_id, 'accountId', new.account_id, 'corrected', new.corrected)`
const TRADE_DATA = `jsonb_build_object('id', new.id, 'accountId', new.account_id, 'signalId', new.signal_id, 'strategyId', new.strategy_id,
  'symbol', new.symbol, 'side', new.side, 'status', new.status, 'quantity', ${decimal('quantity')},
  'entryPrice', ${decimal('entry_price')}, 'exitPrice', ${decimal('exit_price')}, 'realisedPnl', ${decimal('realised_pnl')},
  'fees', ${decimal('fees')}, 'entryAt', ${instant('entry_at')}, 'exitAt', ${instant('exit_at')})`
const ALERT_DATA = `jsonb_build_object('id', new.id, 'kind', new.kind, 'message', ${words('message')}, 'accountId', new.account_id,
  'tokenId', new.token_id, 'strategyId', new.strategy_id,
  'signalId', (select s.id from signals s where s.id = new.signal_id and s.ask is null),
  'orderId', (select o.id from orders o where o.signal_id = new.signal_id and o.role = 'manual' limit 1),
  'symbol', new.symbol, 'raisedAt', ${instant('raised_at')}, 'resolvedAt', ${instant('resolved_at')})`
const HALT_DATA = `jsonb_build_object('id', new.id::text, 'scope', new.scope, 'accountId', new.account_id, 'level', new.level,
  'reason', ${words('reason')}, 'setAt', ${instant('set_at')}, 'liftedAt', ${instant('lifted_at')})`

/** Writes each event in the transaction of its cause, for users with a webhook only. */
const announces = (
  table: string,
  data: string,
  name: string,
  announcements: readonly Announcement[],
  owners = 'user_id = new.user_id',
): string[] => [
  `create function ${table}_announce_${name}() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    insert into webhook_events (user_id, type, data)
    select owner, case tg_argv[0] ${announcements.map(({ type }, at) => `when '${at}' then ${type}`).join(' ')} end, ${data}
    from (select distinct user_id as owner from channels where kind = 'webhook' and ${owners}) owners;
    return null;
  end
  $$`,
  ...announcements.map(
    ({ on, when }, at) =>
      `create trigger ${table}_announces_${name}_${at} after ${on} on ${table}
  for each row${when === undefined ? '' : ` when (${when})`} execute function ${table}_announce_${name}('${at}')`,
  ),
]

const bySender = 'new.ask is null'

export const WEBHOOK_EVENTS: string[] = [
  `create table webhook_events (
    -- Ordered by instant.
    id uuid primary key default uuidv7(),
    user_id uuid not null references users on delete cascade,
    type text collate "C" not null check (split_part(type, '.', 1) in (${EVENT_KINDS.map((kind) => `'${kind}'`).join(', ')})),
    data jsonb not null,
    at timestamptz not null default clock_timestamp(),
    is_spread boolean not null default false
  )`,
  `create index webhook_events_newest on webhook_events (user_id, id)`,
  `create index webhook_events_to_spread on webhook_events (id) where not is_spread`,
  `create index webhook_events_at on webhook_events using brin (at)`,
  ...belongsTo('webhook_events', 'user_id', 'select'),
  ...announces('signals', SIGNAL_DATA, 'signal', [
    { type: `'signal.' || new.status`, on: 'insert', when: bySender },
    {
      type: `'signal.' || new.status`,
      on: 'update of status',
      when: `${bySender} and old.status is distinct from new.status`,
    },
  ]),
  ...announces('signals', SIGNAL_DATA, 'approval', [
    { type: `'approval.requested'`, on: 'insert', when: `new.status = 'pending'` },
    {
      type: `'approval.requested'`,
      on: 'update of status',
      when: `old.status <> 'pending' and new.status = 'pending'`,
    },
    {
      type: `'approval.ended'`,
      on: 'update of status',
      when: `old.status = 'pending' and new.status <> 'pending'`,
    },
  ]),
  ...announces('signals', EXIT_DATA, 'exit', [
    {
      type: `'exit.' || new.exit_status`,
      on: 'update of exit_status',
      when: 'new.exit_status is not null and old.exit_status is distinct from new.exit_status',
    },
  ]),
  ...announces('orders', ORDER_DATA, 'order', [
    { type: `'order.' || lower(new.status)`, on: 'insert' },
    {
      type: `'order.' || lower(new.status)`,
      on: 'update of status',
      when: 'old.status is distinct from new.status',
    },
  ]),
  ...announces('fills', FILL_DATA, 'fill', [{ type: `'fill.recorded'`, on: 'insert' }]),
  ...announces('fill_amendments', AMENDMENT_DATA, 'fill', [
    { type: `'fill.amended'`, on: 'insert' },
    {
      type: `'fill.amended'`,
      on: 'update of corrected',
      when: 'old.corrected is distinct from new.corrected',
    },
  ]),
  ...announces('trades', TRADE_DATA, 'trade', [
    { type: `'trade.' || case new.status when 'OPEN' then 'opened' else 'closed' end`, on: 'insert' },
    { type: `'trade.closed'`, on: 'update of status', when: `old.status = 'OPEN' and new.status = 'CLOSED'` },
  ]),
  ...announces('alerts', ALERT_DATA, 'alert', [
    { type: `'alert.raised'`, on: 'insert' },
    {
      type: `'alert.resolved'`,
      on: 'update of resolved_at',
      when: 'old.resolved_at is null and new.resolved_at is not null',
    },
  ]),
  ...announces(
    'trading_halts',
    HALT_DATA,
    'halt',
    [
      { type: `'halt.set'`, on: 'insert' },
      {
        type: `'halt.lifted'`,
        on: 'update of lifted_at',
        when: 'old.lifted_at is null and new.lifted_at is not null',
      },
    ],
    '(user_id = new.user_id or new.user_id is null)',
  ),
]
