import { readEntryMarket } from '#brokers/entry-market.ts'
import { foreignHolders } from '#brokers/foreign-holders.ts'
import { readSessions } from '#brokers/sessions.ts'
import type { Broker } from '#brokers/port.ts'
import { describeBrokerType } from '#brokers/registry.ts'
import { readHoldingsMark } from '#db/accounts/holdings-mark.ts'
import { findAccountConnection } from '#db/accounts/sync.ts'
import type { Database } from '#db/engine/database.ts'
import { actAs } from '#db/engine/row-security.ts'
import type { Signal } from '#db/entities/index.ts'
import { readEntryFacts, readProspectiveFacts } from '#db/orders/entry-facts.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { newerTarget } from '#db/signals/newer-target.ts'
import { countWaiting } from '#db/signals/signals.ts'
import { termsOf } from '#db/signals/terms.ts'
import type { OrderCosts } from '#domain/buying-power.ts'
import { afterwards, lookAtClosing, type ClosingScene, type ShownPosition } from '#domain/closing.ts'
import type { Decimal } from '#domain/decimal.ts'
import { earliestFill } from '#domain/earliest-fill.ts'
import {
  deniedIfHeld,
  judgeEntry,
  marketNeeds,
  predecessors,
  type EntryMarket,
  type EntryContext,
  type EntryTerms,
} from '#domain/entry-check.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { buyingPowerOf } from '#domain/fact-verdicts.ts'
import { resolveExitTime } from '#domain/exit-time.ts'
import type { ExitPlan } from '#domain/exit.ts'
import type { BrokerKeeping } from '#domain/protection.ts'
import { SESSIONS_BACK } from '#domain/market-price.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import { sessionStateAt, standingAt, type SessionState } from '#domain/prospect.ts'
import { type TradingSession, CALENDAR_REACH_DAYS } from '#domain/session.ts'
import { isWaiting } from '#domain/signal-status.ts'
import { ENTRY_SIDE, isOpening } from '#domain/signal.ts'
import type { Closer } from '#domain/ownership.ts'
import { UNBOUNDED } from '#domain/token-bounds.ts'
import { belongsToAnother, isAnotherTrade } from '#domain/source-id.ts'
import type { SymbolBook } from '#domain/symbol-book.ts'
import { addDays } from '#domain/wall-time.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'
import type { BrokerLooks } from '../brokers/looks.ts'
import { ApiError, type ErrorCode } from '../http/errors.ts'
import { runBounded, type WorkBounds } from '../http/work-bounds.ts'
import { requireChangeWithinBounds } from './bounds.ts'
import { holderOfSource, rejectionOf, waitingLimitReached } from './acceptance.ts'
import { bookWithout, marketWithout } from './made-way.ts'
import { termsAhead } from './dry-run-target.ts'
import { newSignal } from './new-signal.ts'
import { refusalToReplace } from './replace.ts'
import type { DryRun, Prospect } from './prospect.ts'
import type { Advisory, SignalRequest } from './schema.ts'
import type { Caller } from '../http/caller.ts'

export interface DryRunDeps extends BrokerAccess {
  maxStaleness: number
  maxWaiting: number
  /** The operator lets real money be traded. */
  liveTrading: boolean
  /** Null where everything is asked anew. */
  looks: BrokerLooks | null
}

export interface BoundedDryRunDeps extends DryRunDeps {
  work: WorkBounds
  ordinaryDatabase: Database
}

export type DryRunCaller = Pick<Caller, 'em' | 'principal' | 'beforeDatabaseDeadline'>

/** Takes nothing of what signals wait for. Throws as {@link dryRunSignal}, and {@link ApiError} TOO_MANY_AT_ONCE and TOO_BUSY. */
export function boundedDryRun(
  deps: BoundedDryRunDeps,
  caller: Caller,
  request: SignalRequest,
  storedId: string | null = null,
): Promise<DryRun> {
  const { userId } = caller.principal
  const em = deps.ordinaryDatabase.em.fork()
  actAs(em, userId)
  return runBounded(deps.work, 'broker', userId, caller, () =>
    dryRunSignal(deps, { ...caller, em }, request, storedId),
  )
}

/**
 * By the functions that take a signal and that decide right before an entry is sent, on the ledger and the market of this moment,
 * or of its scheduled time. `storedId`: of a signal that was taken already, against which only earlier ones count.
 * Throws {@link ApiError} VALIDATION_ERROR, ACCOUNT_NOT_FOUND, STRATEGY_NOT_FOUND, BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT,
 * BROKER_ERROR.
 */
export async function dryRunSignal(
  deps: DryRunDeps,
  caller: DryRunCaller,
  request: SignalRequest,
  storedId: string | null = null,
): Promise<DryRun> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const wish = termsOf(newSignal(principal.userId, request, new Date(), deps.maxStaleness))
  const { holder, refused } = storedId === null ? await intake(deps, caller, request) : TAKEN_ALREADY
  const replaced = request.replaceExisting ? holder : null
  const connection = await inTime(findAccountConnection(em, wish.accountId))
  const candidate = { ...wish, sourceId: request.sourceId }
  const found = await inTime(
    storedId === null
      ? readProspectiveFacts(em, candidate, replaced, principal.tokenId)
      : readEntryFacts(em, storedId),
  )
  // The approver of a signal takes over from the token that sent it.
  const ledgerFacts = found && storedId !== null ? { ...found, sender: null, bounds: UNBOUNDED } : found
  if (!connection || !ledgerFacts) throw new ApiError('ACCOUNT_NOT_FOUND')
  const now = new Date().toISOString()
  const at = wish.scheduledAt !== null && wish.scheduledAt > now ? wish.scheduledAt : now
  const { capabilities, orderCosts } = describeBrokerType(connection.brokerType)
  const zone = capabilities.calendarZone
  // A pending signal is asked about as if a person approved it.
  const isApproved = storedId !== null || request.executeMode === 'pending'
  const asked = {
    ...ledgerFacts,
    risk: { ...ledgerFacts.risk, isApproved },
    ...(isApproved && { bounds: UNBOUNDED }),
  }
  const context = standingAt({ ...asked, liveTrading: deps.liveTrading }, now, at, zone)
  const isByHoldings = !isOpening(wish.action) || wish.target !== undefined
  const book = isByHoldings
    ? bookWithout(replaced, await inTime(readSymbolBook(em, wish.accountId, wish.symbol)))
    : null

  const broker = deps.looks
    ? deps.looks.of(connection, await inTime(readHoldingsMark(em, connection)))
    : connectTo(deps, connection)
  const { target } = wish
  const newer = target ? await inTime(newerTarget(em, { ...wish, target }, storedId)) : null
  const ahead = book === null ? null : await askBroker(() => termsAhead(broker, wish, book, newer, context))
  const terms = ahead?.terms ?? wish
  const { facts, judged, session, exit } = await askBroker(async () => {
    const moment = { now, at, zone, orderCosts, keeping: capabilities.protects }
    const observed = await observe(broker, terms, context, moment)
    const market = { ...observed, facts: marketWithout(replaced, observed.facts) }
    return {
      ...market,
      judged: await judge(broker, terms, context, market, {
        book: isOpening(terms.action) ? null : book,
        closer: 'signal',
      }),
    }
  })
  const without = ahead?.without ?? null
  const prospect: Prospect = refused ?? without ?? judged.decision
  const follows = without === null ? (ahead?.follows ?? null) : null
  return {
    order:
      judged.quantity === null || without !== null
        ? null
        : {
            clientOrderId: clientOrderIdFor('<signal id>', 'entry', 1),
            ...entryOrder(terms, judged.quantity),
          },
    follows: follows && {
      side: ENTRY_SIDE[follows.action],
      quantity: follows.quantityType === 'fixed' ? follows.quantity : null,
      limitPrice: wish.limitPrice,
      stopPrice: wish.stopPrice,
    },
    prospect,
    verdicts: without === null ? judged.verdicts : [],
    waitsFor: predecessors(terms, context),
    scheduledAt: at === now ? null : at,
    session,
    exit: without === null ? exit : null,
    buyingPower: buyingPowerOf(facts),
    orderCosts,
    advisories: [
      ...request.advisories,
      ...(ahead?.advisories ?? []),
      ...(prospect.outcome === 'ready' ? prospect.advisories : []),
      ...(prospect.outcome === 'existing' ? [sourceIdTaken(holder!, request)] : []),
    ],
  }
}

interface Intake {
  holder: Signal | null
  refused: Prospect | null
}
const TAKEN_ALREADY: Intake = { holder: null, refused: null }

async function intake(
  { maxWaiting }: DryRunDeps,
  caller: DryRunCaller,
  request: SignalRequest,
): Promise<Intake> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const rejection = await inTime(rejectionOf(em, principal, request))
  const holder = await inTime(holderOfSource(em, principal, request))
  if (holder && !request.replaceExisting)
    return { holder, refused: { outcome: 'existing', signalId: holder.id } }
  if (rejection && !IS_VERDICT.has(rejection.code)) throw rejection
  if (holder) requireChangeWithinBounds(principal, holder)
  const waits = request.executeMode !== 'immediate' && !(holder && isWaiting(holder.status))
  const isFull = waits && (await inTime(countWaiting(em, request.accountId))) >= maxWaiting
  const refused =
    rejection ??
    (isFull ? waitingLimitReached(maxWaiting) : null) ??
    (holder ? await refusalToReplace(caller, holder) : null)
  return {
    holder,
    refused: refused && { outcome: 'denied', code: refused.code, detail: refused.message },
  }
}

/** These say nothing against the request itself: the verdicts of the rules can be shown beside them. */
const IS_VERDICT: ReadonlySet<ErrorCode> = new Set(['MODE_MISMATCH', 'STRATEGY_PAUSED'])

interface Observed {
  facts: EntryMarket
  position: ShownPosition | null
}

interface Moment {
  /** UTC instants; `at` is when it would be sent. */
  now: string
  at: string
  zone: string
  orderCosts: OrderCosts
  keeping: BrokerKeeping
}

/** The entry is taken to be filled as soon as it can be. */
export async function observe(
  broker: Broker,
  terms: EntryTerms,
  context: EntryContext,
  { now, at, zone, ...ofType }: Moment,
): Promise<Observed & { session: SessionState; exit: ExitPlan | null }> {
  const date = at.slice(0, 10)
  let reading: Promise<TradingSession[]> | null = null
  const days = { from: addDays(date, -1), to: addDays(date, CALENDAR_REACH_DAYS), after: at }
  const sessions = () => (reading ??= readSessions(broker, days))
  const today = now.slice(0, 10)
  const recent = { from: addDays(today, -SESSIONS_BACK), to: today, after: addDays(today, -SESSIONS_BACK) }
  const recentSessions = () => readSessions(broker, recent)
  // Facts that only the broker can tell are shown as well, and cost no further question.
  const asked = marketNeeds(terms, context)
  const needs = { ...asked, asset: true, account: true, quote: true, openOrders: true }
  // Where the check right before the entry asks for no asset, a dry run does not say that there is none.
  const isLeftToBroker = !asked.asset && !asked.assetClass && !asked.lastPrice
  const prices = { askedAt: Date.parse(now), recentSessions }
  const moment = { sessions, zone, now: Date.parse(at), prices, ...ofType }
  const [facts, position, session, exit] = await Promise.all([
    readEntryMarket(broker, terms, needs, moment),
    broker.getPosition(terms.symbol),
    at === now ? broker.getClock() : sessions().then((known) => sessionStateAt(at, known)),
    terms.exit &&
      sessions().then((known) => {
        const filledAt = earliestFill(terms, at, known)
        return resolveExitTime(terms.exit!, { endedAt: filledAt, filledAt }, known, zone)
      }),
  ])
  return {
    facts: { ...facts, position, ...(isLeftToBroker && { symbolIsKnown: null }) },
    position,
    session: session ?? (await broker.getClock()),
    exit,
  }
}

/** As the workflow would once it sends the order; what gives way for it has done so. `book`: null for an order that opens. */
export async function judge(
  broker: Broker,
  terms: EntryTerms,
  context: EntryContext,
  { facts, position }: Observed,
  { book, closer }: { book: SymbolBook | null; closer: Closer },
): Promise<ReturnType<typeof judgeEntry>> {
  if (book === null) return judgeEntry(terms, context, facts)
  // Orders of ours are made way for, or gone round.
  const ours = new Set(book.live.map(({ brokerOrderId }) => brokerOrderId))
  const openOrders = facts.openOrders!.filter(({ brokerOrderId }) => !ours.has(brokerOrderId))
  const alone = { ...facts, openOrders }
  let judged = judgeEntry(terms, context, alone)
  const closing = {
    terms,
    closer,
    asOf: book.asOf,
    dueSince: book.asOf,
    judge: (closableQuantity: Decimal, shown: ShownPosition | null) => {
      judged = judgeEntry(terms, context, { ...alone, closableQuantity, position: shown })
      return deniedIfHeld(judged.decision)
    },
  } as const
  let scene: ClosingScene = { position, book, holders: null }
  for (;;) {
    const look = lookAtClosing(closing, scene)
    if ('asks' in look) {
      scene = { ...scene, holders: await foreignHolders(broker, terms.symbol, ENTRY_SIDE[terms.action]) }
    } else if ('decided' in look || 'otherwise' in look) {
      // Orders in flight are taken to fill: a dry run does not wait for them.
      const decided = 'decided' in look ? look.decided : look.otherwise
      const { verdicts, quantity } = judged
      if (decided.outcome === 'ready' || judged.decision.outcome === 'denied')
        return { verdicts, decision: decided, quantity }
      const { code, detail } = decided
      const size = { rule: 'size', outcome: 'denied', code, message: detail } as const
      return {
        verdicts: verdicts.map((one) => (one.rule === 'size' ? size : one)),
        decision: decided,
        quantity: null,
      }
    } else scene = afterwards(look, scene)
  }
}

const sourceIdTaken = (holder: Signal, asked: SignalRequest): Advisory => ({
  code: 'source_id_taken',
  message: `The signal ${holder.id} holds this sourceId: sent without replaceExisting, that one would be returned${isAnotherTrade(holder, asked) ? `. ${belongsToAnother(holder, asked)}` : ''}`,
})
