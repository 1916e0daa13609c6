import type { Ask } from '#domain/signal/origin.ts'
import { mayOpen, type EntryState, type MayOpen } from '#domain/risk/may-open.ts'
import { entryIdFor } from '#domain/order/order.ts'
import { asArray, UNDER_WAY, UNPLACED, WORKING } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { IS_DECIDED } from '../order/decisions.ts'
import { IS_CROSSING } from '../order/sequencing.ts'
import type { FlattenScope } from './flattenings.ts'
import { CAME_BY, OF_SCOPE } from './owners.ts'

export interface OpenEntry {
  accountId: string
  symbol: string
  signalId: string
  orderId: string | null
  clientOrderId: string
  ask: Ask | null
  how: MayOpen
  /** False: no workflow has written yet; the ledger withdraws it. */
  isStarted: boolean
}

export interface EntryScope extends Pick<FlattenScope, 'scope' | 'scopeId' | 'symbols' | 'entriesOf'> {
  userId: string
  accountIds: readonly string[] | null
  withManual: boolean
  /** UTC instant: only entries accepted by then. null: all but undecided ones. */
  before: string | null
}

type SignalRow = EntryState & Omit<OpenEntry, 'how' | 'clientOrderId'>

/** Oldest first. A continuation counts from its first signal's acceptance. */
export async function openEntries(em: EntityManager, scope: EntryScope): Promise<OpenEntry[]> {
  const { scopeId, before, userId, withManual } = scope
  const place = placeOf(scope)
  const rows = await queryRows<SignalRow>(
    em,
    `with found as (
       select id from signals where user_id = ? and status in ${UNPLACED}
       union select id from signals where user_id = ? and status in ${UNDER_WAY} and ${IS_CROSSING}
       union select signal_id from orders where user_id = ? and role <> 'exit' and status in ${WORKING})
     select s.account_id as "accountId", s.symbol, s.id as "signalId", o.id as "orderId", s.status, s.action, s.target, s.ask,
       coalesce(${IS_DECIDED}, false) as "isDecided", o.broker_order_id is not null as works, s.closings > 0 as "hasEnded",
       s.workflow_started_at is not null as "isStarted"
     from found join signals s using (id)
     left join orders o on o.signal_id = s.id and o.role <> 'exit' and o.status in ${WORKING}
     where ${OF_SCOPE[scope.scope]} ${place.sql} ${withManual ? '' : 'and s.ask is null'}
       ${before === null ? '' : `and ${CAME_BY}`}
     order by s.accepted_at, s.id`,
    [userId, userId, userId, scopeId, ...place.parameters, ...(before === null ? [] : [before])],
  )
  return rows.flatMap((row) => {
    const { accountId, symbol, signalId, orderId, ask, isStarted } = row
    const how = mayOpen(row)
    if (how === null || (how === 'undecided' && before === null)) return []
    const clientOrderId = entryIdFor(signalId)
    return [{ accountId, symbol, signalId, orderId, clientOrderId, ask, how, isStarted }]
  })
}

function placeOf({ accountIds, symbols, entriesOf }: EntryScope): { sql: string; parameters: unknown[] } {
  const conditions = [
    accountIds && { sql: `and s.account_id = any(?::uuid[])`, value: asArray(accountIds) },
    symbols && {
      sql: `and s.symbol = any(?::text[])`,
      value: asArray(symbols.map((symbol) => `"${symbol}"`)),
    },
    entriesOf !== null && { sql: `and s.token_id = ?::uuid`, value: entriesOf },
  ].filter((condition) => condition !== null && condition !== false)
  return {
    sql: conditions.map(({ sql }) => sql).join(' '),
    parameters: conditions.map(({ value }) => value),
  }
}
