import type { Broker } from '#brokers/port.ts'
import { saveAccountSnapshot } from '#db/accounts/sync.ts'
import { resolveManuallyClosed } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'

/** Copies an account's balances and positions from its broker into the ledger; answers when that was. */
export async function syncAccount(
  em: EntityManager,
  broker: Broker,
  account: { accountId: string; userId: string },
): Promise<Date> {
  const [balances, positions] = await Promise.all([broker.getAccount(), broker.listPositions()])
  const syncedAt = await saveAccountSnapshot(em.fork(), account, { ...balances, positions })
  await resolveManuallyClosed(em, account.accountId)
  return syncedAt
}
