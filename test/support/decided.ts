import type { EntityManager } from '#db/engine/database.ts'
import { decideManualOrderOnce } from '#db/orders/manual-order-decisions.ts'
import { decideOnce, decisionKey } from '#db/orders/decisions.ts'
import { manualOrderIdIn } from '#domain/manual-order.ts'
import { parseClientOrderId, type OrderRequest } from '#domain/order.ts'

/** Keeps the decision to send an order, as its check does, so that the gate lets it out; unless one is kept already. */
export async function decided(
  em: EntityManager,
  { clientOrderId, quantity, side }: Pick<OrderRequest, 'clientOrderId' | 'quantity' | 'side'>,
): Promise<void> {
  const identity = parseClientOrderId(clientOrderId)
  const ready = { outcome: 'ready' as const, quantity, advisories: [] }
  if (identity === null)
    await decideManualOrderOnce(em.fork(), manualOrderIdIn(clientOrderId)!, { ...ready, side })
  else
    await decideOnce(
      em.fork(),
      identity.signalId,
      decisionKey(identity),
      identity.role === 'entry'
        ? ready
        : { quantity, coversQuantity: quantity, notBefore: null, sizedAt: new Date().toISOString() },
    )
}
