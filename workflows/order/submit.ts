import type { SubmitOrderInput, SubmitOrderResult, Tried } from '#activities/contract.ts'
import { MAY_HAVE_SENT } from '#domain/step-failure.ts'
import { persistStep, step, tryStep } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower, SendingTrouble } from './follower.ts'

export interface FirstAttempt {
  at: string
  /** Not completed, too, when nothing was heard of the attempt, which may still run. */
  submission: Tried<SubmitOrderResult>
  orderId: string | null
}

/**
 * First a local activity, then attempts with the same client order id that look the order up first. `first`: the
 * attempt that checked the order, if it may have sent it. `onTrouble` records its unknown outcome.
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

/** Returns whether the order may have been sent. */
export async function recordTransmitted(
  run: OrderFollower,
  { cause, failure, at }: SendingTrouble,
): Promise<boolean> {
  if (!MAY_HAVE_SENT[failure]) return false
  await step('recordTransmitted', 'Record that the outcome is unknown', { signalId: run.signalId, at, cause })
  return true
}
