import type { Broker, BrokerPosition } from '#brokers/port.ts'
import { saveAccountSnapshot } from '#db/accounts/sync.ts'
import { resolveManuallyClosed } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { readInstant } from '#db/engine/instants.ts'

/**
 * Copies an account's balances and positions from its broker into the ledger; answers the positions, and of which instant all is.
 *
 * @param quietMs milliseconds for which a position has to be gone before the alert about its shares ends
 */
export async function syncAccount(
  em: EntityManager,
  broker: Broker,
  account: { accountId: string; userId: string },
  quietMs?: number,
): Promise<{ syncedAt: Date; positions: BrokerPosition[] }> {
  const askedAt = await readInstant(em.fork())
  const [balances, positions] = await Promise.all([broker.getAccount(), broker.listPositions()])
  const syncedAt = await saveAccountSnapshot(em.fork(), account, { ...balances, positions }, askedAt)
  await resolveManuallyClosed(em, account.accountId, quietMs)
  return { syncedAt, positions }
}
