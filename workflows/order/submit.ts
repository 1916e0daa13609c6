import type { SubmitOrderInput, SubmitOrderResult, Tried } from '#activities/contract.ts'
import type { AcknowledgedEnd } from '#domain/order.ts'
import { MAY_HAVE_SENT } from '#domain/step-failure.ts'
import { persistStep, step, tryStep } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower, SendingTrouble } from './follower.ts'

/** The result of the attempt that checked an order. */
export interface FirstAttempt {
  /** Its beginning; UTC instant. */
  at: string
  /** The outcome of sending the order. Not completed, too, when nothing was heard of the attempt, which may still run. */
  submission: Tried<SubmitOrderResult>
  /** Our id of the order, once its acceptance is in the ledger. */
  orderId: string | null
  /** The end of the order, where the attempt has recorded that the signal has ended with it. */
  ended?: AcknowledgedEnd | undefined
}

/**
 * Sends an order and finds out its outcome, however long that takes: one attempt as a local activity, then attempts with
 * the same client order id that look the order up first.
 *
 * @param first the attempt that checked the order, if it may have sent it
 * @param onTrouble records that the outcome of the first attempt is unknown
 */
export async function sendOrder(
  input: SubmitOrderInput,
  summary: string,
  first: FirstAttempt | null,
  onTrouble: (trouble: SendingTrouble) => Promise<void>,
): Promise<SubmitOrderResult> {
  const at = first?.at ?? workflowNow()
  const tried = first?.submission ?? (await tryStep('submitOrder', summary, input))
  if (tried.completed) return tried.result
  await onTrouble({ cause: tried.cause, failure: tried.failure, at })
  return persistStep('submitOrder', summary, { ...input, unknownSince: input.unknownSince ?? at })
}

/**
 * Writes down that an order was sent and its outcome is unknown, unless nothing can have been sent. Tells whether it may
 * have been.
 */
export async function recordTransmitted(
  run: OrderFollower,
  { cause, failure, at }: SendingTrouble,
): Promise<boolean> {
  if (!MAY_HAVE_SENT[failure]) return false
  await step('recordTransmitted', 'Record that the outcome is unknown', { ...run.owner, at, cause })
  return true
}
