import { mintAccessToken } from '#api/http/access-token.ts'
import type pg from 'pg'

/** Whom the lists are asked for: a user with more than half of all rows, among others. */
export interface BusyUser {
  userId: string
  accountIds: string[]
  strategyId: string
  /** Enough of them that none is used up to its limit. */
  tokens: string[]
}

const USERS = 20
/** The instant of the newest row. */
const LAST = '2026-11-01T00:00:00Z'
const ACCOUNTS_EACH = 4
/** Rows that are written by one statement; progress is told after each. */
const CHUNK = 100_000
/** A request counts against its token's limit of 200 a minute. */
const TOKENS = 40

/** Fills the ledger with so many orders and signals, and tells how far it has come. */
export async function seedLedger(
  client: pg.Client,
  rows: number,
  tell: (what: string) => void,
): Promise<BusyUser> {
  // The rows below are sound, and checking a million references takes as long as writing them.
  await client.query('set session_replication_role = replica')
  await client.query(PEOPLE, [USERS, ACCOUNTS_EACH])
  for (const [what, statement] of Object.entries({
    orders: ORDERS,
    signals: SIGNALS,
    'orders gone through for trades': TRADES,
  }))
    for (let from = 0; from < rows; from += CHUNK) {
      await client.query(statement, [from, Math.min(from + CHUNK, rows) - 1, USERS, ACCOUNTS_EACH, rows])
      tell(`${Math.min(from + CHUNK, rows).toLocaleString('en')} of ${rows.toLocaleString('en')} ${what}`)
    }
  await client.query(OTHERS)
  await client.query('set session_replication_role = default')
  tell('tidying up')
  await client.query('vacuum analyze')
  return findBusyUser(client)
}

async function findBusyUser(client: pg.Client): Promise<BusyUser> {
  const { rows } = await client.query<Omit<BusyUser, 'tokens'>>(
    `select u.id as "userId", (select id from strategies where user_id = u.id) as "strategyId",
       array(select id from accounts where user_id = u.id order by name) as "accountIds"
     from users u where email = 'user0@example.test'`,
  )
  const user = rows[0]!
  const minted = Array.from({ length: TOKENS }, () => mintAccessToken())
  await client.query(
    `insert into access_tokens (id, user_id, label, hash, prefix, scopes)
     select gen_random_uuid(), $1, 'bench', hash, 'dt_bench', '{trading:read,accounts:read}'
     from unnest($2::text[]) as hash`,
    [user.userId, minted.map(({ hash }) => hash)],
  )
  return { ...user, tokens: minted.map(({ token }) => token) }
}

/** An id that follows from words, so that rows find each other without being looked up. */
const idOf = (words: string): string => `md5(${words})::uuid`
/** The first user has six rows of ten. */
const owner = `case when n % 10 < 6 then 0 else 1 + n % ($3::int - 1) end`
const account = `(n / 10 % $4::int)`
/** A row every 20 seconds, the newest last. */
const instant = `timestamptz '${LAST}' + (n - $5::int) * interval '20 seconds' + n % 1000 * interval '1 microsecond'`
const symbol = `(array['AAPL','MSFT','NVDA','TSLA','SPY'])[1 + n / 7 % 5] || case when n % 3 = 0 then (n / 11 % 60)::text else '' end`

const PEOPLE = `
  with people as (
    insert into users (id, email, role, plan)
    select ${idOf(`'user' || u`)}, 'user' || u || '@example.test', 'member', 'PRO'
    from generate_series(0, $1::int - 1) u returning id, email
  ), connections as (
    insert into broker_connections (id, user_id, broker_type, name, base_url, sealed_credentials, status)
    select ${idOf(`'connection' || email`)}, id, 'paper', 'Paper', 'http://127.0.0.1:9', 'sealed', 'connected' from people
  ), plans as (
    insert into strategies (id, user_id, name) select ${idOf(`'strategy' || email`)}, id, 'Opening range' from people
  )
  insert into accounts (id, user_id, broker_id, broker_account_id, name, type, currency, is_demo, last_synced_at)
  select ${idOf(`email || a`)}, id, ${idOf(`'connection' || email`)}, 'PA' || a, 'Account ' || a, 'MARGIN', 'USD', true, now()
  from people, generate_series(0, $2::int - 1) a`

const owned = `
  from generate_series($1::int, $2::int) n, lateral (select ${owner} as u) o,
    lateral (select 'user' || u || '@example.test' as email, ${instant} as at) e`

const ORDERS = `
  insert into orders (id, user_id, account_id, signal_id, role, client_order_id, broker_order_id, symbol, side, order_type, quantity,
    limit_price, time_in_force, extended_hours, status, filled_quantity, avg_fill_price, submitted_at, filled_at, end_acknowledged_at,
    created_at, updated_at)
  select ${idOf(`'order' || n`)}, ${idOf(`'user' || u`)}, ${idOf(`email || ${account}`)}, ${idOf(`'signal' || n`)}, 'entry', 'c' || n, 'b' || n,
    ${symbol}, 'BUY', 'limit', 10, 187.25, 'day', false, status,
    case status when 'FILLED' then 10 else 0 end, case status when 'FILLED' then 187.2 end, at,
    case status when 'FILLED' then at end, at, at, at
  ${owned}, lateral (select case when n % 50021 = 0 then 'OPEN' when n % 97 = 0 then 'REJECTED'
      when n % 23 = 0 then 'CANCELLED' when n % 89 = 0 then 'EXPIRED' else 'FILLED' end as status) s`

const SIGNALS = `
  insert into signals (id, user_id, account_id, strategy_id, source_id, payload_hash, symbol, action, quantity,
    quantity_type, execute_mode, order_type, limit_price, time_in_force, extended_hours, metadata, status, order_id,
    filled_quantity, avg_fill_price, accepted_at, workflow_started_at, updated_at, entry_ended_at)
  select ${idOf(`'signal' || n`)}, ${idOf(`'user' || u`)}, ${idOf(`email || ${account}`)},
    case when n % 4 = 0 then ${idOf(`'strategy' || email`)} end, case when n % 2 = 0 then 'alert-' || n end, md5(n::text),
    ${symbol}, 'openLong', 10, 'fixed', case when n % 40009 = 0 then 'pending' when n % 31 = 0 then 'scheduled' else 'immediate' end,
    'limit', 187.25, 'day', false, '{"note": "from the chart"}', status,
    case status when 'executed' then ${idOf(`'order' || n`)} end, case status when 'executed' then 10 else 0 end,
    case status when 'executed' then 187.2 end, at, at, at, at
  ${owned}, lateral (select case when n % 40009 = 0 then 'pending' when n % 60013 = 0 then 'scheduled'
      when n % 61 = 0 then 'rejected' when n % 101 = 0 then 'cancelled' when n % 211 = 0 then 'error' else 'executed' end as status) s`

/** Every fourth order has opened a trade. */
const TRADES = `
  insert into trades (id, user_id, account_id, symbol, side, status, quantity, entry_price, exit_price, entry_at, exit_at,
    realised_pnl, realised_pnl_percent, fees, strategy_id, entry_order_ids, exit_order_ids)
  select ${idOf(`'trade' || n`)}, ${idOf(`'user' || u`)}, ${idOf(`email || ${account}`)}, ${symbol}, 'LONG',
    case when is_open then 'OPEN' else 'CLOSED' end, 10, 187.2, case when not is_open then 188 end, at,
    case when not is_open then at + interval '1 hour' end, case when not is_open then 8 end,
    case when not is_open then 0.43 end, 0.02, case when n % 3 = 0 then ${idOf(`'strategy' || email`)} end,
    array[${idOf(`'order' || n`)}], case when is_open then '{}'::uuid[] else array[${idOf(`'exit' || n`)}] end
  ${owned}, lateral (select n % 20004 = 0 as is_open) o2
  where n % 4 = 0`

/** What a person holds and is told of, and the timeline of the newest signals. */
const OTHERS = `
  with held as (
    insert into positions (id, user_id, account_id, symbol, side, quantity, avg_cost, current_price, market_value,
      unrealised_pnl, unrealised_pnl_percent)
    select gen_random_uuid(), user_id, id, 'SYM' || s, 'LONG', 10, 100, 101, 1010, 10, 1
    from accounts, generate_series(1, 50) s
  ), told as (
    insert into alerts (user_id, account_id, signal_id, kind, message, raised_at, resolved_at)
    select user_id, account_id, id, 'unprotected_position', 'Look', accepted_at,
      case when status <> 'pending' then accepted_at end
    from signals where status in ('error', 'pending')
  )
  insert into signal_events (signal_id, key, kind, at, message)
  select s.id, k, k, s.accepted_at, 'It was ' || k from (select * from signals order by accepted_at desc limit 1000) s,
    unnest(array['received', 'checked', 'sent', 'acknowledged', 'filled', 'closed']) k`
