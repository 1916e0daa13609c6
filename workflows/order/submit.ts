import type { SubmitOrderInput, SubmitOrderResult } from '#activities/contract.ts'
import { mayHaveSent, persistStep, step, tryStep } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower } from './follower.ts'

/** Why the outcome of the first attempt to send an order is unknown. */
export interface SendingTrouble {
  cause: string
  /** The type of the failure. */
  failure: string
  /** Time of the attempt; UTC instant. */
  at: string
}

/**
 * Sends an order and finds out its outcome, however long that takes: one attempt as a local activity, then attempts with
 * the same client order id that look the order up first.
 *
 * @param onTrouble records that the outcome of the first attempt is unknown
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

/**
 * Writes down that an order was sent and its outcome is unknown, unless nothing can have been sent. Tells whether it may
 * have been.
 */
export async function recordTransmitted(
  run: OrderFollower,
  { cause, failure, at }: SendingTrouble,
): Promise<boolean> {
  if (!mayHaveSent(failure)) return false
  await step('recordTransmitted', 'Record that the outcome is unknown', { ...run.owner, at, cause })
  return true
}
