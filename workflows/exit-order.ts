import type { SubmitOrderInput, SubmitOrderResult } from '#activities/contract.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { ExitRule } from '#domain/exit.ts'
import { clientOrderIdFor, type OrderRequest, type OrderSide } from '#domain/order.ts'
import { EXIT_SIDE, isOpening, type SignalTerms } from '#domain/signal.ts'
import type { SignalRun } from './signal-run.ts'
import { mayHaveSent, persistStep, step, tryStep } from './steps.ts'
import { workflowNow } from './workflow-time.ts'

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
  const input: SubmitOrderInput = { accountId: terms.accountId, request, unknownSince: null, notAfter: null }
  const firstTriedAt = workflowNow()
  const tried = await tryStep('submitOrder', summary, input)
  if (tried.settled) return tried.result

  if (mayHaveSent(tried.failure))
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
