import { inTwoMessages } from '#db/engine/batched-transaction.ts'
import { decisionQuery } from '#db/orders/decisions.ts'
import { withdrawPass } from '#db/orders/giving-up.ts'
import { entryFactsQuery, readEntryFacts, type EntryFacts } from '#db/orders/entry-facts.ts'
import { lockAccountSymbol, symbolLockQuery } from '#db/orders/symbol-lock.ts'
import { registrationQuery } from '#db/orders/throttle.ts'
import { isByHand } from '#domain/by-hand.ts'
import {
  deniedIfHeld,
  type judgeEntry,
  marketNeeds,
  predecessors,
  type EntryContext,
  type EntryMarket,
  type MarketNeeds,
} from '#domain/entry-check.ts'
import { entryIdFor } from '#domain/order.ts'
import { isByRisk, type SignalTerms } from '#domain/signal.ts'
import { stepAside } from '#domain/step-aside.ts'
import { nameOfOrder } from '#domain/symbol-book.ts'
import type { PreparedEntry } from '../contract.ts'
import { outcomeUnknown } from '../failures.ts'
import { givingWayTo } from '../order/cancel-blocking.ts'
import { startStopwatch } from '../stopwatch.ts'
import {
  assertApprovedAt,
  type DecideEntryDependencies,
  type Found,
  type Keep,
  type Ready,
  type Sending,
} from './deciding.ts'

export interface Opening {
  terms: SignalTerms
  market: EntryMarket
  needs: MarketNeeds
  sequenced: Pick<Ready, 'sequencedAt' | 'sequencingUntil'>
  approvedAt: string | null
  liveTrading: boolean
}

/** By the ledger under the lock; null when something has come meanwhile that has to be looked at first. */
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
  // The plan may have been changed since its workflow asked: the size follows from the stop that counts.
  const { protection } = facts
  const present = isByRisk(terms.quantityType) && protection ? { ...terms, protection } : terms
  const { decision } = judge(present, { ...facts, liveTrading }, market)
  return isByHand(terms) ? deniedIfHeld(decision) : decision
}

/** A position limit counts decided orders, so the count is in the transaction, under the lock; so is the permit. */
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
      // The step that sends it would wait for a request that never left.
      await withdrawPass(em.fork(), order.clientOrderId, registration.passes)
      return { prepared }
    }
    return { prepared, letOut: { what: 'letOut', passes: registration, since, decidedAt: null } }
  })
}

/** For terms that were worked out: what is held is looked at again under the lock; the throttle is asked afterwards. */
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
 * Has our own exits cancelled that the broker would refuse the entry for; each is placed again once the entry has ended. False
 * without any, and where the entry is refused for another reason: nothing makes way for that. Throws a retryable failure until
 * they have ended.
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
  // A stop that was reached is selling: nothing comes between.
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
