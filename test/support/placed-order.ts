import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertManualOrders, type RequestKey } from '#db/orders/manual-orders.ts'
import { manualClientOrderId, type ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport } from '#domain/order.ts'
import { placedEntry } from '#domain/timeline.ts'
import { manualOrderTerms } from './sample-order.ts'
import { reportOf } from './sample-signal.ts'

/** Terms of an order of the account that is placed now, "buy 10 AAPL at market" unless told otherwise. */
export function termsOn(account: Account, changes: Partial<ManualOrderTerms> = {}): ManualOrderTerms {
  const now = Date.now()
  return manualOrderTerms({
    userId: account.userId,
    accountId: account.id,
    acceptedAt: new Date(now).toISOString(),
    sendBefore: new Date(now + 60_000).toISOString(),
    ...changes,
  })
}

/** The first entry of an order's timeline. */
export const received = (terms: ManualOrderTerms) =>
  placedEntry(terms.acceptedAt, 'ann@example.test', 'an order', { requestId: 'request', tokenId: null })

/** Stores a manual order, as the API does; tells whether it was stored. */
export const store = (
  em: EntityManager,
  terms: ManualOrderTerms,
  request: RequestKey | null = null,
): Promise<boolean> => insertManualOrders(em, terms.userId, [{ terms, received: received(terms) }], request)

/** A manual order of the account on record, not sent yet. */
export async function placedOrder(
  em: EntityManager,
  account: Account,
  changes: Partial<ManualOrderTerms> = {},
): Promise<ManualOrderTerms> {
  const terms = termsOn(account, changes)
  await store(em, terms)
  return terms
}

/** What a broker reports of the order when it has just accepted it. */
export const acceptanceOf = (terms: ManualOrderTerms, changes: Partial<OrderReport> = {}): OrderReport => {
  const { orderId, symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours } =
    terms
  const request = { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours }
  return reportOf(
    { clientOrderId: manualClientOrderId(orderId), ...request },
    '2026-03-02T15:00:00.000Z',
    changes,
  )
}
