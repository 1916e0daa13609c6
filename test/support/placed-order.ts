import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertHandOrders, type RequestKey } from '#db/orders/manual-orders.ts'
import { handClientOrderId, type HandOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport } from '#domain/order.ts'
import { placedEntry } from '#domain/timeline.ts'
import { handOrderTerms } from './sample-order.ts'
import { reportOf } from './sample-signal.ts'

/** Terms of an order of the account that is placed now, "buy 10 AAPL at market" unless told otherwise. */
export function termsOn(account: Account, changes: Partial<HandOrderTerms> = {}): HandOrderTerms {
  const now = Date.now()
  return handOrderTerms({
    userId: account.userId,
    accountId: account.id,
    acceptedAt: new Date(now).toISOString(),
    staleAfter: new Date(now + 60_000).toISOString(),
    ...changes,
  })
}

/** The first entry of an order's timeline. */
export const received = (terms: HandOrderTerms) =>
  placedEntry(terms.acceptedAt, 'ann@example.test', 'an order', { requestId: 'request', tokenId: null })

/** Stores an order placed by hand, as the API does; tells whether it was stored. */
export const store = (
  em: EntityManager,
  terms: HandOrderTerms,
  request: RequestKey | null = null,
): Promise<boolean> => insertHandOrders(em, terms.userId, [{ terms, received: received(terms) }], request)

/** An order of the account on record, placed by hand and not sent yet. */
export async function placedOrder(
  em: EntityManager,
  account: Account,
  changes: Partial<HandOrderTerms> = {},
): Promise<HandOrderTerms> {
  const terms = termsOn(account, changes)
  await store(em, terms)
  return terms
}

/** What a broker reports of the order when it has just accepted it. */
export const acceptanceOf = (terms: HandOrderTerms, changes: Partial<OrderReport> = {}): OrderReport => {
  const { orderId, symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours } =
    terms
  const request = { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours }
  return reportOf(
    { clientOrderId: handClientOrderId(orderId), ...request },
    '2026-03-02T15:00:00.000Z',
    changes,
  )
}
