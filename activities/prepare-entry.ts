import { BrokerCredentialsError, type Broker } from '#brokers/port.ts'
import { readEntryMarket } from '#brokers/entry-market.ts'
import { noteEquityReading } from '#db/accounts/equity.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { readEntryFacts, type EntryFacts } from '#db/orders/entry-facts.ts'
import { assertNotStopped, decideOnce } from '#db/orders/decisions.ts'
import { lockAccountSymbol } from '#db/orders/symbol-lock.ts'
import type { OrderCosts } from '#domain/buying-power.ts'
import type { ShownPosition } from '#domain/closing.ts'
import type { ClosingTime } from '#domain/closing-time.ts'
import type { Decimal } from '#domain/decimal.ts'
import {
  checkEligibility,
  deniedIfHeld,
  denialOf,
  judgeEntry,
  marketNeeds,
  predecessors,
  type EntryContext,
  type EntryDecision,
  type EntryMarket,
  type HeldEntry,
  type MarketNeeds,
} from '#domain/entry-check.ts'
import { haltDenial } from '#domain/halt.ts'
import { recordHeld } from '#db/signals/decision-ledger.ts'
import { countWaiting } from '#db/signals/signals.ts'
import { recordSequencingWait } from '#db/orders/sequencing.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import { limitsPosition } from '#domain/risk-limits.ts'
import { SEQUENCING_TIMEOUT } from '#domain/sequence.ts'
import { isOpening, type SignalTerms } from '#domain/signal.ts'
import type { LiveOrder } from '#domain/symbol-book.ts'
import type { Advisory, PreparedEntry } from './contract.ts'
import { decideClosing } from './decide-closing.ts'
import { doubted, DOUBT_ENDS_BEFORE, halted } from './failures.ts'
import { sentByBroker, sentByLedger, takeUpEntry } from './take-up.ts'
import type { LastLimits } from './last-limits.ts'
import { resolveTarget, type ResolvedTarget } from './resolve-target.ts'
import { priceQuestion } from './price-question.ts'
import type { SessionCalendar } from './session-calendar.ts'

export interface PrepareEntryDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  /** The operator lets real money be traded. */
  liveTrading: boolean
  /** Signals of one account that may wait for a person or for their time. */
  maxWaiting: number
  /** The account's keys were refused; read them anew next time. */
  keysRejected(accountId: string): void
  calendar: SessionCalendar
  /** IANA zone of the clock times of the account's broker. */
  zoneOf(accountId: string): Promise<string>
  orderCostsOf(accountId: string): Promise<OrderCosts>
  /** Cancels our orders that block this one; throws a retryable failure until they have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  /** From which the next entry of an account knows beforehand what to ask its broker. */
  limits: LastLimits
  /** Milliseconds since the epoch. */
  now(): number
}

/**
 * Decides, right before an entry is sent, whether it may be sent and how large it is; of one that was sent before, its order is
 * the decision. The first decision is stored and returned again: when a task is retried, the order of the first attempt may have
 * changed the position, the equity or the price that the size came from. A signal that has to wait for earlier ones gets a
 * deadline; one that a person has to approve by a rule of its owner becomes pending, and is decided on anew after that. Tells
 * the end of one that the ledger holds for over, with no order at its broker.
 *
 * A closing signal is not decided while everything is stopped: throws a retryable failure of type `Halted` then, as long as it is in
 * time. Throws SignalAlreadyStopped when it is stopped meanwhile, also for an attempt that was given up but still runs.
 */
export async function prepareEntry(
  deps: PrepareEntryDependencies,
  terms: SignalTerms,
): Promise<PreparedEntry> {
  const facts = await readEntryFacts(deps.em, terms.signalId)
  if (!facts) throw new Error(`there is no signal ${terms.signalId}`)
  // Before the decision that is kept: an entry that its broker rejected was decided to be sent, and is not to be sent again.
  if (facts.end !== null) return { outcome: 'ended', ...facts.end }
  assertNotStopped(facts.entryDecision, terms.signalId)
  const kept = facts.entryDecision as PreparedEntry | null
  const sent = sentByLedger(terms, facts.sent)
  if (sent !== null && (kept === null || kept.outcome === 'held')) return takeUpEntry(deps.em, terms, sent)
  if (kept !== null) return kept
  const decision = await decide(deps, terms, facts)
  if ('kept' in decision) return decision.kept
  const newestStatus = facts.earlier.find(({ id }) => id === decision.behind.at(-1))!.status
  const wait = await recordSequencingWait(deps.em, terms.signalId, { ...decision, newestStatus })
  return wait.hasChanged ? prepareEntry(deps, terms) : { ...decision, until: wait.until }
}

/** A stored decision, or none yet because of earlier signals. */
type Decided = { kept: PreparedEntry } | Extract<PreparedEntry, { outcome: 'not_yet' }>

async function decide(
  deps: PrepareEntryDependencies,
  terms: SignalTerms,
  facts: EntryFacts,
  resolved: ResolvedTarget | null = null,
): Promise<Decided> {
  const sequencedAt = facts.asOf
  const sequenced =
    facts.sequencingUntil === null
      ? {}
      : { sequencedAt, ...(isOpening(terms.action) && { sequencingUntil: facts.sequencingUntil }) }
  const keep = async (decision: PreparedEntry, em = deps.em): Promise<{ kept: PreparedEntry }> => {
    const { signalId, validUntil } = terms
    const { outcome } = decision
    if (outcome === 'held') {
      const at = new Date(deps.now()).toISOString()
      const { detail } = decision
      if ((await countWaiting(em, terms.accountId)) >= deps.maxWaiting)
        return keep(noRoomToWait(detail, deps.maxWaiting), em)
      return { kept: await recordHeld<PreparedEntry>(em, signalId, at, { detail, validUntil }) }
    }
    const whole =
      outcome === 'ready' ? { ...decision, ...sequenced, ...(await forTarget(decision, em)) } : decision
    return { kept: await decideOnce(em, signalId, 'entry', whole) }
  }
  const forTarget = async (ready: { advisories: Advisory[] }, em: EntityManager) => {
    const kept = await resolved?.keep(em)
    return kept && { leg: kept.leg, advisories: [...kept.advisories, ...ready.advisories] }
  }
  let market: EntryMarket | null = null
  // Its order may be at the broker, and the feed have not taken it up yet.
  const refuse = async (decision: Refusal): Promise<{ kept: PreparedEntry }> => {
    if (decision.outcome === 'denied' && decision.code === 'EQUITY_IMPLAUSIBLE') {
      // The next reading is compared with this one, also where no sync comes between.
      if (market !== null && terms.quantityType === 'percentEquity')
        await noteEquityReading(deps.em.fork(), terms.accountId, market.equity)
      const later = new Date(Date.parse(facts.asOf) + DOUBT_ENDS_BEFORE).toISOString()
      if (isInTime(terms, { ...facts, asOf: later })) throw doubted(decision.detail)
    }
    const sent = await sentByBroker(await deps.brokerFor(terms.accountId), terms)
    return sent === null ? keep(decision) : { kept: await takeUpEntry(deps.em, terms, sent) }
  }
  const settle = (found: Found) => ('refused' in found ? refuse(found.refused) : found)
  const context = { ...facts, liveTrading: deps.liveTrading }
  try {
    const { target } = terms
    if (target !== undefined && resolved === null && facts.accountIsActive) {
      const turn = turnOf(terms, facts)
      if (turn !== null) return turn
      const found = await resolveTarget(
        deps,
        await deps.brokerFor(terms.accountId),
        { ...terms, target },
        facts,
        (leg) =>
          (isOpening(leg.action) && facts.risk.halt !== null) ||
          denialOf(checkEligibility({ ...terms, ...leg }, context)) !== null,
      )
      return 'outcome' in found
        ? { kept: found }
        : await decide(deps, { ...terms, ...found.leg }, facts, found)
    }
    const denied = denialOf(checkEligibility(terms, context))
    // The keys of an account that is not active may be gone, so that its broker cannot be asked.
    if (denied) return await (denied.code === 'ACCOUNT_INACTIVE' ? keep : refuse)(denied)
    const { halt } = facts.risk
    // By the time that it is lifted, the position may be another one.
    if (!isOpening(terms.action) && halt?.level === 'fullStop') {
      const { code, detail } = haltDenial(halt)
      if (isInTime(terms, facts)) throw halted(detail)
      return await refuse({ outcome: 'denied', code, detail: `${detail}; it could not wait any longer` })
    }
    const turn = turnOf(terms, facts)
    if (turn !== null) return turn
    const behind = predecessors(terms, facts)
    // A close is sized to the held shares, so it does not wait for ever for a lost earlier signal.
    if (behind.length > 0 && isOpening(terms.action))
      return await refuse({
        outcome: 'denied',
        code: 'EARLIER_SIGNALS_UNFINISHED',
        detail: `Earlier signals had not ended by ${facts.sequencingUntil}: ${behind.join(', ')}`,
      })
    const broker = await deps.brokerFor(terms.accountId)
    market = await askBroker(deps, broker, terms, marketNeeds(terms, facts))
    const asked = market
    if (!isOpening(terms.action))
      return await settle(await decideOnClosing(deps, broker, terms, { context, market: asked, facts }, keep))
    deps.limits.note(terms.accountId, facts.limits)
    const judge = (read: EntryFacts) =>
      judgeEntry(terms, { ...read, liveTrading: deps.liveTrading }, asked).decision
    const decision = judge(facts)
    if (decision.outcome !== 'ready') return await refuse(decision)
    if (!limitsPosition(facts.limits) && resolved === null) return await keep(decision)
    return await settle(await decideWithinLimits(deps, terms, judge, keep))
  } catch (error) {
    if (!(error instanceof BrokerCredentialsError)) throw error
    // Asking again cannot help, and nothing has been sent.
    deps.keysRejected(terms.accountId)
    return keep({ outcome: 'denied', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message })
  }
}

/** The wait for earlier signals; null when it has not to wait, or has waited enough. */
function turnOf(
  terms: SignalTerms,
  facts: EntryFacts,
): Extract<PreparedEntry, { outcome: 'not_yet' }> | null {
  const { asOf, sequencingUntil } = facts
  const behind = predecessors(terms, facts)
  if (behind.length === 0 || (sequencingUntil !== null && asOf >= sequencingUntil)) return null
  return { outcome: 'not_yet', behind, until: sequencingUntil ?? sequencingDeadline(terms, asOf) }
}

/** A sender of immediate signals can leave no more of them behind than one of pending ones. */
const noRoomToWait = (why: string, most: number) => ({
  outcome: 'denied' as const,
  code: 'APPROVAL_REQUIRED' as const,
  detail: `${why}; ${most} signals of the account wait already, and no more may`,
})

/** Whether a signal may still be sent, also later than now. */
function isInTime({ validUntil, sendBefore }: SignalTerms, { asOf, sequencingUntil }: EntryFacts): boolean {
  if (validUntil !== null || sendBefore === null) return validUntil === null || asOf < validUntil
  return asOf < sendBefore || (sequencingUntil !== null && asOf < sequencingUntil)
}

/** Until when a signal waits for earlier ones at most. */
function sequencingDeadline({ action, validUntil }: SignalTerms, asOf: string): string {
  const until = new Date(
    Date.parse(asOf) + SEQUENCING_TIMEOUT[isOpening(action) ? 'opening' : 'closing'],
  ).toISOString()
  if (validUntil === null) return until
  return isOpening(action) || validUntil < until ? validUntil : until
}

type Keep = (decision: PreparedEntry, em?: EntityManager) => Promise<{ kept: PreparedEntry }>

/** The entry is not to be sent now. */
type Refusal = Extract<PreparedEntry, { outcome: 'denied' | 'held' }>

/** A decision that is kept; or a refusal, which claims nothing, and waits for the broker's word outside of the lock. */
type Found = { kept: PreparedEntry } | { refused: Refusal }

/** A close takes into account what other orders are about to close, and cancels orders that hold its shares. */
async function decideOnClosing(
  deps: PrepareEntryDependencies,
  broker: Broker,
  terms: SignalTerms,
  { context, market, facts }: { context: EntryContext; market: EntryMarket; facts: EntryFacts },
  keep: Keep,
): Promise<Found> {
  const closing = {
    accountId: terms.accountId,
    clientOrderId: clientOrderIdFor(terms.signalId, 'entry', 1),
    terms,
    closer: 'signal',
    asOf: facts.asOf,
    dueSince: facts.dueSince,
    ...timeOf(terms, facts),
    judge: (closableQuantity: Decimal, position: ShownPosition | null) =>
      deniedIfHeld(judgeEntry(terms, context, { ...market, closableQuantity, position }).decision),
  } as const
  return decideClosing<Found>(deps, broker, closing, async (inner, decision) =>
    decision.outcome === 'ready' ? keep(decision, inner) : { refused: decision },
  )
}

/** Until when a close may be sent. One that waited for its turn counts from the end of that wait at the latest. */
function timeOf(
  { acceptedAt, scheduledAt, dueAt, sendBefore, validUntil }: SignalTerms,
  { sequencingUntil }: Pick<EntryFacts, 'sequencingUntil'>,
): ClosingTime {
  if (validUntil !== null || sendBefore === null)
    return { sendBefore: sendBefore ?? validUntil, worthFor: null }
  const worthFor = Date.parse(sendBefore) - Date.parse(scheduledAt ?? dueAt ?? acceptedAt)
  const inTurn =
    sequencingUntil === null ? sendBefore : new Date(Date.parse(sequencingUntil) + worthFor).toISOString()
  return { sendBefore: inTurn > sendBefore ? inTurn : sendBefore, worthFor }
}

/**
 * A position limit counts decided orders, not only those that the broker has confirmed: the decision and its count are one
 * transaction, under the lock of the account and symbol.
 */
async function decideWithinLimits(
  { em }: PrepareEntryDependencies,
  terms: SignalTerms,
  judge: (facts: EntryFacts) => EntryDecision | HeldEntry,
  keep: Keep,
): Promise<Found> {
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, terms.accountId, terms.symbol)
    const facts = await readEntryFacts(inner, terms.signalId)
    if (!facts) throw new Error(`there is no signal ${terms.signalId}`)
    const decision = judge(facts)
    return decision.outcome === 'ready' ? keep(decision, inner) : { refused: decision }
  })
}

export type AskingDependencies = Pick<
  PrepareEntryDependencies,
  'calendar' | 'zoneOf' | 'orderCostsOf' | 'now'
>

/** What the broker says, as far as it is needed. Throws as the broker does. */
export async function askBroker(
  { calendar, zoneOf, orderCostsOf, now }: AskingDependencies,
  broker: Broker,
  { accountId, symbol }: Pick<SignalTerms, 'accountId' | 'symbol'>,
  needs: MarketNeeds,
): Promise<EntryMarket> {
  const at = now()
  return readEntryMarket(broker, { symbol }, needs, {
    sessions: () => calendar.sessionsFrom(accountId, new Date(at).toISOString()),
    zone: await zoneOf(accountId),
    orderCosts: await orderCostsOf(accountId),
    now: at,
    prices: priceQuestion({ calendar }, accountId, at),
  })
}
