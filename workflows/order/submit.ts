import type { SubmitOrderInput, SubmitOrderResult } from '#activities/contract.ts'
import { persistStep, tryStep } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** Why the first try to send an order has settled nothing. */
export interface SendingTrouble {
  cause: string
  /** The type of the failure. */
  failure: string
  /** When it was tried; UTC instant. */
  at: string
}

/**
 * Sends an order and finds out what became of it, for as long as that takes: tried once on the spot, and then under the
 * same client order id, looked up first.
 *
 * @param onTrouble takes note of a first try that settled nothing
 */
export async function sendOrder(
  order: Pick<SubmitOrderInput, 'accountId' | 'request' | 'sendBefore'>,
  summary: string,
  onTrouble: (trouble: SendingTrouble) => Promise<void>,
): Promise<SubmitOrderResult> {
  const input: SubmitOrderInput = { ...order, unknownSince: null }
  const at = workflowNow()
  const tried = await tryStep('submitOrder', summary, input)
  if (tried.completed) return tried.result
  await onTrouble({ cause: tried.cause, failure: tried.failure, at })
  return persistStep('submitOrder', summary, { ...input, unknownSince: at })
}
