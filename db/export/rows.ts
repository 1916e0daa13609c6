import { LISTED_ORIGINS } from '#domain/signal/by-hand.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { OWNING_SIGNAL } from '../position/execution-attribution.ts'

/** One query of an export; more rows would hold up the event loop for longer. */
const EXPORT_PAGE_ROWS = 500

interface Source {
  /** Name and SQL; the exported row is `x`, its account `a`. */
  columns: Readonly<Record<string, string>>
  table: string
  joins?: string
  /** Of the table alone. */
  where?: string
  /**
   * Columns of `x` with their types, unique together, never null or changed; an index has them in this order. The first
   * is an instant.
   */
  key: readonly string[]
}

const named = (alias: string, names: string): Record<string, string> =>
  Object.fromEntries(
    names.split(' ').map((name) => [name, `${alias}.${name.replaceAll(/[A-Z]/g, '_$&').toLowerCase()}`]),
  )

const iso = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const instants = (alias: string, names: string): Record<string, string> =>
  Object.fromEntries(Object.entries(named(alias, names)).map(([name, column]) => [name, iso(column)]))

const OF_ACCOUNT = { accountId: 'x.account_id', accountName: 'a.name' }
const OF_SENDER = { strategyId: 'g.id', strategyName: 'g.name', hookName: 'h.name' }

/** Aliases of the row with the strategy, and of the signal. */
const senderOf = (holder: string, signal: string): string =>
  `left join strategies g on g.id = ${holder}.strategy_id left join hooks h on h.id = ${signal}.token_id`

const SOURCES = {
  signals: {
    columns: {
      ...OF_ACCOUNT,
      ...OF_SENDER,
      ...named(
        'x',
        'id sentBy sourceId symbol action quantity quantityType executeMode orderType limitPrice',
      ),
      ...named('x', 'stopPrice timeInForce extendedHours status statusReason statusDetail orderId'),
      ...named('x', 'filledQuantity avgFillPrice exitStatus'),
      createdAt: iso('x.accepted_at'),
      clientOrderId: 'o.client_order_id',
      ...instants('x', 'scheduledAt updatedAt'),
      ...instants('o', 'sentAt filledAt'),
      realisedPnl: `(select sum(t.realised_pnl) from trades t where t.signal_id = x.id and t.status = 'CLOSED')`,
    },
    table: 'signals',
    joins: `left join orders o on o.id = x.order_id ${senderOf('x', 'x')}`,
    where: `origin in (${LISTED_ORIGINS.map((origin) => `'${origin}'`).join(', ')})`,
    key: ['accepted_at timestamptz', 'id uuid'],
  },
  orders: {
    columns: {
      ...OF_ACCOUNT,
      ...OF_SENDER,
      ...named(
        'x',
        'id role clientOrderId brokerOrderId symbol side orderType quantity limitPrice stopPrice',
      ),
      ...named('x', 'stopLimitPrice extendedHours status reason filledQuantity avgFillPrice'),
      ...instants('x', 'createdAt sentAt acknowledgedAt filledAt updatedAt'),
      signalId: OWNING_SIGNAL.replaceAll('o.', 'x.'),
      timeInForce: 'upper(x.time_in_force)',
      fees: '(select coalesce(sum(f.fees), 0) from fills f where f.order_id = x.id)',
    },
    table: 'orders',
    joins: `left join signals s on s.id = x.signal_id ${senderOf('s', 's')}`,
    key: ['created_at timestamptz', 'id uuid'],
  },
  fills: {
    columns: {
      ...OF_ACCOUNT,
      ...OF_SENDER,
      ...named('x', 'executionId orderId brokerOrderId symbol side quantity price fees'),
      ...instants('x', 'at'),
      signalId: OWNING_SIGNAL,
      clientOrderId: 'o.client_order_id',
    },
    table: 'fills',
    joins: `left join orders o on o.id = x.order_id left join signals s on s.id = o.signal_id ${senderOf('s', 's')}`,
    key: ['at timestamptz', 'account_id uuid', 'execution_id text'],
  },
  trades: {
    columns: {
      ...OF_ACCOUNT,
      ...OF_SENDER,
      ...named('x', 'id signalId symbol side status quantity entryPrice exitPrice realisedPnl'),
      ...named('x', 'realisedPnlPercent fees'),
      ...instants('x', 'entryAt exitAt'),
      entryOrderIds: `array_to_string(x.entry_order_ids, ' ')`,
      exitOrderIds: `array_to_string(x.exit_order_ids, ' ')`,
    },
    table: 'trades',
    joins: `left join signals s on s.id = x.signal_id ${senderOf('x', 's')}`,
    key: ['entry_at timestamptz', 'id uuid'],
  },
  balances: {
    columns: {
      ...OF_ACCOUNT,
      ...named('x', 'equity cashBalance'),
      date: 'x.date::text',
      at: iso('x.taken_at'),
      currency: 'a.currency',
    },
    table: 'balance_snapshots',
    key: ['taken_at timestamptz', 'account_id uuid', 'date date'],
  },
} satisfies Record<string, Source>

interface ExportFilter {
  userId: string
  accountId?: string | undefined
  /** Instants of the first column of the key: from `from`, before `to`. */
  from?: string | undefined
  to?: string | undefined
}

export type ExportRow = Readonly<Record<string, unknown>>

/** The earliest first, each row once; a page is a transaction of its own. The first page may be empty. */
export async function* readExport(
  em: EntityManager,
  records: keyof typeof SOURCES,
  { userId, accountId, from, to }: ExportFilter,
): AsyncGenerator<ExportRow[]> {
  const { columns, table, joins = '', where = 'true', key }: Source = SOURCES[records]
  const names = key.map((column) => column.split(' ')[0]!)
  const conditions = [
    ['user_id = ?', userId],
    ['account_id = ?', accountId],
    [`${names[0]} >= ?`, from],
    [`${names[0]} < ?`, to],
  ].filter(([, value]) => value !== undefined)
  const selected = Object.entries(columns).map(([name, sql]) => `${sql} as "${name}"`)
  const filter = [where, ...conditions.map(([sql]) => sql)].join(' and ')
  const behind = `(${names.join(', ')}) > (${key.map((column) => `?::${column.split(' ')[1]}`).join(', ')})`
  let after: readonly string[] = []
  do {
    const rows = await queryRows<ExportRow & { last: readonly string[] }>(
      em,
      `select ${selected.join(', ')}, array[${names.map((name) => `x.${name}::text`).join(', ')}] as last
       from (select * from ${table} where ${filter} ${after.length > 0 ? `and ${behind}` : ''}
         order by ${names.join(', ')} limit ${EXPORT_PAGE_ROWS}) x
       join accounts a on a.id = x.account_id ${joins}
       order by ${names.map((name) => `x.${name}`).join(', ')}`,
      [...conditions.map(([, value]) => value), ...after],
    )
    yield rows
    after = rows.length < EXPORT_PAGE_ROWS ? [] : rows.at(-1)!.last
  } while (after.length > 0)
}
