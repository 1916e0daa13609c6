import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertOrderByHand } from '#db/order/by-hand.ts'
import type { RequestKey } from '#db/signal/requests.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order/order.ts'
import { placedEntry } from '#domain/signal/timeline.ts'
import { byHandTerms, type ByHandChanges } from './by-hand-terms.ts'
import { reportOf } from './sample-signal.ts'

/** Terms of an order of the account that is placed now, "buy 10 AAPL at market" unless told otherwise. */
export function termsOn(account: Account, changes: ByHandChanges = {}): ByHandTerms {
  const now = Date.now()
  return byHandTerms({
    userId: account.userId,
    accountId: account.id,
    acceptedAt: new Date(now).toISOString(),
    sendBefore: new Date(now + 60_000).toISOString(),
    ...changes,
  })
}

/** The first entry of an order's timeline. */
export const received = (terms: ByHandTerms, tokenId: string | null = null) =>
  placedEntry(terms.acceptedAt, 'ann@example.test', 'an order', { requestId: 'request', tokenId })

/** Stores an order by hand, as the API does; tells whether it was stored. */
export const store = (
  em: EntityManager,
  terms: ByHandTerms,
  request: RequestKey | null = null,
  tokenId: string | null = null,
): Promise<boolean> => {
  const order = { terms, received: received(terms, tokenId) }
  return insertOrderByHand(em, order, request)
}

/** An order by hand of the account on record, not sent yet. */
export async function placedByHand(
  em: EntityManager,
  account: Account,
  changes: ByHandChanges = {},
): Promise<ByHandTerms> {
  const terms = termsOn(account, changes)
  await store(em, terms)
  return terms
}

/** The id of the order at its broker. */
export const entryIdOf = ({ signalId }: Pick<ByHandTerms, 'signalId'>): string =>
  clientOrderIdFor(signalId, 'entry', 1)

/** What a broker reports of the order when it has just accepted it. */
export const acceptanceOf = (terms: ByHandTerms, changes: Partial<OrderReport> = {}): OrderReport => {
  const { symbol, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours } = terms
  const { side } = terms.ask
  const request = { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours }
  return reportOf({ clientOrderId: entryIdOf(terms), ...request }, '2026-03-02T15:00:00.000Z', changes)
}
