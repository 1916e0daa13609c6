import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { POSITION_LOOK_EVERY_MS } from '#domain/broker-lags.ts'
import { isStillThere } from '#domain/closing.ts'
import { isPositive } from '#domain/decimal.ts'
import { parseClientOrderId, type OrderRequest } from '#domain/order.ts'
import { differenceInWords, unseenShares } from '#domain/shown-position.ts'
import { outcomeUnknown } from '../failures.ts'

/**
 * Whether the broker's position and the ledger's owners still have the shares that a closing order takes. Throws
 * as the broker does, and a retryable failure while executions are not shown for an order that cannot be sized
 * again.
 */
export async function isStillCovered(
  { em, brokerFor }: { em: EntityManager; brokerFor(accountId: string): Promise<Broker> },
  accountId: string,
  request: OrderRequest,
): Promise<boolean> {
  const broker = await brokerFor(accountId)
  const position = await broker.getPosition(request.symbol)
  const book = await readSymbolBook(em, accountId, request.symbol)
  const isExit = parseClientOrderId(request.clientOrderId)?.role === 'exit'
  if (!isExit && isPositive(unseenShares(book, position)))
    throw outcomeUnknown(differenceInWords(book, position, request.symbol), POSITION_LOOK_EVERY_MS)
  return isStillThere(book, position, request)
}
