import { bindingOf, presentCursor } from '#api/http/paging.ts'
import { ORDER_ORDER } from '#db/orders/queries.ts'
import { MAX_COUNTED, type ListOrder } from '#db/engine/page.ts'
import { SIGNAL_ORDERS } from '#db/signals/signals.ts'
import { TRADE_ORDER } from '#db/trades/trades.ts'
import type pg from 'pg'
import type { BusyUser } from './seed.ts'

/** A list as a user asks for it, and the statement that finds the rows of the same answer. */
export interface Question {
  name: string
  /** Below /api/v1. */
  path: string
  sql: string
  parameters: unknown[]
}

type Condition = [sql: string, value: unknown]

/** A page of the newest 50 rows, and the count as far as the API counts. */
function newest(table: string, instant: string, userId: string, conditions: Condition[]) {
  const where = ['user_id = $1', ...conditions.map(([sql], index) => sql.replace('?', `$${index + 2}`))]
  const rows = `from ${table} where ${where.join(' and ')}`
  return {
    sql: `select *, (select count(*) from (select 1 ${rows} limit ${MAX_COUNTED + 1}) c) as total ${rows}
      order by ${instant} desc, id desc limit 51`,
    parameters: [userId, ...conditions.map(([, value]) => value)],
  }
}

interface Kind {
  list: string
  table: string
  instant: string
  order: ListOrder
  /** What the API fills in where nothing is asked for; a cursor is bound to it. */
  filter: object
}
const ORDERS: Kind = {
  list: '/orders',
  table: 'orders',
  instant: 'created_at',
  order: ORDER_ORDER,
  filter: {},
}
const SIGNALS: Kind = {
  list: '/signals',
  table: 'signals',
  instant: 'accepted_at',
  order: SIGNAL_ORDERS.newest,
  filter: { sort: 'newest' },
}

const TRADES: Kind = {
  list: '/trades',
  table: 'trades',
  instant: 'entry_at',
  order: TRADE_ORDER,
  filter: { sort: 'entryAt', direction: 'desc' },
}

/** Every list of the API, and the filters that people use. */
export async function questionsOf(client: pg.Client, user: BusyUser): Promise<Question[]> {
  const account: Condition = ['account_id = ?', user.accountIds[1]]
  const ask = (
    { list, table, instant }: Kind,
    name: string,
    query: string,
    ...conditions: Condition[]
  ): Question => ({
    name: `${list.slice(1)}: ${name}`,
    path: `${list}?${query}`,
    ...newest(table, instant, user.userId, conditions),
  })
  const anyOf = (statuses: string[]): Condition => ['status = any(?)', statuses]
  const days: Condition[] = [
    [`IN >= ?`, '2026-10-25T00:00:00Z'],
    [`IN < ?`, '2026-10-30T00:00:00Z'],
  ]
  const inThoseDays = ({ instant }: Kind): Condition[] =>
    days.map(([sql, value]) => [sql.replace('IN', instant), value])
  const period = 'from=2026-10-25T00:00:00Z&to=2026-10-30T00:00:00Z'
  return [
    ask(ORDERS, 'first page', 'limit=50'),
    ask(ORDERS, 'of an account', `accountId=${user.accountIds[1]}`, account),
    ask(ORDERS, 'of a symbol', 'symbol=NVDA7', ['symbol = ?', 'NVDA7']),
    ask(ORDERS, 'working', 'status=OPEN', anyOf(['PENDING', 'OPEN', 'PARTIALLY_FILLED'])),
    ask(ORDERS, 'filled', 'status=FILLED', anyOf(['FILLED'])),
    ask(
      ORDERS,
      'rejected, of an account and symbol',
      `status=REJECTED&symbol=TSLA&accountId=${user.accountIds[1]}`,
      anyOf(['REJECTED']),
      ['symbol = ?', 'TSLA'],
      account,
    ),
    ask(ORDERS, 'of five days', period, ...inThoseDays(ORDERS)),
    await deep(client, user, ORDERS),
    ask(SIGNALS, 'first page', 'limit=50'),
    ask(SIGNALS, 'of an account', `accountId=${user.accountIds[1]}`, account),
    ask(SIGNALS, 'of a symbol', 'symbol=NVDA7', ['symbol = ?', 'NVDA7']),
    ask(SIGNALS, 'of a strategy', `strategyId=${user.strategyId}`, ['strategy_id = ?', user.strategyId]),
    ask(SIGNALS, 'of a source', 'sourceId=alert-1000', ['source_id = ?', 'alert-1000']),
    ask(SIGNALS, 'waiting', 'status=pending,scheduled', anyOf(['pending', 'scheduled'])),
    ask(SIGNALS, 'executed', 'status=executed', anyOf(['executed'])),
    ask(
      SIGNALS,
      'refused, of an account',
      `status=rejected,error&accountId=${user.accountIds[1]}`,
      account,
      anyOf(['rejected', 'error']),
    ),
    ask(SIGNALS, 'for approval', 'executeMode=pending', ['execute_mode = ?', 'pending']),
    ask(SIGNALS, 'of five days', period, ...inThoseDays(SIGNALS)),
    await deep(client, user, SIGNALS),
    ask(TRADES, 'first page', 'limit=50'),
    ask(TRADES, 'of an account', `accountId=${user.accountIds[1]}`, account),
    ask(TRADES, 'of a symbol', 'symbol=NVDA', ['symbol = ?', 'NVDA']),
    ask(TRADES, 'open', 'status=OPEN', ['status = ?', 'OPEN']),
    await deep(client, user, TRADES),
    {
      name: 'alerts: open',
      path: '/alerts',
      ...newest('alerts', 'raised_at', user.userId, [['resolved_at is null and true = ?', true]]),
    },
    {
      name: 'alerts: all',
      path: '/alerts?state=all',
      ...newest('alerts', 'raised_at', user.userId, []),
    },
    {
      name: 'positions',
      path: `/positions?accountId=${user.accountIds[1]}`,
      sql: 'select * from positions where user_id = $1 and account_id = $2 order by symbol, id',
      parameters: [user.userId, user.accountIds[1]],
    },
  ]
}

/** A page in the middle of all rows, by its cursor. */
async function deep(client: pg.Client, { userId }: BusyUser, kind: Kind): Promise<Question> {
  const { list, table, instant, order, filter } = kind
  const { rows } = await client.query<{ at: string; micros: string; id: string; before: string }>(
    `with numbered as (select ${instant} as at, id, row_number() over (order by ${instant} desc, id desc) as n
       from ${table} where user_id = $1)
     select at::text, (extract(epoch from at) * 1000000)::bigint::text as micros, id, n::text as before from numbered
     where n = (select max(n) / 2 from numbered)`,
    [userId],
  )
  const { at, micros, id, before } = rows[0]!
  const place = { key: [micros, id], offset: Number(before), total: MAX_COUNTED, totalIsExact: false }
  const cursor = presentCursor(place, bindingOf(`/api/v1${list}`, order, filter))
  return {
    name: `${list.slice(1)}: deep page by cursor`,
    path: `${list}?cursor=${cursor}`,
    sql: `select * from ${table} where user_id = $1 and (${instant}, id) < ($2::timestamptz, $3::uuid)
      order by ${instant} desc, id desc limit 51`,
    parameters: [userId, at, id],
  }
}
