import { sleep } from '@temporalio/workflow'
import type { SubmitOrderResult } from '#activities/contract.ts'
import { compare, isPositive, isZero, type Decimal } from '#domain/decimal.ts'
import type { ExitRule, ExitStatus } from '#domain/exit.ts'
import { clientOrderIdFor, type OrderReport, type OrderRequest, type OrderSide } from '#domain/order.ts'
import { EXIT_SIDE, isOpening, type SignalTerms } from '#domain/signal.ts'
import { untilEnded, untilInstant } from './waits.ts'
import type { SignalRun } from './signal-run.ts'
import { persistStep, step, tryStep } from './steps.ts'
import { workflowNow } from './workflow-time.ts'

/** How an exit ended. */
export interface ExitEnd {
  status: ExitStatus
  reason: string | null
  filledQuantity: Decimal
  message: string
  /** The order whose end this is; the entry when no exit order was needed. */
  settles: string
}

/** Minutes to wait before a refused exit is tried again; the last one repeats. */
const REFUSAL_LADDER = [0.1, 0.25, 1, 5, 15]

/** Waits for the exit's time, sends it sized to the fill, and sees it to its end. */
export async function leave(run: SignalRun, entry: OrderReport, rule: ExitRule): Promise<ExitEnd> {
  const { terms } = run
  const entryEndedAt = workflowNow()
  const plan = await step('planExit', 'Resolve the exit time from the calendar', {
    signalId: terms.signalId,
    accountId: terms.accountId,
    rule,
    entry,
    entryEndedAt,
  })
  run.waitFor('the exit time', plan.submitAt)
  await untilInstant(plan.submitAt, `Exit ${entry.filledQuantity} ${terms.symbol} at ${plan.submitAt}`)

  run.waitFor('the exit order to be sent')
  const side = exitSide(terms)
  // A late fill may have come since the entry ended.
  const filled = run.report(entry.clientOrderId)?.filledQuantity ?? entry.filledQuantity
  const { quantity } = await step('sizeExit', 'Size the exit to what is held', {
    accountId: terms.accountId,
    symbol: terms.symbol,
    side,
    filledQuantity: filled,
    entryEndedAt,
  })
  if (isZero(quantity))
    return {
      status: 'cancelled',
      reason: 'POSITION_ALREADY_CLOSED',
      filledQuantity: '0',
      message: 'The position was closed before the exit was due; no exit order was needed',
      settles: entry.clientOrderId,
    }
  const sent = await placeExit(run, rule, side, quantity)
  run.waitFor('the exit order to end')
  return describeEnd(await untilEnded(run, sent.clientOrderId), quantity)
}

/** Places the exit order, again and again with a new client order id after each definitive refusal. */
async function placeExit(
  run: SignalRun,
  rule: ExitRule,
  side: OrderSide,
  quantity: Decimal,
): Promise<OrderReport> {
  const { terms } = run
  for (let generation = 1; ; generation += 1) {
    const request = exitRequest(terms, rule, side, quantity, generation)
    const answer = await submitExit(run, request, generation)
    if (answer.outcome === 'accepted') {
      await step('recordExitAccepted', 'Record the accepted exit', {
        signalId: terms.signalId,
        report: answer.report,
      })
      return run.note(answer.report)
    }
    const { code, detail } = answer
    await step('recordExitTrouble', `Record that the exit was refused: ${code}`, {
      signalId: terms.signalId,
      at: workflowNow(),
      generation,
      kind: 'refused',
      code,
      detail,
    })
    const pause = REFUSAL_LADDER[Math.min(generation, REFUSAL_LADDER.length) - 1]!
    run.waitFor(`another try of the exit, which the broker refused (${code}: ${detail})`)
    await sleep(`${pause} minutes`, { summary: `Try the refused exit of ${quantity} ${terms.symbol} again` })
  }
}

async function submitExit(
  run: SignalRun,
  request: OrderRequest,
  generation: number,
): Promise<SubmitOrderResult> {
  const { terms } = run
  const summary = `Send the exit order: ${request.side} ${request.quantity} ${request.symbol}`
  const input = { accountId: terms.accountId, request, unknownSince: null, notAfter: null }
  const firstTriedAt = workflowNow()
  const tried = await tryStep('submitOrder', summary, input)
  if (tried.settled) return tried.result
  await step('recordExitTrouble', 'Record that the exit is not settled', {
    signalId: terms.signalId,
    at: firstTriedAt,
    generation,
    kind: 'unknown',
    code: 'OUTCOME_UNKNOWN',
    detail: tried.cause,
  })
  run.waitFor(`the broker to say whether it has the exit order (${tried.cause})`)
  return persistStep('submitOrder', summary, { ...input, unknownSince: firstTriedAt })
}

function exitSide(terms: SignalTerms): OrderSide {
  if (!isOpening(terms.action)) throw new TypeError(`a ${terms.action} signal has no exit`)
  return EXIT_SIDE[terms.action]
}

const exitRequest = (
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

function describeEnd(exit: OrderReport, quantity: Decimal): ExitEnd {
  const end = { filledQuantity: exit.filledQuantity, settles: exit.clientOrderId }
  if (compare(exit.filledQuantity, quantity) >= 0)
    return {
      ...end,
      status: 'filled',
      reason: null,
      message: `The exit is filled: ${exit.filledQuantity} at ${exit.avgFillPrice}`,
    }
  const rest = `${exit.filledQuantity} of ${quantity} shares were closed; the rest has no exit`
  const reason = `EXIT_${exit.status}${exit.reason ? `: ${exit.reason}` : ''}`
  if (isPositive(exit.filledQuantity))
    return { ...end, status: 'partially_filled', reason, message: `The exit order ended early: ${rest}` }
  const status = exit.status === 'REJECTED' ? 'failed' : 'cancelled'
  return { ...end, status, reason, message: `The exit order ended without a fill: ${rest}` }
}
