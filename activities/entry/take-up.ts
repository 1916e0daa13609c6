import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { correctDecision, decideSentOnce } from '#db/orders/decisions.ts'
import {
  correctManualOrder,
  decideManualOrderOnce,
  type SentManualOrder,
} from '#db/orders/manual-order-decisions.ts'
import { tellOfChanges, tellOfConflict } from '#db/orders/changed-orders.ts'
import { recordLeg } from '#db/signals/continuation.ts'
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
import { changedAdvisory, changesOf, conflictNotice } from '#domain/order-changes.ts'
import { clientOrderIdFor, isReducing, parseClientOrderId } from '#domain/order.ts'
import type { Closer, OwnedShares } from '#domain/ownership.ts'
import { ENTRY_SIDE, type SignalTerms } from '#domain/signal.ts'
import { legAsSent } from '#domain/target.ts'
import { claimsOf } from '#domain/symbol-book.ts'
import type { PreparedEntry, SubmitOrderInput, SubmitOrderResult } from '../contract.ts'

/**
 * An existing order is its decision: where one is at the broker and the ledger has no decision, as after a
 * restoration, the decision is to send that very order. A denial, or another size, would leave its shares
 * without their exit.
 */

export const sentByLedger = (terms: SignalTerms, sent: SentEntry | null): SentEntry | null =>
  sent !== null && isEntryOf(terms, sent) ? sent : null

/** The broker may have it before the feed has adopted it. */
export const sentByBroker = async (broker: Broker, terms: SignalTerms): Promise<SentEntry | null> =>
  sentByLedger(terms, await broker.findOrder(clientOrderIdFor(terms.signalId, 'entry', 1)))

/** Returns the decision that counts: an earlier one stays. */
export function takeUpEntry(em: EntityManager, terms: SignalTerms, sent: SentEntry): Promise<PreparedEntry> {
  const { accountId, signalId, symbol, target } = terms
  const leg = target && legAsSent(target, sent)
  const { action } = { ...terms, ...leg }
  const order = { clientOrderId: clientOrderIdFor(signalId, 'entry', 1), side: ENTRY_SIDE[action] }
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, accountId, symbol)
    const takes = await sharesTaken(inner, { ...order, ...terms, quantity: sent.quantity }, 'signal')
    const recorded = leg && (await recordLeg(inner, signalId, leg))
    const decision = {
      ...entryAsSent({ ...terms, ...leg }, sent),
      ...takes,
      ...(recorded && { leg: recorded }),
    }
    return decideSentOnce<PreparedEntry>(inner, signalId, decision, sent)
  })
}

export async function manualOrderByBroker(
  broker: Broker,
  terms: ManualOrderTerms,
): Promise<SentManualOrder | null> {
  const found = await broker.findOrder(manualClientOrderId(terms.orderId))
  return found !== null && isSentAs(terms, found) ? { side: found.side, quantity: found.quantity } : null
}

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

/** As if it were decided before all others: shares that it has closed by now are included. */
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

/** Found otherwise than sent it corrects the decision and notifies the owner; not after a rollback of the ledger. */
export async function acceptSent(
  em: EntityManager,
  { accountId, request }: Pick<SubmitOrderInput, 'accountId' | 'request'>,
  result: SubmitOrderResult,
): Promise<SubmitOrderResult> {
  const { clientOrderId } = request
  const identity = parseClientOrderId(clientOrderId)
  const manualOrderId = manualOrderIdIn(clientOrderId)
  if (result.outcome === 'conflict')
    await tellOfConflict(em, accountId, clientOrderId, conflictNotice(clientOrderId, result.detail))
  if (result.outcome !== 'accepted') return result
  const { report, wasSentBefore = false } = result
  const changes = changesOf(request, report)
  if (changes.length === 0) return result
  const advisory = wasSentBefore ? sentBefore(report) : changedAdvisory(changes)
  if (identity?.role === 'entry') {
    const hasItsType = report.orderType === request.orderType
    const { limitPrice } = hasItsType ? report : request
    await correctDecision(em, identity.signalId, { quantity: report.quantity, limitPrice }, advisory)
  } else if (manualOrderId !== null) await correctManualOrder(em, manualOrderId, report)
  if (!wasSentBefore) await tellOfChanges(em, accountId, report, changes, advisory)
  return result
}
