import type { EntityManager } from '#db/engine/database.ts'
import { showDecided } from '#db/order/by-hand.ts'
import { decideOnce, decisionKey } from '#db/order/decisions.ts'
import { parseClientOrderId, type OrderRequest } from '#domain/order/order.ts'
import { ACTION_OF_SIDE } from '#domain/signal/signal.ts'

/** Keeps the decision to send an order, as its check does, so that the gate lets it out; unless one is kept already. */
export async function decided(
  em: EntityManager,
  { clientOrderId, quantity, side }: Pick<OrderRequest, 'clientOrderId' | 'quantity' | 'side'>,
): Promise<void> {
  const identity = parseClientOrderId(clientOrderId)!
  const { signalId, role } = identity
  await decideOnce(
    em.fork(),
    signalId,
    decisionKey(identity),
    role === 'entry'
      ? { outcome: 'ready', quantity, advisories: [] }
      : { quantity, coversQuantity: quantity, notBefore: null, sizedAt: new Date().toISOString() },
  )
  if (role === 'entry') await showDecided(em.fork(), signalId, { action: ACTION_OF_SIDE[side], quantity })
}
