import { simulateEntry, type Judged, type SimulatedOutcome } from '#activities/signal/dry-run.ts'
import { readEntryMarket } from '#brokers/entry-market.ts'
import type { Broker } from '#brokers/port.ts'
import { describeBrokerType } from '#domain/account/broker-types.ts'
import { readSessions } from '#brokers/sessions.ts'
import { readHoldingsMark } from '#db/position/holdings-mark.ts'
import { findAccountConnection } from '#db/account/sync.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { goOnAs, rolledBack } from '#db/engine/batched-transaction.ts'
import { actAs } from '#db/engine/row-security.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { findSignal } from '#db/signal/signals.ts'
import { termsOf } from '#db/signal/terms.ts'
import type { OrderCosts } from '#domain/risk/buying-power.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { earliestFill } from '#domain/order/fill.ts'
import type { EntryContext, EntryMarket, EntryVerdict, MarketNeeds } from '#domain/risk/entry-check.ts'
import { entryOrder } from '#domain/order/entry-order.ts'
import { resolveExitTime } from '#domain/exit/schedule.ts'
import type { ExitSchedule, ExitRule } from '#domain/exit/exit.ts'
import { buyingPowerOf } from '#domain/risk/broker-data-checks.ts'
import type { ShownPosition } from '#domain/position/closing.ts'
import type { BrokerKeeping } from '#domain/exit/protection.ts'
import { SESSIONS_BACK } from '#domain/risk/market-price.ts'
import { entryIdFor, isOurs, type OrderRequest } from '#domain/order/order.ts'
import { sessionStateAt, projectedContext, type SessionState } from '#domain/risk/projected-context.ts'
import { POSITION_DIFFERS } from '#domain/signal/sender-position.ts'
import { type TradingSession, CALENDAR_REACH_DAYS } from '#domain/time/session.ts'
import { ENTRY_SIDE, isOpening, type Leg, type SignalTerms } from '#domain/signal/signal.ts'
import { openedAcross } from '#domain/signal/target.ts'
import { addDays } from '#domain/time/wall-time.ts'
import { askBroker, connectTo, type BrokerAccess, withAnswers } from '../broker/asked.ts'
import type { SnapshotCache } from '../broker/snapshot-cache.ts'
import type { Logger } from 'pino'
import type { Caller } from '../http/caller.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { runBounded, type WorkBounds } from '../http/work-bounds.ts'
import { sendBeforeOf, type Edits } from './decide.ts'
import type { Advisory } from '#contract/signal/request.ts'

export interface DryRunDeps extends BrokerAccess {
  signalTtl: number
  maxWaiting: number
  answerDeadline: number
  /** Milliseconds since the epoch. */
  now?: () => number
  /** Whether the operator permits real money. */
  liveTrading: boolean
  logger: Logger
  /** Null: every question goes to the broker. */
  looks: SnapshotCache | null
  work: WorkBounds
  /** Runs on behalf of the service. */
  ordinaryDatabase: Database
}

/** The second `denied` is an answer's code. */
type Forecast =
  | SimulatedOutcome
  | { outcome: 'denied'; code: ErrorCode; detail: string }
  | { outcome: 'existing'; signalId: string }

export interface DryRun {
  order: OrderRequest | null
  follows: (Pick<OrderRequest, 'side' | 'limitPrice' | 'stopPrice'> & { quantity: Decimal | null }) | null
  forecast: Forecast
  verdicts: EntryVerdict[]
  waitsFor: string[]
  scheduledAt: string | null
  session: SessionState
  /** Assumes the earliest possible fill. */
  exit: ExitSchedule | null
  /** Dollars; null when the broker reports none. */
  buyingPower: Decimal | null
  orderCosts: OrderCosts
  advisories: Advisory[]
  limitPrice: Decimal | null
  position: ShownPosition | null
  quote: EntryMarket['quote']
}

export interface Stage {
  em: EntityManager
  broker: Broker
  userId: string
  /** UTC instant. */
  now: string
}

export interface Stored {
  signalId: string
  /** The answer's denial; the signal is stored all the same, so that the rules run. */
  refused: Forecast | null
  advisories: Advisory[]
  edits?: Edits
}

/**
 * Runs acceptance and decision in a transaction that is rolled back, on the ledger and market of now or the scheduled
 * time. Uses no slots of signals. Throws as `store`, and ACCOUNT_NOT_FOUND, BROKER_CREDENTIALS_INVALID,
 * BROKER_SHARE_SPENT, BROKER_ERROR, TOO_MANY_AT_ONCE, TOO_BUSY.
 * @param store on behalf of the caller
 */
export function playThrough(
  deps: DryRunDeps,
  caller: Caller,
  accountId: string,
  store: (stage: Stage) => Promise<Stored>,
): Promise<DryRun> {
  const { userId } = caller.principal
  const inTime = caller.beforeDatabaseDeadline
  return runBounded(deps.work, 'broker', userId, caller, async () => {
    const em = deps.ordinaryDatabase.em.fork()
    actAs(em, userId)
    const connection = await inTime(findAccountConnection(em, accountId))
    if (!connection) throw new ApiError('ACCOUNT_NOT_FOUND')
    const broker = deps.looks
      ? deps.looks.of(connection, await inTime(readHoldingsMark(em, connection)))
      : connectTo(deps, connection)
    const type = describeBrokerType(connection.brokerType)
    const now = new Date(deps.now?.() ?? Date.now()).toISOString()
    const run = (known: Broker) =>
      inTime(
        rolledBack(deps.ordinaryDatabase.em, async (inner) => {
          const stage = { em: inner, broker: known, userId, now }
          await goOnAs(inner, userId)
          const stored = await store(stage)
          await goOnAs(inner, null)
          return decideOn(deps, stage, type, stored)
        }),
      )
    return askBroker(() => withAnswers(broker, type.orderCosts, run, (error) => error instanceof ApiError))
  })
}

async function decideOn(
  deps: DryRunDeps,
  stage: Stage,
  {
    capabilities: { calendarZone: zone, protects: keeping },
    orderCosts,
  }: ReturnType<typeof describeBrokerType>,
  { refused, advisories, ...stored }: Stored,
): Promise<DryRun> {
  const { em, broker, now } = stage
  const terms = await dueTerms(deps, stage, stored)
  const at = terms.scheduledAt !== null && terms.scheduledAt > now ? terms.scheduledAt : now
  const date = at.slice(0, 10)
  const days = { from: addDays(date, -1), to: addDays(date, CALENDAR_REACH_DAYS), after: at }
  const sessions = () => readSessions(broker, days)
  const moment = { now, at, zone, sessions, orderCosts, keeping }
  const askMarket = (_: Broker, asked: SignalTerms, needs: MarketNeeds) => look(broker, asked, needs, moment)
  const { maxWaiting, liveTrading } = deps
  const contextThen = (context: EntryContext) => projectedContext(context, now, at, zone)
  const simulation = { em, broker, at, maxWaiting, liveTrading, askMarket, contextThen }
  const { decision, judged, waitsFor, cancels } = await simulateEntry(simulation, terms)
  const { verdicts, quantity } = heard(judged, decision)
  const sent = { ...terms, ...judged?.terms }
  const isUndecided = judged === null || decision.outcome === 'waits' || decision.outcome === 'nothing'
  const exit = isUndecided ? null : sent.exit
  const [position, session, known] = await Promise.all([
    broker.getPosition(terms.symbol),
    at === now
      ? broker.getClock()
      : sessions().then((found) => sessionStateAt(at, found) ?? broker.getClock()),
    exit === null ? [] : sessions(),
  ])
  const follows = sent.target && !isUndecided ? openedAcross(sent as Leg) : null
  const forecast = refused ?? decision
  const ofSignal = (await findSignal(em, stage.userId, terms.signalId))!.advisories
  return {
    order:
      isUndecided || quantity === null
        ? null
        : {
            clientOrderId: entryIdFor('<signal id>'),
            ...entryOrder(sent, quantity),
          },
    follows: follows && {
      side: ENTRY_SIDE[follows.action],
      quantity: follows.quantityType === 'fixed' ? follows.quantity : null,
      limitPrice: terms.limitPrice,
      stopPrice: terms.stopPrice,
    },
    forecast,
    verdicts,
    waitsFor,
    scheduledAt: at === now ? null : at,
    session,
    exit: exit && exitOf({ ...sent, exit }, { at, known, zone }),
    buyingPower: judged && buyingPowerOf(judged.market),
    orderCosts,
    advisories: [
      ...advisories,
      ...ofSignal.filter(({ code }) => code === POSITION_DIFFERS),
      ...(forecast.outcome === 'ready' ? forecast.advisories : []),
      ...(cancels.length > 0 ? [wouldCancel(cancels)] : []),
    ],
    limitPrice: terms.limitPrice,
    position,
    quote: judged?.market.quote ?? null,
  }
}

const wouldCancel = (orders: readonly string[]): Advisory => ({
  code: 'would_cancel',
  message: `Would cancel first: ${[...new Set(orders)].join(' and ')}`,
})

/** A pending signal counts as approved now. */
async function dueTerms(
  deps: DryRunDeps,
  { em, userId, now }: Stage,
  { signalId, edits = { quantity: null, limitPrice: null } }: Pick<Stored, 'signalId' | 'edits'>,
): Promise<SignalTerms> {
  const signal = (await findSignal(em, userId, signalId))!
  const approval = { ...edits, by: userId, sendBefore: sendBeforeOf(signal, deps) }
  if (signal.status === 'pending') await recordDue(em, signalId, now, approval)
  if (signal.status === 'scheduled') await recordDue(em, signalId, now, null)
  return termsOf((await findSignal(em, userId, signalId))!)
}

interface Moment {
  /** UTC instants; `at` is when it would be sent. */
  now: string
  at: string
  zone: string
  sessions: () => Promise<TradingSession[]>
  orderCosts: OrderCosts
  keeping: BrokerKeeping
}

async function look(
  broker: Broker,
  terms: SignalTerms,
  needs: MarketNeeds,
  { now, at, ...moment }: Moment,
): Promise<EntryMarket> {
  const today = now.slice(0, 10)
  const back = addDays(today, -SESSIONS_BACK)
  const recentSessions = () => readSessions(broker, { from: back, to: today, after: back })
  const more = { asset: true, account: true, quote: true, openOrders: true }
  const [market, position] = await Promise.all([
    readEntryMarket(
      broker,
      terms,
      { ...needs, ...more },
      {
        ...moment,
        now: Date.parse(at),
        prices: { askedAt: Date.parse(now), recentSessions },
      },
    ),
    broker.getPosition(terms.symbol),
    // Read in the same round.
    at === now && broker.getClock(),
  ])
  const openOrders = isOpening(terms.action)
    ? market.openOrders
    : // Our own orders are cancelled first or avoided.
      market.openOrders!.filter(({ clientOrderId }) => !isOurs(clientOrderId))
  // Without the entry's check, the asset does not count as missing.
  const isLeftToBroker = !needs.asset && !needs.assetClass && !needs.lastPrice
  return { ...market, openOrders, position, ...(isLeftToBroker && { symbolIsKnown: null }) }
}

const exitOf = (
  terms: SignalTerms & { exit: ExitRule },
  { at, known, zone }: { at: string; known: TradingSession[]; zone: string },
): ExitSchedule => {
  const filledAt = earliestFill(terms, at, known)
  return resolveExitTime(terms.exit, { endedAt: filledAt, filledAt }, known, zone)
}

/** Adds the decision's denial where no rule reported it. */
function heard(
  judged: Judged | null,
  decision: SimulatedOutcome,
): { verdicts: EntryVerdict[]; quantity: Decimal | null } {
  const { verdicts, quantity } = judged ?? { verdicts: [], quantity: null }
  if (decision.outcome !== 'denied' || verdicts.some(({ outcome }) => outcome === 'denied'))
    return { verdicts, quantity }
  const { code, detail } = decision
  const denial = { rule: judged ? 'size' : 'position', outcome: 'denied', code, message: detail } as const
  const others = verdicts.filter(({ rule }) => rule !== denial.rule)
  return { verdicts: [denial, ...others], quantity: null }
}
