import { atMarket } from '#domain/time/session.ts'
import { add, isPositive, subtract, figure } from '#domain/money/decimal.ts'
import type { DesiredExit } from '#domain/exit/desired.ts'
import { atPrices, exitRequest, exitSide, isAtMarket, restingOf } from '#domain/exit/look.ts'
import {
  afterAcceptance,
  afterFailure,
  afterNothingToClose,
  afterUnsent,
  whileTried,
} from '#domain/exit/progress.ts'
import { exitPurpose, type ExitReason, type ExitTrouble } from '#domain/exit/exit.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { MAY_HAVE_SENT } from '#domain/async/step-failure.ts'
import type { SendingTrouble } from '../order/follow.ts'
import { placeOrder } from '../order/place.ts'
import { waitUntil } from '../steps/steps.ts'
import { inMinutes, workflowNow } from '../steps/workflow-time.ts'
import { recordTrouble, reportTrouble, stepOrAlarm } from './trouble.ts'
import { findTime } from './look.ts'
import type { SignalRun } from '../signal/run.ts'

/** No revision of the levels. */
const OF_EARLIER = -1
/** Minutes. */
const LOOKED_AGAIN_WITHIN = 0.02
/** Failed tries after which the broker's answer counts. */
const TRIES_OF_CRUMB = 2

type TradeRequest = Extract<DesiredExit, { what: 'order' }>

/** Sends an exit order for the signal's own held shares. */
export async function placeExit(run: SignalRun, desired: TradeRequest, revision: number): Promise<void> {
  const { terms } = run
  const { reason } = desired
  run.exit = whileTried(run.exit)
  run.waitFor('the exit order to be sent')
  const { generation, coveredQuantity, opposed, wholeFirst, waits } = run.exit
  const wait = waits[reason]
  const filledQuantity = subtract(run.entry.filledQuantity, coveredQuantity)
  const trouble = (kind: ExitTrouble['kind'], detail: string, more: Partial<ExitTrouble> = {}) =>
    reportTrouble(run, reason, { generation, kind, code: null, detail, ...more })
  const input = {
    signalId: terms.signalId,
    generation,
    coveredQuantity,
    accountId: terms.accountId,
    symbol: terms.symbol,
    side: exitSide(terms),
    filledQuantity,
    rule: desired.terms,
    reason,
    failures: waits[reason]?.tries ?? 0,
    progress: {
      ...run.exit,
      ...(wait && { waits: { ...waits, [reason]: { ...wait, until: workflowNow() } } }),
    },
    ...(opposed && { opposed }),
    ...(wholeFirst && { wholeFirst }),
  }
  const sized = await stepOrAlarm(
    run,
    { kind: 'held', reason, later: [{ ...input, until: desired.again }] },
    'sizeExit',
    'Size the exit to what the signal still holds',
    input,
  )
  if ('isOld' in sized) return untilNext(run, desired.again)
  if ('obstacle' in sized)
    return trouble('held', sized.obstacle, { ...(sized.beyond && { beyond: sized.beyond }) })
  if ('givenUp' in sized) {
    run.exit = afterUnsent(run.exit)
    return run.exit.cancelledBy === null
      ? trouble('taken_back', 'it was given up before it had left')
      : undefined
  }
  if (sized.notBefore !== null) return waitForOpening(run, reason, sized.notBefore)
  const { quantity, coversQuantity } = sized
  // A stored size may be older than a late fill.
  const size = { quantity, coversQuantity, coveredBefore: sized.coveredBefore ?? coveredQuantity }
  if (!isPositive(quantity)) {
    run.exit = afterNothingToClose(run.exit, size)
    return
  }
  // An earlier decision counts, even of other levels.
  const order = sized.order ?? { reason, terms: desired.terms }
  const of = sized.order === undefined ? revision : OF_EARLIER
  const by = sized.isFraction ? atMarket(order.terms) : order.terms
  const clientOrderId = clientOrderIdFor(terms.signalId, exitPurpose(order.reason), generation)
  const request = exitRequest(terms, atPrices(by, sized), quantity, clientOrderId)
  const filledThen = add(coveredQuantity, filledQuantity)
  const accepted = () =>
    afterAcceptance(run.exit, size, { clientOrderId, reason: order.reason, filledThen, since: workflowNow() })
  const placement = await placeOrder(run, {
    name: order.reason === 'PROTECTION' ? 'stop and target order' : 'exit order',
    progress: accepted,
    ...(terms.protection && { resting: { order: restingOf(order.reason, request), revision: of } }),
    request,
    sendBefore: null,
    acknowledges: () => run.endedOrders,
    inDoubt: (doubt) => reportDoubt(run, generation, reason, doubt),
  })
  if (placement.outcome === 'accepted') {
    run.exit = accepted()
    if (order.reason !== reason || order.reason === 'TAKE_PROFIT' || needsTimes(terms)) run.look = null
    // The signal shows the new order now, so its exit time is shown again.
    if (order.reason === 'PROTECTION' && run.exit.waits.TIME === undefined)
      run.exit = { ...run.exit, time: { ...run.exit.time, lookAt: null } }
    return
  }
  run.exit = afterUnsent(run.exit)
  const { detail } = placement
  if (placement.outcome === 'void') return trouble('taken_back', detail)
  const { code } = placement
  if (
    placement.outcome === 'rejected' &&
    code === 'OPPOSITE_ORDER' &&
    isAtMarket(desired.terms) &&
    !opposed
  ) {
    run.exit = { ...run.exit, opposed: true }
    const quiet = { generation, kind: 'rejected', code, detail } as const
    await recordTrouble(run, quiet, { reason, isQuiet: true })
    return
  }
  // A rest below the broker's minimum is no position.
  if (code === 'ORDER_TOO_SMALL' && (waits[reason]?.tries ?? 0) >= TRIES_OF_CRUMB) {
    run.exit = afterNothingToClose({ ...run.exit, generation }, size)
    const counts = `${detail}. The rest of ${figure(quantity)} counts as closed`
    const told = { generation, kind: 'rejected', code, detail: counts } as const
    return void (await recordTrouble(run, told, { reason }))
  }
  if (placement.outcome === 'rejected' && sized.isFraction) run.exit = { ...run.exit, wholeFirst: true }
  return trouble('rejected', detail, { code })
}

/** The levels' session may have ended meanwhile, by another clock. */
async function untilNext(run: SignalRun, again: string | null): Promise<void> {
  const soon = inMinutes(LOOKED_AGAIN_WITHIN)
  const at = again === null || again > soon ? soon : again
  await waitUntil(run, () => run.hasNews, {
    at,
    summary: 'Look again which exit order should be at the broker',
  })
}

const needsTimes = ({ exit, protection }: SignalTerms): boolean =>
  protection !== undefined && (exit !== null || protection.until === 'session')

async function reportDoubt(
  run: SignalRun,
  generation: number,
  reason: ExitReason,
  { cause, failure, at }: SendingTrouble,
): Promise<void> {
  // An order that we hold back may wait long.
  if (failure === 'Halted' || failure === 'ThrottleUnavailable')
    await recordTrouble(run, { generation, kind: 'held', code: null, detail: cause }, { reason }, at)
  else if (MAY_HAVE_SENT[failure])
    await recordTrouble(
      run,
      { generation, kind: 'unknown', code: 'OUTCOME_UNKNOWN', detail: cause },
      { reason },
      at,
    )
}

/** Minutes, for an instant of another clock. */
const LEAST_WAIT = 0.1
/** Minutes, where the calendar says both open and closed. */
const TIME_AGAIN_AFTER = 5

/** `opensAt`: by the broker's clock. */
async function waitForOpening(run: SignalRun, reason: ExitReason, opensAt: string): Promise<void> {
  const { generation, time } = run.exit
  if (reason === 'TIME') {
    await findTime(run, run.terms.exit!)
    if (run.exit.time.at !== time.at) return
    const detail = 'the calendar of the broker says that the exchange is open, and that it is closed'
    if (run.terms.protection === undefined)
      return reportTrouble(run, reason, { generation, kind: 'held', code: null, detail })
    const wait = { why: 'closed', now: workflowNow(), detail } as const
    run.exit = afterFailure(run.exit, reason, { ...wait, until: inMinutes(TIME_AGAIN_AFTER) })
    return
  }
  const soonest = inMinutes(LEAST_WAIT)
  const until = opensAt > soonest ? opensAt : soonest
  const detail = 'the exchange to open, for the stop and target order'
  run.exit = afterFailure(run.exit, reason, { why: 'closed', now: workflowNow(), detail, until })
  if (reason === 'TAKE_PROFIT') return
  const opening = `the exchange opens at ${opensAt}`
  const trouble: ExitTrouble =
    reason === 'PROTECTION'
      ? { generation, kind: 'closed', code: null, detail: opening }
      : {
          generation,
          kind: 'held',
          code: null,
          detail: `the stop was reached, and the exchange is closed: ${opening}`,
        }
  const nextTry = { usual: until, acknowledged: until }
  await recordTrouble(run, trouble, {
    reason,
    nextTry,
    ...(reason === 'PROTECTION' && { isQuiet: true }),
  })
}
