import type { Owners } from '#domain/signal/manages.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { SymbolState } from '#domain/position/symbol-state.ts'
import { asArray } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'

const managerOf = (signal: string): string =>
  `coalesce(${signal}.strategy_id, case when ${signal}.origin = 'hook' then ${signal}.token_id end)`

/** SQL condition on signals of one account. */
export const haveOneManager = (one: string, other: string): string =>
  `${managerOf(one)} is not distinct from ${managerOf(other)}`

/** SQL: open shares of a strategy, or of a hook without one. */
export const sharesOfManagerSql = (userId: string, manager: string): string => `
  (select coalesce(json_agg(json_build_object('accountId', account_id, 'symbol', symbol, 'side', side,
     'quantity', trim_scale(quantity)::text) order by symbol, account_id), '[]')
   from (select t.account_id, t.symbol, t.side, sum(t.quantity) as quantity
     from trades t join signals s on s.id = t.signal_id
     where t.user_id = ${userId} and t.status = 'OPEN' and ${managerOf('s')} = ${manager}
     group by t.account_id, t.symbol, t.side) o)`

/** Signals that own, trade or queue for the symbol, if this one manages their shares; null: all. */
export async function ownersFor(
  em: EntityManager,
  { signalId, manages }: Pick<SignalTerms, 'signalId' | 'manages'>,
  { shares, live }: Pick<SymbolState, 'shares' | 'live'>,
  inTurn: readonly { id: string }[] = [],
): Promise<Owners> {
  if (manages !== 'own') return null
  const owners = [...shares.lots.map(({ owner }) => owner), ...live.map((order) => order.signalId)]
  const known = [...new Set([...owners, ...inTurn.map(({ id }) => id)])].filter((id) => id !== null)
  if (known.length === 0) return new Set()
  const rows = await queryRows<{ id: string }>(
    em,
    `select o.id from signals o join signals s on s.id = ?
     where o.id = any(?::uuid[]) and o.ask is null and o.origin <> 'adopted' and ${haveOneManager('o', 's')}`,
    [signalId, asArray(known)],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Owners whose shares a close sells; undefined: all. */
export async function closedFor(
  em: EntityManager,
  terms: Pick<SignalTerms, 'signalId' | 'manages' | 'ask'>,
  symbolState: Pick<SymbolState, 'shares' | 'live'>,
): Promise<readonly string[] | undefined> {
  if (terms.ask?.owners) return terms.ask.owners
  const owners = await ownersFor(em, terms, symbolState)
  return owners === null ? undefined : [...owners]
}
