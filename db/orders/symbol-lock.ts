import type { EntityManager } from '../engine/database.ts'

/** One after the other for each account and symbol, until the transaction ends. Parameters: account id, symbol. */
export const LOCK_ACCOUNT_SYMBOL = `select pg_advisory_xact_lock(hashtextextended(?::text || ' ' || ?::text, 0))`

/**
 * Waits until no other transaction is storing a signal of the account and symbol; others wait for this one from
 * here on. For transactions that lock a signal and store another: whoever stores holds its turn first, so that
 * nobody waits for each other.
 */
export async function lockAccountSymbol(em: EntityManager, accountId: string, symbol: string): Promise<void> {
  await em.execute(LOCK_ACCOUNT_SYMBOL, [accountId, symbol])
}
