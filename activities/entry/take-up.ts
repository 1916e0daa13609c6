import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { correctDecision, decideSentOnce } from '#db/orders/decisions.ts'
import { showDecided } from '#db/orders/by-hand.ts'
import { tellOfChanges, tellOfConflict } from '#db/orders/changed-orders.ts'
import { recordLeg } from '#db/signals/continuation.ts'
import { closedFor } from '#db/signals/owners.ts'
import { lockAccountSymbol } from '#db/orders/symbol-lock.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { entryAsSent, isEntryOf, sentBefore, type SentEntry } from '#domain/entry-order.ts'
import { isByHand } from '#domain/by-hand.ts'
import { changedAdvisory, changesOf, conflictNotice } from '#domain/order-changes.ts'
import { entryIdFor, isReducing, parseClientOrderId, type OrderShape } from '#domain/order.ts'
import { theirsOf } from '#domain/closing-owners.ts'
import type { Closer, OwnedShares } from '#domain/ownership.ts'
import { ACTION_OF_SIDE, ENTRY_SIDE, type SignalTerms } from '#domain/signal.ts'
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
  sentByLedger(terms, await broker.findOrder(entryIdFor(terms.signalId)))

/** Returns the decision that counts: an earlier one stays. */
export function takeUpEntry(em: EntityManager, terms: SignalTerms, sent: SentEntry): Promise<PreparedEntry> {
  const { accountId, signalId, symbol, target } = terms
  const leg = target && legAsSent(target, sent)
  const byHand = isByHand(terms) ? { action: ACTION_OF_SIDE[sent.side] } : {}
  const { action } = { ...terms, ...leg, ...byHand }
  const order = { clientOrderId: entryIdFor(signalId), side: ENTRY_SIDE[action] }
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, accountId, symbol)
    const takes = await sharesTaken(
      inner,
      { ...order, ...terms, quantity: sent.quantity },
      isByHand(terms) ? 'person' : 'signal',
    )
    const recorded = leg && (await recordLeg(inner, signalId, leg))
    const decision = {
      ...entryAsSent({ ...terms, ...leg }, sent),
      ...takes,
      ...(recorded && { leg: recorded }),
      ...byHand,
    }
    const kept = await decideSentOnce<PreparedEntry>(inner, signalId, decision, sent)
    if (kept.outcome === 'ready' && kept.action)
      await showDecided(inner, signalId, { action: kept.action, quantity: kept.quantity })
    return kept
  })
}

/** As if it were decided before all others: shares that it has closed by now are included. */
async function sharesTaken(
  em: EntityManager,
  order: SignalTerms & Pick<OrderShape, 'side' | 'quantity'> & { clientOrderId: string },
  closer: Closer,
): Promise<{ takes?: OwnedShares[] }> {
  const { clientOrderId, accountId, symbol, side, quantity } = order
  if (!isReducing(side)) return {}
  const { shares, live } = await readSymbolBook(em, accountId, symbol, { without: clientOrderId })
  if (shares.side !== (side === 'SELL' ? 'LONG' : 'SHORT')) return {}
  const owners = await closedFor(em, order, { shares, live })
  return { takes: theirsOf(owners, shares).without(claimsOf(live)).allot(quantity, closer) }
}

/** Found otherwise than sent it corrects the decision and notifies the owner; not after a rollback of the ledger. */
export async function acceptSent(
  em: EntityManager,
  { accountId, request }: Pick<SubmitOrderInput, 'accountId' | 'request'>,
  result: SubmitOrderResult,
): Promise<SubmitOrderResult> {
  const { clientOrderId } = request
  const identity = parseClientOrderId(clientOrderId)
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
    const { quantity, side } = report
    await correctDecision(em, identity.signalId, { quantity, limitPrice }, advisory)
    await showDecided(em, identity.signalId, { action: ACTION_OF_SIDE[side], quantity })
  }
  if (!wasSentBefore) await tellOfChanges(em, accountId, report, changes, advisory)
  return result
}
