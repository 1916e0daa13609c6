import { BrokerPricesUnavailable, type Broker, type BrokerPosition, type Quote } from '#brokers/port.ts'
import { noteLastCloses, symbolsWithoutClose } from '#db/position/last-closes.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { resolveManuallyClosed } from '#db/alert/alerts.ts'
import type { AccountPermissions } from '#domain/risk/permissions.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { readInstant } from '#db/engine/query.ts'

/** `quietMs`: milliseconds until the alert about a closed position ends. */
export async function syncAccount(
  em: EntityManager,
  broker: Broker,
  account: { accountId: string; userId: string },
  quietMs?: number,
): Promise<{ syncedAt: Date; positions: BrokerPosition[]; permissions: AccountPermissions }> {
  const askedAt = await readInstant(em.fork())
  const [balances, positions] = await Promise.all([broker.getAccount(), broker.listPositions()])
  const syncedAt = await saveAccountSnapshot(em.fork(), account, { ...balances, positions }, askedAt)
  await resolveManuallyClosed(em, account.accountId, quietMs)
  return { syncedAt, positions, permissions: balances.permissions }
}

export async function askLastCloses(em: EntityManager, broker: Broker, accountId: string): Promise<void> {
  const symbols = await symbolsWithoutClose(em, accountId)
  if (symbols.length === 0) return
  const quotes = await broker
    .getQuotes(symbols)
    .catch((error: unknown): Quote[] | null => (error instanceof BrokerPricesUnavailable ? [] : null))
  if (quotes === null) return
  const closes = new Map(quotes.map(({ symbol, previousClose }) => [symbol, previousClose]))
  const noted = symbols.map((symbol) => [symbol, closes.get(symbol) ?? null] as const)
  await noteLastCloses(em, accountId, Object.fromEntries(noted))
}
