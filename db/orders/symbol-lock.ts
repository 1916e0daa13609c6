import type { EntityManager } from '../engine/database.ts'
import type { StoredInstant } from '../engine/instants.ts'
import { ask, type Query } from '../engine/query.ts'

/** Until the transaction ends. Parameters: account id, symbol. */
export const LOCK_ACCOUNT_SYMBOL = `select pg_advisory_xact_lock(hashtextextended(?::text || ' ' || ?::text, 0))`

/** Taken before any signal is locked, so that no two transactions of storing and locking deadlock. */
export const lockAccountSymbol = (em: EntityManager, accountId: string, symbol: string): Promise<void> =>
  ask(em, symbolLockQuery(accountId, symbol))

/** As {@link lockAccountSymbol}. */
export const lockSymbolOf = (em: EntityManager, signalId: string): Promise<unknown> =>
  em.execute(`select ${LOCK_OF_SIGNAL} from signals where id = ?`, [signalId])

const LOCK_OF_SIGNAL = `pg_advisory_xact_lock(hashtextextended(account_id::text || ' ' || symbol, 0))`

/** Locks account and symbol of a signal that is being approved; a repetition finds the same turn. */
export async function takeTurn(em: EntityManager, signalId: string): Promise<StoredInstant | null> {
  const [row] = await em.execute<{ at: StoredInstant }[]>(
    `with turn as materialized (
       select decided_by, turn_at, ${LOCK_OF_SIGNAL}
       from signals where id = ?)
     select case when decided_by is null then clock_timestamp() else turn_at end as at from turn`,
    [signalId],
  )
  return row?.at ?? null
}

export const symbolLockQuery = (accountId: string, symbol: string): Query<void> => ({
  sql: LOCK_ACCOUNT_SYMBOL,
  parameters: [accountId, symbol],
  read: () => undefined,
})
