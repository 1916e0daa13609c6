import type { SubmitOrderResult } from '#activities/contract.ts'
import { add, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import type { ExitRule } from '#domain/exit.ts'
import { clientOrderIdFor, type OrderRequest, type OrderSide } from '#domain/order.ts'
import { EXIT_SIDE, isOpening, type SignalTerms } from '#domain/signal.ts'
import { recordTrouble, stepOrAlarm, reportTrouble } from './exit-retry.ts'
import { sendOrder } from '../order/submit.ts'
import type { SignalRun } from './run.ts'
import { mayHaveSent, step } from '../steps/steps.ts'

/**
 * Sizes the next exit to what of the signal's own shares is still held, and sends it. It may be that nothing is left to
 * close, that the exchange is closed meanwhile, that something keeps it out, or that the broker rejects; then it is
 * known what to wait for.
 */
export async function placeExit(run: SignalRun, rule: ExitRule): Promise<void> {
  const { terms, exit } = run
  run.waitFor('the exit order to be sent')
  const side = exitSide(terms)
  const sized = await stepOrAlarm(run, 'held', 'sizeExit', 'Size the exit to what the signal still holds', {
    signalId: terms.signalId,
    generation: exit.generation,
    accountId: terms.accountId,
    symbol: terms.symbol,
    side,
    filledQuantity: subtract(run.entry.filledQuantity, exit.coveredQuantity),
    rule,
    failures: exit.failures,
  })
  if ('obstacle' in sized)
    return reportTrouble(run, {
      generation: exit.generation,
      kind: 'held',
      code: null,
      detail: sized.obstacle,
    })
  const { quantity, coversQuantity, notBefore } = sized
  if (notBefore !== null) {
    exit.notBefore = notBefore
    run.waitFor('the next session: the exchange is closed at the time planned', notBefore)
    return
  }
  const { generation } = exit
  exit.generation += 1
  if (!isPositive(quantity)) {
    exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
    return
  }
  const request = exitRequest(terms, atLimit(rule, sized.limitPrice), side, quantity, generation)
  const answer = await submitExit(run, request, generation)
  if (answer.outcome !== 'accepted') {
    const { code, detail } = answer
    return reportTrouble(run, { generation, kind: 'rejected', code, detail })
  }
  const { report } = answer
  await step('recordExitAccepted', 'Record the accepted exit', {
    signalId: terms.signalId,
    report,
    acknowledges: run.endedOrders,
  })
  run.note(report)
  exit.workingOrder = { clientOrderId: request.clientOrderId, quantity, coversQuantity }
}

/** The rule of an exit that is to be sent at a limit instead of at market. */
const atLimit = (rule: ExitRule, limitPrice: Decimal | undefined): ExitRule =>
  limitPrice === undefined ? rule : { ...rule, orderType: 'limit', limitPrice }

/** The side that takes the signal's position off again; throws for a signal that closes one. */
export function exitSide(terms: SignalTerms): OrderSide {
  if (!isOpening(terms.action)) throw new TypeError(`a ${terms.action} signal has no exit`)
  return EXIT_SIDE[terms.action]
}

/** The exit order as its rule wants it; the generation counts the exit orders of the signal. */
export const exitRequest = (
  terms: SignalTerms,
  rule: ExitRule,
  side: OrderSide,
  quantity: Decimal,
  generation: number,
): OrderRequest => ({
  clientOrderId: clientOrderIdFor(terms.signalId, 'exit', generation),
  symbol: terms.symbol,
  side,
  quantity,
  // A market order for the closing auction is a market order with time in force cls.
  orderType: rule.orderType === 'moc' ? 'market' : rule.orderType,
  limitPrice: rule.limitPrice,
  stopPrice: rule.stopPrice,
  timeInForce: rule.timeInForce,
  extendedHours: false,
})

/** Sends an exit order and finds out what became of it, for as long as that takes. */
export async function submitExit(
  run: SignalRun,
  request: OrderRequest,
  generation: number,
): Promise<SubmitOrderResult> {
  const { terms } = run
  const summary = `Send the exit order: ${request.side} ${request.quantity} ${request.symbol}`
  const order = { accountId: terms.accountId, request, sendBefore: null }
  return sendOrder(order, summary, async ({ cause, failure, at }) => {
    // A broker that is merely busy takes it soon; an order that we keep back ourselves may be so for long.
    if (failure === 'Halted')
      await recordTrouble(run, { generation, kind: 'held', code: null, detail: cause }, at)
    else if (mayHaveSent(failure))
      await recordTrouble(run, { generation, kind: 'unknown', code: 'OUTCOME_UNKNOWN', detail: cause }, at)
    run.waitFor(`the broker to say whether it has the exit order (${cause})`)
  })
}
