import { instantAfter } from '#domain/time/instants.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { type EntryFacts, entryFactsQuery, readEntryFacts } from '#db/order/entry-facts.ts'
import { recordSequencingWait } from '#db/order/sequencing.ts'
import type { ClosingTime } from '#domain/exit/flat-by-close.ts'
import {
  predecessors,
  deniedIfHeld,
  type judgeEntry,
  marketNeeds,
  type EntryContext,
  type EntryMarket,
  type MarketNeeds,
} from '#domain/risk/entry-check.ts'
import { SEQUENCING_TIMEOUT } from '#domain/signal/sequence.ts'
import { isOpening, type SignalTerms, ACTION_OF_SIDE, ENTRY_SIDE, isByRisk } from '#domain/signal/signal.ts'
import type { PreparedEntry, SubmitOrderInput, SubmitOrderResult } from '../contract.ts'
import type { Broker } from '#brokers/port.ts'
import { correctDecision, decideSentOnce, decisionQuery } from '#db/order/decisions.ts'
import { showDecided } from '#db/order/by-hand.ts'
import { notifyOfChanges, notifyOfConflict } from '#db/order/changed-orders.ts'
import { recordLeg } from '#db/signal/reversal.ts'
import { closedFor } from '#db/position/owners.ts'
import { lockAccountSymbol, readSymbolState, symbolLockQuery } from '#db/position/symbol-state.ts'
import { entryAsSent, isEntryOf, sentBefore, type SentEntry } from '#domain/order/entry-order.ts'
import { isByHand } from '#domain/signal/by-hand.ts'
import { changedAdvisory, changesOf, conflictNotice } from '#domain/order/changes.ts'
import { entryIdFor, isReducing, parseClientOrderId, type OrderShape } from '#domain/order/order.ts'
import { theirsOf } from '#domain/position/closing-owners.ts'
import type { Closer, OwnedShares } from '#domain/position/ownership.ts'
import { legAsSent } from '#domain/signal/target.ts'
import { claimsOf, nameOfOrder } from '#domain/position/symbol-state.ts'
import { inTwoMessages } from '#db/engine/batched-transaction.ts'
import { withdrawPermit } from '#db/order/send-permits.ts'
import { registrationQuery } from '#db/order/throttle.ts'
import { stepAside } from '#domain/order/opposite-orders.ts'
import { outcomeUnknown, startStopwatch } from '../failures.ts'
import { givingWayTo } from '../order/cancel.ts'
import {
  assertApprovedAt,
  type DecideEntryDependencies,
  type Found,
  type Keep,
  type Ready,
  type Sending,
} from './deciding.ts'

export type Turn = Extract<PreparedEntry, { outcome: 'not_yet' }>

/** Queue position behind earlier signals; null without a wait, or after its end. */
export function turnOf(terms: SignalTerms, facts: EntryFacts): Turn | null {
  const { asOf, sequencingUntil } = facts
  const behind = predecessors(terms, facts)
  if (behind.length === 0 || (sequencingUntil !== null && asOf >= sequencingUntil)) return null
  return { outcome: 'not_yet', behind, until: sequencingUntil ?? sequencingDeadline(terms, asOf) }
}

/** Null when facts changed meanwhile. */
export async function waitForTurn(
  { em }: { em: EntityManager },
  { signalId }: SignalTerms,
  { earlier }: EntryFacts,
  turn: Turn,
): Promise<Turn | null> {
  const newestStatus = earlier.find(({ id }) => id === turn.behind.at(-1))!.status
  const wait = await recordSequencingWait(em, signalId, { ...turn, newestStatus })
  return wait.hasChanged ? null : { ...turn, until: wait.until }
}

function sequencingDeadline({ action, validUntil }: SignalTerms, asOf: string): string {
  const until = new Date(
    Date.parse(asOf) + SEQUENCING_TIMEOUT[isOpening(action) ? 'opening' : 'closing'],
  ).toISOString()
  if (validUntil === null) return until
  return isOpening(action) || validUntil < until ? validUntil : until
}

export function isInTime(
  { validUntil, sendBefore }: SignalTerms,
  { asOf, sequencingUntil }: EntryFacts,
): boolean {
  if (validUntil !== null || sendBefore === null) return validUntil === null || asOf < validUntil
  return asOf < sendBefore || (sequencingUntil !== null && asOf < sequencingUntil)
}

/** A close that waited for earlier signals counts from the latest end of that wait. */
export function timeOf(
  { acceptedAt, scheduledAt, dueAt, sendBefore, validUntil }: SignalTerms,
  { sequencingUntil }: Pick<EntryFacts, 'sequencingUntil'>,
): ClosingTime {
  if (validUntil !== null || sendBefore === null)
    return { sendBefore: sendBefore ?? validUntil, worthFor: null }
  const worthFor = Date.parse(sendBefore) - Date.parse(scheduledAt ?? dueAt ?? acceptedAt)
  const inTurn = sequencingUntil === null ? sendBefore : instantAfter(sequencingUntil, worthFor)
  return { sendBefore: inTurn > sendBefore ? inTurn : sendBefore, worthFor }
}

// An existing order is its decision, where the ledger lacks one as after a restoration. A denial or another size would
// leave its shares without exit.

export const sentByLedger = (terms: SignalTerms, sent: SentEntry | null): SentEntry | null =>
  sent !== null && isEntryOf(terms, sent) ? sent : null

export const sentByBroker = async (broker: Broker, terms: SignalTerms): Promise<SentEntry | null> =>
  sentByLedger(terms, await broker.findOrder(entryIdFor(terms.signalId)))

/** Adopts a sent entry as its decision, unless an earlier decision exists. */
export function adoptEntry(em: EntityManager, terms: SignalTerms, sent: SentEntry): Promise<PreparedEntry> {
  const { accountId, signalId, symbol, target } = terms
  const leg = target && legAsSent(target, sent)
  const byHand = isByHand(terms) ? { action: ACTION_OF_SIDE[sent.side] } : {}
  const { action } = { ...terms, ...leg, ...byHand }
  const order = { clientOrderId: entryIdFor(signalId), side: ENTRY_SIDE[action] }
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, accountId, symbol)
    const reservedLots = await sharesTaken(
      inner,
      { ...order, ...terms, quantity: sent.quantity },
      isByHand(terms) ? 'person' : 'signal',
    )
    const recorded = leg && (await recordLeg(inner, signalId, leg))
    const decision = {
      ...entryAsSent({ ...terms, ...leg }, sent),
      ...reservedLots,
      ...(recorded && { leg: recorded }),
      ...byHand,
    }
    const kept = await decideSentOnce<PreparedEntry>(inner, signalId, decision, sent)
    if (kept.outcome === 'ready' && kept.action)
      await showDecided(inner, signalId, { action: kept.action, quantity: kept.quantity })
    return kept
  })
}

/** Shares that the order has closed by now are included. */
async function sharesTaken(
  em: EntityManager,
  order: SignalTerms & Pick<OrderShape, 'side' | 'quantity'> & { clientOrderId: string },
  closer: Closer,
): Promise<{ reservedLots?: OwnedShares[] }> {
  const { clientOrderId, accountId, symbol, side, quantity } = order
  if (!isReducing(side)) return {}
  const { shares, live } = await readSymbolState(em, accountId, symbol, { without: clientOrderId })
  if (shares.side !== (side === 'SELL' ? 'LONG' : 'SHORT')) return {}
  const owners = await closedFor(em, order, { shares, live })
  return { reservedLots: theirsOf(owners, shares).without(claimsOf(live)).allot(quantity, closer) }
}

/** Corrects the decision by the broker's order, and notifies the owner except after a rollback of the ledger. */
export async function acceptSent(
  em: EntityManager,
  { accountId, request }: Pick<SubmitOrderInput, 'accountId' | 'request'>,
  result: SubmitOrderResult,
): Promise<SubmitOrderResult> {
  const { clientOrderId } = request
  const identity = parseClientOrderId(clientOrderId)
  if (result.outcome === 'conflict')
    await notifyOfConflict(em, accountId, clientOrderId, conflictNotice(clientOrderId, result.detail))
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
  if (!wasSentBefore) await notifyOfChanges(em, accountId, report, changes, advisory)
  return result
}

export interface Opening {
  terms: SignalTerms
  market: EntryMarket
  needs: MarketNeeds
  sequenced: Pick<Ready, 'sequencedAt' | 'sequencingUntil'>
  approvedAt: string | null
  liveTrading: boolean
}

/** Null when facts changed meanwhile. */
function judgeInTurn(
  judge: typeof judgeEntry,
  { terms, market, needs, approvedAt, liveTrading }: Opening,
  facts: EntryFacts | null,
) {
  assertApprovedAt(facts, terms.signalId, approvedAt)
  if (facts.end !== null || predecessors(terms, facts).length > 0) return null
  if (isByHand(terms) && facts.action !== terms.action) return null
  const needed = Object.entries(marketNeeds(terms, facts)) as [keyof MarketNeeds, boolean][]
  if (needed.some(([need, isNeeded]) => isNeeded && !needs[need])) return null
  // The levels may have changed since the workflow asked.
  const { protection } = facts
  const present = isByRisk(terms.quantityType) && protection ? { ...terms, protection } : terms
  const { decision } = judge(present, { ...facts, liveTrading }, market)
  return isByHand(terms) ? deniedIfHeld(decision) : decision
}

/** Position limits count decided orders, so decision and permit are in one transaction under the lock. */
export async function decideWithThrottle(
  { em, now, judge }: DecideEntryDependencies,
  opening: Opening,
  sending: Sending | null,
): Promise<Found | null> {
  const { accountId, signalId, symbol } = opening.terms
  const asked = [symbolLockQuery(accountId, symbol), entryFactsQuery(signalId)] as const
  return inTwoMessages(em, asked, async ([, facts], transaction) => {
    const decision = judgeInTurn(judge, opening, facts)
    if (decision === null) return null
    if (decision.outcome !== 'ready') return { refused: decision }
    const keeping = decisionQuery<PreparedEntry>(signalId, 'entry', { ...decision, ...opening.sequenced })
    if (sending === null || now() > sending.until) return { prepared: (await transaction.commit(keeping))[0] }
    const order = {
      accountId,
      clientOrderId: entryIdFor(signalId),
      quantity: decision.quantity,
      reducing: false,
    }
    const since = startStopwatch(now)
    const [prepared, registration] = await transaction.commit(keeping, registrationQuery(order, sending.caps))
    if (registration.verdict !== 'allowed') return { prepared }
    if (now() > sending.until) {
      // The next attempt would wait for a request that never left.
      await withdrawPermit(em.fork(), order.clientOrderId, registration.permits)
      return { prepared }
    }
    return { prepared, permitted: { what: 'permitted', permits: registration, since, decidedAt: null } }
  })
}

/** Reads the holdings again under the lock; the send gate is asked afterwards. */
export const decideInTurn = (
  { em, judge }: DecideEntryDependencies,
  opening: Opening,
  keep: Keep,
): Promise<Found | null> =>
  em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, opening.terms.accountId, opening.terms.symbol)
    const decision = judgeInTurn(judge, opening, await readEntryFacts(inner, opening.terms.signalId))
    if (decision === null) return null
    return decision.outcome === 'ready' ? keep(decision, inner) : { refused: decision }
  })

/**
 * Cancels our own exits for which the broker would reject the entry; each is placed again after the entry's end. False
 * where the entry is denied anyway. Throws a retryable failure until they have ended.
 */
export async function callExitsBack(
  { em, judge, cancelBlockingOrders }: DecideEntryDependencies,
  terms: SignalTerms,
  context: EntryContext,
  market: EntryMarket,
): Promise<boolean> {
  const found = stepAside(terms, context.working, market.marketPhase)
  if (found.what !== 'cancel' || judge(terms, context, market).decision.outcome !== 'ready') return false
  const { accountId, signalId, symbol } = terms
  // A reached stop is selling.
  const selling = context.working.find(
    ({ clientOrderId, orderType, isFilling }) =>
      isFilling &&
      orderType !== 'limit' &&
      found.orders.some((order) => order.clientOrderId === clientOrderId),
  )
  if (selling) throw outcomeUnknown(`${nameOfOrder(selling)} is being filled`)
  const entry = entryIdFor(signalId)
  await givingWayTo(em, { accountId, symbol }, entry)
  await cancelBlockingOrders(accountId, entry, found.orders)
  return true
}
