import { atMarket } from '#domain/auction-part.ts'
import { add, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import type { ExitOrderTerms, SizedExit } from '#activities/contract.ts'
import type { DenialCode } from '#domain/denial.ts'
import { afterAcceptance, afterNothingToClose, afterUnsent } from '#domain/exit-progress.ts'
import { EXIT_AT_MARKET, exitPurpose, type ExitFor, type ExitTerms } from '#domain/exit.ts'
import { clientOrderIdFor, orderAsSent, type OrderRequest, type OrderSide } from '#domain/order.ts'
import type { RestingOrder } from '#domain/protection.ts'
import { EXIT_SIDE, isOpening, type SignalTerms } from '#domain/signal.ts'
import { MAY_HAVE_SENT } from '#domain/step-failure.ts'
import { isPutOff, planBeside, planExitAnew, planTimedAnew } from './exit-plan.ts'
import {
  recordTrouble,
  reportTrouble,
  stepOrAlarm,
  waitForOpening,
  waitUntilOrFilledFurther,
} from './exit-retry.ts'
import { giveTargetUp, hasPlanNews, isPlanLookDue, nextPlanNews, putTargetOff } from './plan-news.ts'
import { placeOrder } from '../order/leg.ts'
import type { SendingTrouble } from '../order/follower.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** To the signal's own shares that are still held. Otherwise the exit state says what to wait for. */
export async function placeExit(run: SignalRun, isFor: ExitFor): Promise<void> {
  const { terms } = run
  run.waitFor('the exit order to be sent')
  const side = exitSide(terms)
  const filledQuantity = subtract(run.entry.filledQuantity, run.exit.coveredQuantity)
  const hasPlan = isFor !== 'timed' || terms.protection !== undefined
  const rule = hasPlan ? await planOrder(run, isFor, filledQuantity) : terms.exit
  if (rule === null) return isFor === 'target' ? giveTargetUp(run) : waitForLevel(run)
  const { exit } = run
  const sized = await stepOrAlarm(run, 'held', 'sizeExit', 'Size the exit to what the signal still holds', {
    signalId: terms.signalId,
    generation: exit.generation,
    coveredQuantity: exit.coveredQuantity,
    accountId: terms.accountId,
    symbol: terms.symbol,
    side,
    filledQuantity,
    rule,
    ...(hasPlan && { isFor }),
    failures: exit.failures,
    ...(exit.opposed && { opposed: true as const }),
    ...(exit.wholeFirst && { wholeFirst: true as const }),
  })
  if ('obstacle' in sized) {
    await reportTrouble(run, {
      generation: exit.generation,
      kind: 'held',
      code: null,
      detail: sized.obstacle,
      ...(sized.beyond && { beyond: sized.beyond }),
    })
    return isFor === 'target' ? putTargetOff(run, 'unsold') : undefined
  }
  if ('givenUp' in sized) {
    run.exit = afterUnsent(exit)
    const detail = 'it was given up before it had left'
    return reportTrouble(run, { generation: exit.generation, kind: 'taken_back', code: null, detail })
  }
  const { quantity, coversQuantity, notBefore } = sized
  if (notBefore !== null) return waitForSession(run, isFor, notBefore)
  // A kept size may be older than another late fill.
  const size = { quantity, coversQuantity, coveredBefore: sized.coveredBefore ?? exit.coveredQuantity }
  if (!isPositive(quantity)) {
    run.exit = afterNothingToClose(exit, size)
    return
  }
  const { generation } = exit
  // An earlier decision counts.
  const order = sized.order ?? { isFor, terms: rule }
  const by = sized.isFraction ? atMarket(order.terms) : order.terms
  const request = exitRequest(terms, atPrices(by, sized), side, quantity, {
    clientOrderId: clientOrderIdFor(terms.signalId, exitPurpose(order.isFor), generation),
  })
  const accepted = afterAcceptance(
    exit,
    size,
    request.clientOrderId,
    hasPlan ? { isFor: order.isFor, filledThen: add(exit.coveredQuantity, filledQuantity) } : {},
  )
  const placement = await placeOrder(run, {
    name: order.isFor === 'plan' ? 'order of the exit plan' : 'exit order',
    progress: accepted,
    ...(hasPlan && { resting: restingOf(order, request) }),
    request,
    sendBefore: null,
    acknowledges: () => run.endedOrders,
    inDoubt: (trouble) => tellDoubt(run, generation, trouble),
  })
  if (placement.outcome === 'accepted') {
    run.exit = accepted
    run.exitRetryAsked = false
    // The time of the exit is told again, because its signal shows the order that was placed now.
    if (run.exit.next === undefined && !isPutOff(run)) run.planLookAt = null
    return
  }
  run.exit = afterUnsent(exit)
  if (placement.outcome === 'rejected' && mayGoRound(rule, placement.code) && !exit.opposed) {
    run.exit.opposed = true
    const trouble = { generation, kind: 'rejected', code: placement.code, detail: placement.detail } as const
    return void (await recordTrouble(run, trouble, workflowNow(), { isQuiet: true }))
  }
  if (placement.outcome === 'rejected' && sized.isFraction) run.exit.wholeFirst = true
  const { detail } = placement
  await reportTrouble(
    run,
    placement.outcome === 'void'
      ? { generation, kind: 'taken_back', code: null, detail }
      : { generation, kind: 'rejected', code: placement.code, detail },
  )
}

/** With an exit plan; null where nothing of the plan is needed at the broker. */
async function planOrder(run: SignalRun, isFor: ExitFor, quantity: Decimal): Promise<ExitTerms | null> {
  const { signalId, accountId, symbol, exit } = run.terms
  if (isFor === 'timed' && run.exit.planIsOver) return exit
  const input = { signalId, accountId, symbol, isFor, quantity }
  const { order } = await stepOrAlarm(
    run,
    'held',
    'planProtection',
    'Work out the order of the exit plan',
    input,
  )
  if (isFor === 'timed') return exit
  return isFor === 'stop' ? EXIT_AT_MARKET : order
}

async function tellDoubt(
  run: SignalRun,
  generation: number,
  { cause, failure, at }: SendingTrouble,
): Promise<void> {
  // A busy broker takes it soon; an order that we hold back may wait for long.
  if (failure === 'Halted' || failure === 'ThrottleUnavailable')
    await recordTrouble(run, { generation, kind: 'held', code: null, detail: cause }, at)
  else if (MAY_HAVE_SENT[failure])
    await recordTrouble(run, { generation, kind: 'unknown', code: 'OUTCOME_UNKNOWN', detail: cause }, at)
}

async function waitForSession(run: SignalRun, isFor: ExitFor, opensAt: string): Promise<void> {
  const { exit: rule, protection } = run.terms
  switch (isFor) {
    case 'plan':
      return waitForOpening(run, opensAt)
    case 'target':
      return giveTargetUp(run)
    case 'stop':
      return waitForOpening(run, opensAt, 'the stop was reached, and the exchange is closed')
    case 'timed':
      return protection === undefined ? planExitAnew(run, rule!) : planTimedAnew(run, rule!)
  }
}

/** Nothing of the exit plan is needed at the broker yet: its levels are watched here. */
async function waitForLevel(run: SignalRun): Promise<void> {
  const { signalId } = run.terms
  const acknowledges = run.endedOrders
  await step('acknowledgeEnds', 'Take note of the orders that have ended', { signalId, acknowledges })
  if (isPlanLookDue(run)) await planBeside(run, run.terms.exit!)
  run.waitFor('the price to reach a level of the exit plan, which is watched here')
  const isReached = () => run.exitCancelledBy !== null || hasPlanNews(run)
  await waitUntilOrFilledFurther(run, isReached, nextPlanNews(run))
}

/** Null with an order that is not the plan's. */
const restingOf = ({ isFor }: ExitOrderTerms, order: OrderRequest): RestingOrder | null => {
  if (isFor === 'stop' || isFor === 'timed') return null
  const { orderType, limitPrice, stopPrice, stopLimitPrice, trail, timeInForce } = order
  return {
    orderType: orderType as RestingOrder['orderType'],
    limitPrice,
    stopPrice,
    ...(stopLimitPrice != null && { stopLimitPrice }),
    ...(trail != null && { trail }),
    timeInForce: timeInForce as RestingOrder['timeInForce'],
  }
}

/** At market it can avoid the opposite order by a limit. */
const mayGoRound = ({ orderType, timeInForce }: ExitTerms, code: DenialCode): boolean =>
  code === 'OPPOSITE_ORDER' && orderType === 'market' && timeInForce === 'day'

/** At a limit instead of at market, or at the owner's prices. */
const atPrices = (
  rule: ExitTerms,
  { limitPrice, prices }: Pick<Sized, 'limitPrice' | 'prices'>,
): ExitTerms =>
  limitPrice === undefined ? { ...rule, ...prices } : { ...rule, orderType: 'limit', limitPrice }

type Sized = Extract<SizedExit, { quantity: Decimal }>

/** Throws for a signal that closes a position itself. */
function exitSide(terms: SignalTerms): OrderSide {
  if (!isOpening(terms.action)) throw new TypeError(`a ${terms.action} signal has no exit`)
  return EXIT_SIDE[terms.action]
}

const exitRequest = (
  terms: SignalTerms,
  rule: ExitTerms,
  side: OrderSide,
  quantity: Decimal,
  identity: { clientOrderId: string },
): OrderRequest => ({
  ...identity,
  ...orderAsSent(
    {
      ...rule,
      symbol: terms.symbol,
      // A market order for the closing auction is a market order with time in force cls.
      orderType: rule.orderType === 'moc' ? 'market' : rule.orderType,
      extendedHours: false,
    },
    side,
    quantity,
  ),
})
