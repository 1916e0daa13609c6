import { type Broker, BrokerCredentialsError } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { lastClosing, noteAction, showDecided } from '#db/order/by-hand.ts'
import { readEntryFacts, type EntryFacts } from '#db/order/entry-facts.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { readGivingWay } from '#db/exit/exits.ts'
import { awaitedPosition, repetitionDenial } from '#domain/signal/by-hand-guards.ts'
import { actionOfAsk, type ByHandTerms, isByHand } from '#domain/signal/by-hand.ts'
import { closeBefore } from '#domain/exit/flat-by-close.ts'
import {
  type EntryDecision,
  checkEligibility,
  deniedIfHeld,
  denialOf,
  marketNeeds,
  predecessors,
  type EntryContext,
  type EntryMarket,
} from '#domain/risk/entry-check.ts'
import { entryIdFor } from '#domain/order/order.ts'
import { isOpening, isByEquity, withLeg, type SignalTerms } from '#domain/signal/signal.ts'
import { outcomeUnknown, doubted, DOUBT_ENDS_BEFORE, halted } from '../failures.ts'
import {
  timeOf,
  callExitsBack,
  decideInTurn,
  decideWithThrottle,
  sentByBroker,
  sentByLedger,
  adoptEntry,
  isInTime,
  turnOf,
  waitForTurn,
  type Turn,
} from './opening.ts'
import { instantAfter } from '#domain/time/instants.ts'
import { noteEquityReading } from '#db/account/equity.ts'
import { assertNotStopped, decideOnce } from '#db/order/decisions.ts'
import { isBeyondCap } from '#db/order/throttle.ts'
import { recordRequiresApproval } from '#db/signal/decision-ledger.ts'
import { recordApprovalRefused } from '#db/signal/denied-approval.ts'
import { closedFor } from '#db/position/owners.ts'
import { countWaiting } from '#db/signal/signals.ts'
import { isDeniedAt } from '#domain/risk/permission-verdict.ts'
import { waitsOn } from '#domain/signal/approval.ts'
import type { ShownPosition } from '#domain/position/closing.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { haltDenial } from '#domain/risk/halt.ts'
import type { SymbolState } from '#domain/position/symbol-state.ts'
import type { Advisory, PreparedEntry } from '../contract.ts'
import { decideClosing } from './closing.ts'
import {
  assertApprovedAt,
  type DecidedEntry,
  type DecideEntryDependencies,
  type Found,
  type Keep,
  type Ready,
  type Refusal,
  type Sending,
} from './deciding.ts'
import { resolveTarget } from './target.ts'

/**
 * Resolves an order by hand to its action on the broker's position, or to a denial. Throws a retryable failure while
 * the broker does not show the held shares.
 */
async function resolveAsk(
  { em, broker }: { em: EntityManager; broker: Broker },
  terms: ByHandTerms,
  facts: EntryFacts,
): Promise<{ terms: ByHandTerms; facts: EntryFacts } | Extract<EntryDecision, { outcome: 'denied' }>> {
  const { accountId, signalId, symbol } = terms
  const givingWay = await readGivingWay(em, { accountId, symbol }, entryIdFor(signalId))
  const before = closeBefore(timeOf(terms, facts), givingWay)
  if (before !== null && facts.asOf > before)
    return { outcome: 'denied', code: 'STALE', detail: `It could not be sent before ${before}` }
  const position = await broker.getPosition(symbol)
  const resolved = { ...terms, action: actionOfAsk(terms.ask, position?.side ?? null) }
  if (isOpening(resolved.action)) {
    const symbolState = await readSymbolState(em, accountId, symbol)
    const awaited = awaitedPosition(symbolState, terms, position)
    if (awaited !== null) throw outcomeUnknown(awaited)
    const closedAt = position === null ? await lastClosing(em, resolved) : null
    const denied = repetitionDenial(symbolState, terms, resolved.action, closedAt)
    if (denied !== null) return denied
  }
  if (facts.action === resolved.action) return { terms: resolved, facts }
  await noteAction(em, resolved)
  const present = await readEntryFacts(em, signalId)
  if (present === null) throw new Error(`there is no signal ${signalId}`)
  return { terms: resolved, facts: present }
}

/**
 * Decides, right before an entry is sent, whether it may be and how large it is; an order sent before is its decision.
 * The first decision is stored and returned again: a first attempt's order may have changed position, equity or price.
 * A signal that requires approval is decided again after it, like an approved one that is denied for a reason that can
 * change. Closing signals wait out a full stop: a retryable failure `Halted`. Throws SignalAlreadyStopped when the
 * signal is stopped meanwhile.
 * @param sending null where the send gate is asked separately
 */
export async function decideEntry(
  deps: DecideEntryDependencies,
  terms: SignalTerms,
  sending: Sending | null,
): Promise<DecidedEntry> {
  const facts = await readEntryFacts(deps.em, terms.signalId)
  if (!facts) throw new Error(`there is no signal ${terms.signalId}`)
  // A rejected entry was decided to be sent, and must not be sent again.
  if (facts.end !== null) return { prepared: { outcome: 'ended', ...facts.end } }
  assertNotStopped(facts.entryDecision, terms.signalId)
  const kept = facts.entryDecision as PreparedEntry | null
  const sent = sentByLedger(terms, facts.sent)
  if (sent !== null && (kept === null || kept.outcome === 'held'))
    return { prepared: await adoptEntry(deps.em, terms, sent) }
  if (facts.approval !== null) assertApprovedAt(facts, terms.signalId, terms.dueAt ?? null)
  if (kept !== null) return { prepared: kept }
  try {
    return (await decide(deps, terms, facts, sending)) ?? (await decideEntry(deps, terms, sending))
  } catch (error) {
    // The send gate repeats this for the decided order, and stops later ones.
    if (sending !== null && isBeyondCap(error)) return decideEntry(deps, terms, null)
    throw error
  }
}

interface Resolved {
  approved: SignalTerms
  keep(em: EntityManager): Promise<Pick<Ready, 'leg' | 'action'> & { advisories?: Advisory[] }>
}

/** Null when facts changed meanwhile. */
async function decide(
  deps: DecideEntryDependencies,
  terms: SignalTerms,
  facts: EntryFacts,
  sending: Sending | null,
  resolved: Resolved | null = null,
): Promise<DecidedEntry | null> {
  const sequenced =
    facts.sequencingUntil === null
      ? {}
      : {
          sequencedAt: facts.asOf,
          ...(isOpening(terms.action) && { sequencingUntil: facts.sequencingUntil }),
        }
  const keep = async (decision: PreparedEntry, em = deps.em): Promise<DecidedEntry> => {
    const { signalId, validUntil } = terms
    const { outcome } = decision
    const { approval } = facts
    const at = new Date(deps.now()).toISOString()
    if (
      outcome === 'denied' &&
      approval !== null &&
      waitsOn(approval, resolved?.approved ?? terms, decision.code)
    ) {
      const { code, detail } = decision
      const refusal = { approval, code, detail, validUntil }
      return { prepared: await recordApprovalRefused<PreparedEntry>(em, signalId, at, refusal) }
    }
    if (outcome === 'held') {
      const { detail } = decision
      if ((await countWaiting(em, terms.accountId)) >= deps.maxWaiting)
        return keep(noRoomToWait(detail, deps.maxWaiting), em)
      return {
        prepared: await recordRequiresApproval<PreparedEntry>(em, signalId, at, { detail, validUntil }),
      }
    }
    const whole =
      outcome === 'ready' ? { ...decision, ...sequenced, ...(await worked(decision, em)) } : decision
    const prepared = await decideOnce<PreparedEntry>(em, signalId, 'entry', whole)
    if (prepared.outcome === 'ready' && prepared.action)
      await showDecided(em, signalId, { action: prepared.action, quantity: prepared.quantity })
    return { prepared }
  }
  const worked = async (ready: { advisories: Advisory[] }, em: EntityManager) => {
    const kept = await resolved?.keep(em)
    return kept && { ...kept, advisories: [...(kept.advisories ?? []), ...ready.advisories] }
  }
  const wait = async (turn: Turn): Promise<DecidedEntry | null> => {
    const prepared = await waitForTurn(deps, terms, facts, turn)
    return prepared && { prepared }
  }
  let market: EntryMarket | null = null
  // The broker may have its order, not yet adopted by the feed.
  const refuse = async (decision: Refusal): Promise<DecidedEntry> => {
    if (decision.outcome === 'denied' && decision.code === 'EQUITY_IMPLAUSIBLE') {
      // The next reading is compared with this one.
      if (market !== null && isByEquity(terms.quantityType))
        await noteEquityReading(deps.em.fork(), terms.accountId, market.equity)
      const later = instantAfter(facts.asOf, DOUBT_ENDS_BEFORE)
      if (isInTime(terms, { ...facts, asOf: later })) throw doubted(decision.detail)
    }
    const sent = await sentByBroker(await deps.brokerFor(terms.accountId), terms)
    return sent === null ? keep(decision) : { prepared: await adoptEntry(deps.em, terms, sent) }
  }
  const context = { ...facts, liveTrading: deps.liveTrading }
  const { hearsEveryRule = false } = deps
  try {
    const { target } = terms
    if (target !== undefined && resolved === null && facts.accountIsActive) {
      const turn = turnOf(terms, facts)
      if (turn !== null) return await wait(turn)
      const found = await resolveTarget(
        deps,
        await deps.brokerFor(terms.accountId),
        { ...terms, target },
        facts,
        (leg) =>
          (isOpening(leg.action) && facts.risk.halt !== null) ||
          isDeniedAt({ ...terms, ...leg }, context.accountPermissions) ||
          denialOf(checkEligibility({ ...terms, ...leg }, context)) !== null,
      )
      if (!('outcome' in found))
        return await decide(deps, withLeg(terms, found.leg), facts, sending, { ...found, approved: terms })
      return found.outcome === 'denied' ? await refuse(found) : { prepared: found }
    }
    if (isByHand(terms) && resolved === null && facts.accountIsActive) {
      const broker = await deps.brokerFor(terms.accountId)
      const found = await resolveAsk({ em: deps.em, broker }, terms, facts)
      if ('outcome' in found) return await refuse(found)
      const { action } = found.terms
      const keepAction = () => Promise.resolve({ action })
      return await decide(deps, found.terms, found.facts, sending, { approved: terms, keep: keepAction })
    }
    const denied = denialOf(checkEligibility(terms, context))
    // The keys of an inactive account may be gone.
    if (denied && !hearsEveryRule) return await (denied.code === 'ACCOUNT_INACTIVE' ? keep : refuse)(denied)
    const { halt } = facts.risk
    // The position may differ by the time the stop is lifted.
    const isStopped = halt?.level === 'fullStop' && !isByHand(terms) && !hearsEveryRule
    if (isStopped && !isOpening(terms.action)) {
      const { code, detail } = haltDenial(halt)
      if (isInTime(terms, facts)) throw halted(detail)
      return await refuse({ outcome: 'denied', code, detail: `${detail}; it could not wait any longer` })
    }
    const turn = turnOf(terms, facts)
    if (turn !== null) return await wait(turn)
    const behind = predecessors(terms, facts)
    // A close does not wait for ever for a lost earlier signal.
    if (behind.length > 0 && isOpening(terms.action))
      return await refuse({
        outcome: 'denied',
        code: 'EARLIER_SIGNALS_UNFINISHED',
        detail: `Earlier signals had not ended by ${facts.sequencingUntil}: ${behind.join(', ')}`,
      })
    const broker = await deps.brokerFor(terms.accountId)
    const needs = marketNeeds(terms, facts)
    market = await deps.askMarket(broker, terms, needs)
    const approvedAt = facts.approval?.at ?? null
    if (isOpening(terms.action) && (await callExitsBack(deps, terms, context, market))) return null
    const opening = { terms, market, needs, sequenced, approvedAt, liveTrading: deps.liveTrading }
    const found = !isOpening(terms.action)
      ? await decideOnClosing(deps, broker, terms, { context, market, facts }, keep)
      : resolved === null
        ? await decideWithThrottle(deps, opening, sending)
        : await decideInTurn(deps, opening, keep)
    return found !== null && 'refused' in found ? await refuse(found.refused) : found
  } catch (error) {
    if (!(error instanceof BrokerCredentialsError)) throw error
    deps.keysRejected(terms.accountId)
    return keep({ outcome: 'denied', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message })
  }
}

/** Immediate signals that wait count against the limit of pending ones. */
const noRoomToWait = (why: string, most: number) => ({
  outcome: 'denied' as const,
  code: 'APPROVAL_REQUIRED' as const,
  detail: `${why}; ${most} signals of the account wait already, and no more may`,
})

async function decideOnClosing(
  deps: DecideEntryDependencies,
  broker: Broker,
  terms: SignalTerms,
  { context, market, facts }: { context: EntryContext; market: EntryMarket; facts: EntryFacts },
  keep: Keep,
): Promise<Found> {
  const closing = {
    accountId: terms.accountId,
    clientOrderId: entryIdFor(terms.signalId),
    terms,
    closer: isByHand(terms) ? 'person' : 'signal',
    ownersIn: (inner: EntityManager, symbolState: SymbolState) => closedFor(inner, terms, symbolState),
    asOf: facts.asOf,
    dueSince: facts.dueSince,
    ...timeOf(terms, facts),
    judge: (closableQuantity: Decimal, position: ShownPosition | null) =>
      deniedIfHeld(deps.judge(terms, context, { ...market, closableQuantity, position }).decision),
  } as const
  return decideClosing<Found>(deps, broker, closing, async (inner, decision) => {
    const { approval } = facts
    if (decision.outcome === 'ready' && approval !== null)
      assertApprovedAt(await readEntryFacts(inner, terms.signalId), terms.signalId, approval.at)
    return decision.outcome === 'ready' ? keep(decision, inner) : { refused: decision }
  })
}
