import { foreignHolders } from '#brokers/foreign-holders.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { decideUnderLock } from '#db/orders/symbol-book.ts'
import { lookAtClosing, type Closing, type ClosingDecision, type ClosingLook } from '#domain/closing.ts'
import { ENTRY_SIDE } from '#domain/signal.ts'
import type { LiveOrder } from '#domain/symbol-book.ts'
import { outcomeUnknown } from './failures.ts'

/** How many times blocking orders are cancelled within one attempt. */
const ROUNDS = 4

export interface DecideClosingDependencies {
  em: EntityManager
  /** Cancels our orders that block this one; throws a retryable failure until they have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
}

/** An order that closes a position, and where it belongs. */
export interface PlacedClosing extends Closing {
  accountId: string
  clientOrderId: string
}

/**
 * Decides on an order that closes a position, one after the other for each account and symbol, so that two at once are
 * not for the same shares; see `domain/closing.ts`. Our orders that block it are cancelled first.
 *
 * Throws a retryable failure while the broker does not show a recent fill, and while a blocking order has not ended.
 *
 * @param keep stores the decision; returns the stored one
 */
export async function decideClosing<D>(
  { em, cancelBlockingOrders }: DecideClosingDependencies,
  broker: Broker,
  closing: PlacedClosing,
  keep: (inner: EntityManager, decision: ClosingDecision) => Promise<D>,
): Promise<D> {
  const { accountId, clientOrderId, terms } = closing
  let { asOf } = closing
  let holders: string | null = null
  for (let round = 1; ; round += 1) {
    const position = await broker.getPosition(terms.symbol)
    const { look, readAt } = await decideUnderLock<{
      look: { kept: D } | Exclude<ClosingLook, { decided: unknown }>
      readAt: string
    }>(em, accountId, terms.symbol, async (book, inner) => {
      const found = lookAtClosing({ ...closing, asOf }, { holders, position, book })
      const taken = 'decided' in found ? { kept: await keep(inner, found.decided) } : found
      return { look: taken, readAt: book.asOf }
    })
    if ('kept' in look) return look.kept
    if ('waits' in look) throw outcomeUnknown(look.waits)
    if (round === ROUNDS) throw outcomeUnknown('blocking orders have ended, and new ones have come')
    if ('asks' in look) holders = await foreignHolders(broker, terms.symbol, ENTRY_SIDE[terms.action])
    else await cancelBlockingOrders(accountId, clientOrderId, look.blockingOrders)
    asOf = readAt
  }
}
