import type { EntityManager } from '../engine/database.ts'
import { WORKING } from '../engine/status-lists.ts'
import { queryRows } from '../engine/row-security.ts'
import type { FlattenScope } from './flattenings.ts'

export type OpenEntry =
  | {
      what: 'order'
      accountId: string
      signalId: string | null
      orderId: string
      clientOrderId: string
      symbol: string
    }
  | { what: 'signal'; accountId: string; signalId: string; symbol: string }

export interface EntryScope extends Pick<FlattenScope, 'scope' | 'scopeId' | 'symbols' | 'entriesOf'> {
  userId: string
  accountIds: readonly string[] | null
  withManual: boolean
  /** UTC: only earlier ones, and waiting signals as well; null: all working orders. */
  before: string | null
  /** Only with a running workflow, which can be messaged. */
  onlyStarted: boolean
}

const OF_SCOPE = { account: '', strategy: 'and s.strategy_id = ?::uuid', hook: 'and s.token_id = ?::uuid' }

/** Could still open a position; manual orders only once decided. */
export async function openEntries(em: EntityManager, scope: EntryScope): Promise<OpenEntry[]> {
  const { userId, accountIds, symbols, scopeId, entriesOf, withManual, before } = scope
  const place = (row: 'o' | 's') =>
    `${row}.user_id = ? ${accountIds === null ? '' : `and ${row}.account_id = any(?::uuid[])`}
     ${symbols === null ? '' : `and ${row}.symbol = any(?::text[])`}`
  const sender = (row: 'h' | 's') => (entriesOf === null ? '' : `and ${row}.token_id = ?::uuid`)
  const started = (row: 'h' | 's') => (scope.onlyStarted ? `and ${row}.workflow_started_at is not null` : '')
  const came = (at: string) => (before === null ? '' : `and ${at} <= ?::timestamptz`)
  const placed = [
    userId,
    ...(accountIds === null ? [] : [`{${accountIds.join(',')}}`]),
    ...(symbols === null ? [] : [`{${symbols.map((symbol) => `"${symbol}"`).join(',')}}`]),
    ...(before === null ? [] : [before]),
  ]
  const ofScope = scopeId === null ? [] : [scopeId]
  const bySender = entriesOf === null ? [] : [entriesOf]
  const parts = [
    {
      sql: `select 'order' as what, o.account_id as "accountId", o.signal_id as "signalId", o.id as "orderId", o.client_order_id as "clientOrderId", o.symbol
        from orders o join signals s on s.id = o.signal_id
        where ${place('o')} ${came('s.accepted_at')} and o.role = 'entry' and o.status in ${WORKING} and o.side in ('BUY', 'SELL_SHORT')
          ${OF_SCOPE[scope.scope]} ${sender('s')}`,
      parameters: [...placed, ...ofScope, ...bySender],
    },
    withManual && {
      sql: `select 'order', o.account_id, null::uuid, o.id, o.client_order_id, o.symbol
        from orders o join manual_orders h on h.order_id = o.id
        where ${place('o')} ${came('h.created_at')} and o.status in ${WORKING} and o.side in ('BUY', 'SELL_SHORT') and not h.reduces_only
          ${sender('h')} ${started('h')}`,
      parameters: [...placed, ...bySender],
    },
    before !== null && {
      sql: `select 'signal', s.account_id, s.id, null::uuid, null::text, s.symbol from signals s
        where ${place('s')} ${came('s.accepted_at')} and s.status in ('pending', 'scheduled', 'queued')
          and (s.action in ('openLong', 'openShort') or s.target is not null)
          ${OF_SCOPE[scope.scope]} ${sender('s')} ${started('s')}`,
      parameters: [...placed, ...ofScope, ...bySender],
    },
  ].filter((part) => part !== false)
  return (await queryRows(
    em,
    parts.map(({ sql }) => sql).join(' union all '),
    parts.flatMap(({ parameters }) => parameters),
  )) as OpenEntry[]
}
