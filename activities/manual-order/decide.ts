import { instantAfter } from '#domain/instants.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { BrokerCredentialsError } from '#brokers/port.ts'
import {
  decideManualOrderOnce,
  lastClosing,
  readManualOrderDecision,
  readManualOrderFacts,
} from '#db/orders/manual-order-decisions.ts'
import { lockAccountSymbol } from '#db/orders/symbol-lock.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { readGivingWay } from '#db/signals/cancelled-for.ts'
import type { ClosingDecision, ShownPosition } from '#domain/closing.ts'
import { closeBefore, type ClosingTime } from '#domain/closing-time.ts'
import type { Decimal } from '#domain/decimal.ts'
import {
  checkEligibility,
  deniedIfHeld,
  denialOf,
  judgeEntry,
  marketNeeds,
  type EntryDecision,
  type EntryMarket,
  type EntryContext,
  type EntryTerms,
} from '#domain/entry-check.ts'
import {
  actionOfManualOrder,
  entryTermsOf,
  manualClientOrderId,
  type ManualOrderDecision,
  type ManualOrderTerms,
} from '#domain/manual-order.ts'
import { awaitedPosition, repetitionDenial } from '#domain/manual-order-guards.ts'
import { limitsPosition } from '#domain/risk-limits.ts'
import { ENTRY_SIDE, isOpening } from '#domain/signal.ts'
import type { EndedBefore } from '../contract.ts'
import { decideClosing } from '../entry/closing.ts'
import { doubted, DOUBT_ENDS_BEFORE, outcomeUnknown } from '../failures.ts'
import { manualOrderByBroker, takeUpManualOrder } from '../entry/take-up.ts'
import { askMarket } from '../ask-market.ts'
import type { DecideEntryDependencies } from '../entry/decide.ts'

/**
 * Decides, right before a manual order is sent, whether it may be, whether it opens or closes, and how large it
 * is. An order that was sent before is its decision; the first answer is kept. Throws SignalAlreadyStopped once
 * somebody has cancelled the order.
 */
export async function prepareManualOrder(
  deps: DecideEntryDependencies,
  terms: ManualOrderTerms,
): Promise<ManualOrderDecision | EndedBefore> {
  const { em } = deps
  const { orderId } = terms
  const known = await readManualOrderDecision(em, orderId)
  if ('end' in known) return { outcome: 'ended', ...known.end }
  const { decision, sent, asOf, dueSince } = known
  if (decision !== null) return decision
  if (sent !== null) return takeUpManualOrder(em, terms, sent)
  const keep = (decided: ManualOrderDecision) => decideManualOrderOnce(em, orderId, decided)
  // The order may be at the broker, and not adopted by the feed yet.
  const refuse = async (denied: Refusal): Promise<ManualOrderDecision> => {
    const later = instantAfter(asOf, DOUBT_ENDS_BEFORE)
    if (denied.code === 'EQUITY_IMPLAUSIBLE' && later < terms.sendBefore) throw doubted(denied.detail)
    const found = await manualOrderByBroker(await deps.brokerFor(terms.accountId), terms)
    return found === null ? keep(denied) : takeUpManualOrder(em, terms, found)
  }
  const settle = (found: ManualOrderDecision) => (found.outcome === 'denied' ? refuse(found) : found)
  try {
    const { accountId, symbol } = terms
    const givingWay = await readGivingWay(em, { accountId, symbol }, manualClientOrderId(orderId))
    const before = closeBefore(timeOf(terms), givingWay)
    if (before !== null && asOf > before)
      return await refuse({
        outcome: 'denied',
        code: 'STALE',
        detail: `It could not be sent before ${before}`,
      })
    const broker = await deps.brokerFor(terms.accountId)
    const position = await broker.getPosition(terms.symbol)
    const action = actionOfManualOrder(terms, position?.side ?? null)
    if (isOpening(action)) {
      const book = await readSymbolBook(em, terms.accountId, terms.symbol)
      const awaited = awaitedPosition(book, terms, position)
      if (awaited !== null) throw outcomeUnknown(awaited)
      // An addition to a shown position is no reversal.
      const closedAt = position === null ? await lastClosing(em, terms, action) : null
      const denied = repetitionDenial(book, terms, action, closedAt)
      if (denied !== null) return await refuse(denied)
    }
    const entry = entryTermsOf(terms, action)
    const ledgerFacts = await readManualOrderFacts(em, terms, action)
    const context = { ...ledgerFacts, liveTrading: deps.liveTrading }
    const denied = denialOf(checkEligibility(entry, context))
    // The keys of an inactive account may be gone, so that its broker cannot be asked.
    if (denied) return await (denied.code === 'ACCOUNT_INACTIVE' ? keep : refuse)(denied)
    const market = await askMarket(deps, broker, entry, marketNeeds(entry, context))
    if (isOpening(action)) return await settle(await decideOnOpening(deps, terms, entry, context, market))
    const closing = {
      accountId: terms.accountId,
      clientOrderId: manualClientOrderId(orderId),
      terms: entry,
      closer: 'person',
      ...(terms.owners && { owners: terms.owners }),
      asOf,
      dueSince,
      ...timeOf(terms),
      judge: (closableQuantity: Decimal, position: ShownPosition | null) =>
        deniedIfHeld(judgeEntry(entry, context, { ...market, closableQuantity, position }).decision),
    } as const
    return await settle(
      await decideClosing<ManualOrderDecision>(deps, broker, closing, async (inner, decision) =>
        keepReady(inner, orderId, asManualOrderDecision(entry, decision)),
      ),
    )
  } catch (error) {
    if (!(error instanceof BrokerCredentialsError)) throw error
    // Asking again cannot help, and nothing has been sent.
    deps.keysRejected(terms.accountId)
    return keep({ outcome: 'denied', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message })
  }
}

type Refusal = Extract<ManualOrderDecision, { outcome: 'denied' }>

const timeOf = ({ acceptedAt, sendBefore }: ManualOrderTerms): ClosingTime => ({
  sendBefore,
  worthFor: Date.parse(sendBefore) - Date.parse(acceptedAt),
})

/** Under the lock of the decision; a denial claims nothing and is not kept. */
const keepReady = async (
  em: EntityManager,
  orderId: string,
  decision: ManualOrderDecision,
): Promise<ManualOrderDecision> =>
  decision.outcome === 'ready' ? decideManualOrderOnce(em, orderId, decision) : decision

/** A position limit counts decided orders: the decision and its count are one transaction. */
async function decideOnOpening(
  { em, liveTrading }: DecideEntryDependencies,
  terms: ManualOrderTerms,
  entry: EntryTerms,
  context: EntryContext,
  market: EntryMarket,
): Promise<ManualOrderDecision> {
  const { orderId, accountId, symbol } = terms
  const judge = (by: EntryContext) =>
    asManualOrderDecision(entry, deniedIfHeld(judgeEntry(entry, by, market).decision))
  if (!limitsPosition(context.limits)) return keepReady(em, orderId, judge(context))
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, accountId, symbol)
    const ledgerFacts = await readManualOrderFacts(inner, terms, entry.action)
    return keepReady(inner, orderId, judge({ ...ledgerFacts, liveTrading }))
  })
}

function asManualOrderDecision(
  entry: EntryTerms,
  decision: EntryDecision | ClosingDecision,
): ManualOrderDecision {
  return decision.outcome === 'denied' ? decision : { ...decision, side: ENTRY_SIDE[entry.action] }
}
