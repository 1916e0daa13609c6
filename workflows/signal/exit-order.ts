import { atMarket } from '#domain/auction-part.ts'
import { isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import type { SizedExit } from '#activities/contract.ts'
import type { DenialCode } from '#domain/denial.ts'
import { afterAcceptance, afterNothingToClose, afterUnsent } from '#domain/exit-progress.ts'
import type { ExitRule } from '#domain/exit.ts'
import { clientOrderIdFor, orderAsSent, type OrderRequest, type OrderSide } from '#domain/order.ts'
import { EXIT_SIDE, isOpening, type SignalTerms } from '#domain/signal.ts'
import { MAY_HAVE_SENT } from '#domain/step-failure.ts'
import { planExitAnew } from './exit-plan.ts'
import { recordTrouble, stepOrAlarm, reportTrouble } from './exit-retry.ts'
import { placeOrder } from '../order/leg.ts'
import type { SendingTrouble } from '../order/follower.ts'
import type { SignalRun } from './run.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/**
 * Sizes the next exit to the signal's own shares that are still held, and sends it. When nothing is left to close, the
 * exchange is closed, another order blocks the exit, or the broker rejects it, the exit state says what to wait for.
 */
export async function placeExit(run: SignalRun, rule: ExitRule): Promise<void> {
  const { terms, exit } = run
  run.waitFor('the exit order to be sent')
  const side = exitSide(terms)
  const sized = await stepOrAlarm(run, 'held', 'sizeExit', 'Size the exit to what the signal still holds', {
    signalId: terms.signalId,
    generation: exit.generation,
    coveredQuantity: exit.coveredQuantity,
    accountId: terms.accountId,
    symbol: terms.symbol,
    side,
    filledQuantity: subtract(run.entry.filledQuantity, exit.coveredQuantity),
    rule,
    failures: exit.failures,
    ...(exit.opposed && { opposed: true as const }),
    ...(exit.wholeFirst && { wholeFirst: true as const }),
  })
  if ('obstacle' in sized)
    return reportTrouble(run, {
      generation: exit.generation,
      kind: 'held',
      code: null,
      detail: sized.obstacle,
      ...(sized.beyond && { beyond: sized.beyond }),
    })
  if ('givenUp' in sized) {
    run.exit = afterUnsent(exit)
    const detail = 'it was given up before it had left'
    return reportTrouble(run, { generation: exit.generation, kind: 'taken_back', code: null, detail })
  }
  const { quantity, coversQuantity, notBefore } = sized
  if (notBefore !== null) return planExitAnew(run, rule)
  // One that was kept may have been worked out before another late fill.
  const size = { quantity, coversQuantity, coveredBefore: sized.coveredBefore ?? exit.coveredQuantity }
  if (!isPositive(quantity)) {
    run.exit = afterNothingToClose(exit, size)
    return
  }
  const { generation } = exit
  const by = sized.isFraction ? atMarket(rule) : rule
  const request = exitRequest(terms, atPrices(by, sized), side, quantity, generation)
  const accepted = afterAcceptance(exit, size, request.clientOrderId)
  const placement = await placeOrder(run, {
    name: 'exit order',
    progress: accepted,
    request,
    sendBefore: null,
    acknowledges: () => run.endedOrders,
    inDoubt: (trouble) => tellDoubt(run, generation, trouble),
  })
  if (placement.outcome === 'accepted') {
    run.exit = accepted
    run.exitRetryAsked = false
    return
  }
  run.exit = afterUnsent(exit)
  if (placement.outcome === 'rejected' && mayGoRound(rule, placement.code) && !exit.opposed) {
    run.exit.opposed = true
    const trouble = { generation, kind: 'rejected', code: placement.code, detail: placement.detail } as const
    return void (await recordTrouble(run, trouble, workflowNow(), { goesRound: true }))
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

/** The owner is alerted of an exit of which nobody knows whether it is out. */
async function tellDoubt(
  run: SignalRun,
  generation: number,
  { cause, failure, at }: SendingTrouble,
): Promise<void> {
  // A broker that is merely busy takes it soon; an order that we keep back ourselves may be so for long.
  if (failure === 'Halted' || failure === 'ThrottleUnavailable')
    await recordTrouble(run, { generation, kind: 'held', code: null, detail: cause }, at)
  else if (MAY_HAVE_SENT[failure])
    await recordTrouble(run, { generation, kind: 'unknown', code: 'OUTCOME_UNKNOWN', detail: cause }, at)
}

/** Whether an exit that the broker has refused can go round the order that stands against it: at market, by a limit. */
const mayGoRound = ({ orderType, timeInForce }: ExitRule, code: DenialCode): boolean =>
  code === 'OPPOSITE_ORDER' && orderType === 'market' && timeInForce === 'day'

/** The rule of an exit that is to be sent at a limit instead of at market, or at prices that its owner has chosen. */
const atPrices = (rule: ExitRule, { limitPrice, prices }: Pick<Sized, 'limitPrice' | 'prices'>): ExitRule =>
  limitPrice === undefined ? { ...rule, ...prices } : { ...rule, orderType: 'limit', limitPrice }

type Sized = Extract<SizedExit, { quantity: Decimal }>

/** The side that closes the signal's position; throws for a signal that closes one itself. */
function exitSide(terms: SignalTerms): OrderSide {
  if (!isOpening(terms.action)) throw new TypeError(`a ${terms.action} signal has no exit`)
  return EXIT_SIDE[terms.action]
}

/** The exit order by its rule; the generation counts the exit orders of the signal. */
const exitRequest = (
  terms: SignalTerms,
  rule: ExitRule,
  side: OrderSide,
  quantity: Decimal,
  generation: number,
): OrderRequest => ({
  clientOrderId: clientOrderIdFor(terms.signalId, 'exit', generation),
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
