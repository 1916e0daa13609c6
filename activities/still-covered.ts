import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { isStillThere } from '#domain/closing.ts'
import type { OrderRequest } from '#domain/order.ts'

/**
 * Whether the shares are still there that a closing order was decided to take: the broker is asked for the position, and
 * the ledger for its owners. Throws as the broker does.
 */
export async function isStillCovered(
  { em, brokerFor }: { em: EntityManager; brokerFor(accountId: string): Promise<Broker> },
  accountId: string,
  request: OrderRequest,
): Promise<boolean> {
  const broker = await brokerFor(accountId)
  const position = await broker.getPosition(request.symbol)
  return isStillThere(await readSymbolBook(em, accountId, request.symbol), position, request)
}
