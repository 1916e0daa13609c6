import type { EntityManager } from '../engine/database.ts'
import type { StoredInstant } from '../engine/instants.ts'
import { ask, type Query } from '../engine/query.ts'

/** Locks an account and symbol until the transaction ends. Parameters: account id, symbol. */
export const LOCK_ACCOUNT_SYMBOL = `select pg_advisory_xact_lock(hashtextextended(?::text || ' ' || ?::text, 0))`

/**
 * Locks the account and symbol: waits until no other transaction stores a signal of them, and lets others wait for this
 * one. Taken before any signal is locked, so that transactions which lock a signal and store another cannot deadlock.
 */
export const lockAccountSymbol = (em: EntityManager, accountId: string, symbol: string): Promise<void> =>
  ask(em, symbolLockQuery(accountId, symbol))

/**
 * Gives a signal that a person approves its turn among those of its account and symbol, and locks them until the transaction ends;
 * a repetition finds the turn that it has. Null when there is no such signal.
 */
export async function takeTurn(em: EntityManager, signalId: string): Promise<StoredInstant | null> {
  const [row] = await em.execute<{ at: StoredInstant }[]>(
    `with turn as materialized (
       select decided_by, turn_at, pg_advisory_xact_lock(hashtextextended(account_id::text || ' ' || symbol, 0))
       from signals where id = ?)
     select case when decided_by is null then clock_timestamp() else turn_at end as at from turn`,
    [signalId],
  )
  return row?.at ?? null
}

/** The query of {@link lockAccountSymbol}. */
export const symbolLockQuery = (accountId: string, symbol: string): Query<void> => ({
  sql: LOCK_ACCOUNT_SYMBOL,
  parameters: [accountId, symbol],
  read: () => undefined,
})
