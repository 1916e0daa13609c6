import type { EntityManager } from '../engine/database.ts'
import { ask, type Query } from '../engine/query.ts'

/** Locks an account and symbol until the transaction ends. Parameters: account id, symbol. */
export const LOCK_ACCOUNT_SYMBOL = `select pg_advisory_xact_lock(hashtextextended(?::text || ' ' || ?::text, 0))`

/**
 * Locks the account and symbol: waits until no other transaction stores a signal of them, and lets others wait for this
 * one. Taken before any signal is locked, so that transactions which lock a signal and store another cannot deadlock.
 */
export const lockAccountSymbol = (em: EntityManager, accountId: string, symbol: string): Promise<void> =>
  ask(em, symbolLockQuery(accountId, symbol))

/** The query of {@link lockAccountSymbol}. */
export const symbolLockQuery = (accountId: string, symbol: string): Query<void> => ({
  sql: LOCK_ACCOUNT_SYMBOL,
  parameters: [accountId, symbol],
  read: () => undefined,
})
