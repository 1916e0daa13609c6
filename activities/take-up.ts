import { BrokerBusy, BrokerCredentialsError, BrokerOutcomeUnknown, type Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { correctDecision, decideSentOnce } from '#db/orders/decisions.ts'
import {
  correctManualOrder,
  decideManualOrderOnce,
  type SentManualOrder,
} from '#db/orders/manual-order-decisions.ts'
import { lockAccountSymbol } from '#db/orders/symbol-lock.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { compare } from '#domain/decimal.ts'
import { entryAsSent, isEntryOf, isSentAs, sentBefore, type SentEntry } from '#domain/entry-order.ts'
import {
  manualClientOrderId,
  manualOrderIdIn,
  type ManualOrderDecision,
  type ManualOrderTerms,
} from '#domain/manual-order.ts'
import { clientOrderIdFor, isReducing, parseClientOrderId, type OrderReport } from '#domain/order.ts'
import type { Closer, OwnedShares } from '#domain/ownership.ts'
import { ENTRY_SIDE, type SignalTerms } from '#domain/signal.ts'
import { claimsOf } from '#domain/symbol-book.ts'
import type { PreparedEntry, SubmitOrderInput, SubmitOrderResult } from './contract.ts'
import { busy, outcomeUnknown } from './failures.ts'

/**
 * An order that exists is the decision on it: where the order of an entry, or a manual order, is out and the ledger holds no
 * decision on it, as after it was restored to a time before, the decision is to send that very order. Nothing is judged or
 * sized anew, whatever forbids it since: a denial, or another size, would leave its shares without their exit.
 */

/** The order of the entry by the ledger; null where it has none, or another order under that id. */
export const sentByLedger = (terms: SignalTerms, sent: SentEntry | null): SentEntry | null =>
  sent !== null && isEntryOf(terms, sent) ? sent : null

/** The order of the entry by its broker, which may have it before the feed has taken it up; null where it has none. */
export const sentByBroker = async (broker: Broker, terms: SignalTerms): Promise<SentEntry | null> =>
  sentByLedger(terms, await broker.findOrder(clientOrderIdFor(terms.signalId, 'entry', 1)))

/** Keeps the decision that the order amounts to, unless another is kept already; returns the one that counts. */
export function takeUpEntry(em: EntityManager, terms: SignalTerms, sent: SentEntry): Promise<PreparedEntry> {
  const { accountId, signalId, symbol, action } = terms
  const order = { clientOrderId: clientOrderIdFor(signalId, 'entry', 1), side: ENTRY_SIDE[action] }
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, accountId, symbol)
    const takes = await sharesTaken(inner, { ...order, ...terms, quantity: sent.quantity }, 'signal')
    return decideSentOnce<PreparedEntry>(inner, signalId, { ...entryAsSent(terms, sent), ...takes }, sent)
  })
}

/** The manual order by its broker; null where it has none. */
export async function manualOrderByBroker(
  broker: Broker,
  terms: ManualOrderTerms,
): Promise<SentManualOrder | null> {
  const found = await broker.findOrder(manualClientOrderId(terms.orderId))
  return found !== null && isSentAs(terms, found) ? { side: found.side, quantity: found.quantity } : null
}

/** {@link takeUpEntry} of a manual order. */
export function takeUpManualOrder(
  em: EntityManager,
  terms: ManualOrderTerms,
  { side, quantity, sentAt }: SentManualOrder,
): Promise<ManualOrderDecision> {
  const { orderId, accountId, symbol, limitPrice } = terms
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, accountId, symbol)
    const order = { clientOrderId: manualClientOrderId(orderId), accountId, symbol, side, quantity }
    return decideManualOrderOnce(inner, orderId, {
      outcome: 'ready',
      side,
      quantity,
      ...(sentAt !== undefined && { sentAt }),
      advisories: compare(quantity, terms.quantity) === 0 ? [] : [sentBefore({ quantity, limitPrice })],
      ...(await sharesTaken(inner, order, 'person')),
    })
  })
}

/** Whose shares a closing order takes, those included that it has closed by now: as if it were decided before all others. */
async function sharesTaken(
  em: EntityManager,
  order: SentManualOrder & { clientOrderId: string; accountId: string; symbol: string },
  closer: Closer,
): Promise<{ takes?: OwnedShares[] }> {
  const { clientOrderId, accountId, symbol, side, quantity } = order
  if (!isReducing(side)) return {}
  const { shares, live } = await readSymbolBook(em, accountId, symbol, { without: clientOrderId })
  if (shares.side !== (side === 'SELL' ? 'LONG' : 'SHORT')) return {}
  return { takes: shares.without(claimsOf(live)).allot(quantity, closer) }
}

/**
 * What came of sending an order where the broker has another one under its id: an entry or a manual order that was sent before
 * in another size, or at another limit, is accepted as it is, though the ledger has not heard of it yet. Any other is a
 * conflict. Throws a retryable failure where the broker cannot be asked.
 */
export async function acceptSent(
  { em, brokerFor }: { em: EntityManager; brokerFor(accountId: string): Promise<Broker> },
  { accountId, request }: Pick<SubmitOrderInput, 'accountId' | 'request'>,
  result: SubmitOrderResult,
): Promise<SubmitOrderResult> {
  const { clientOrderId } = request
  const identity = parseClientOrderId(clientOrderId)
  const manualOrderId = manualOrderIdIn(clientOrderId)
  if (result.outcome !== 'conflict' || identity?.role === 'exit') return result
  const report = await findOrder(await brokerFor(accountId), clientOrderId)
  if (report === null || !isSentAs(request, report)) return result
  if (identity !== null) await correctDecision(em, identity.signalId, report, sentBefore(report))
  else if (manualOrderId !== null) await correctManualOrder(em, manualOrderId, report)
  return { outcome: 'accepted', report }
}

async function findOrder(broker: Broker, clientOrderId: string): Promise<OrderReport | null> {
  try {
    return await broker.findOrder(clientOrderId)
  } catch (error) {
    if (error instanceof BrokerBusy) throw busy(error)
    if (error instanceof BrokerOutcomeUnknown || error instanceof BrokerCredentialsError)
      throw outcomeUnknown(error.message)
    throw error
  }
}
