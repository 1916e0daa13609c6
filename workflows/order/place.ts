import type {
  SubmitOrderInput,
  SubmitOrderResult,
  Tried,
  Advisory,
  NotedOrder,
} from '#activities/contract.ts'
import { MAY_HAVE_SENT } from '#domain/async/step-failure.ts'
import { runDurable, step, runLocal } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower, SendingTrouble } from './follow.ts'
import type { ExitProgress } from '#domain/exit/progress.ts'
import type { AcknowledgedEnd, OrderReport, OrderToSend } from '#domain/order/order.ts'

export interface FirstAttempt {
  at: string
  /** Not completed, too, when the attempt was lost. */
  submission: Tried<SubmitOrderResult>
  orderId: string | null
}

/**
 * Sends by a local activity, then by attempts that look the order up first. `first`: the attempt that checked the
 * order, if it may have sent it.
 */
async function sendOrder(
  input: SubmitOrderInput,
  summary: string,
  first: FirstAttempt | null,
  onTrouble: (trouble: SendingTrouble) => Promise<void>,
): Promise<SubmitOrderResult> {
  const at = first?.at ?? workflowNow()
  const tried = first?.submission ?? (await runLocal('submitOrder', summary, input))
  if (tried.completed) return tried.result
  await onTrouble({ cause: tried.cause, failure: tried.failure, at })
  return runDurable('submitOrder', summary, { ...input, unknownSince: input.unknownSince ?? at })
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

export interface DecidedOrder extends OrderToSend {
  name: string
  advisories?: Advisory[]
  acknowledges?(): AcknowledgedEnd[]
  progress?(): ExitProgress
  resting?: NotedOrder
  /** Called after a first try without an outcome. */
  inDoubt(trouble: SendingTrouble): Promise<void>
}

export type Placement =
  { outcome: 'accepted'; orderId: string } | Exclude<SubmitOrderResult, { outcome: 'accepted' }>

/** Places an order, and retries until ledger and run know the outcome. */
export async function placeOrder(
  run: OrderFollower,
  order: DecidedOrder,
  first: FirstAttempt | null = null,
): Promise<Placement> {
  const { accountId } = run
  const { name, request, sendBefore, sentAt = null, advisories = [], resting } = order
  const summary = `Send the ${name}: ${request.side} ${request.quantity} ${request.symbol}`
  const answer = await sendOrder(
    { accountId, request, sendBefore, unknownSince: sentAt },
    summary,
    first,
    async (trouble) => {
      await order.inDoubt(trouble)
      run.waitFor(`the broker to say whether it has the ${name} (${trouble.cause})`)
    },
  )
  if (answer.outcome !== 'accepted') return answer
  const { report } = answer
  const accepted = first?.orderId != null ? { orderId: first.orderId, report } : await record()
  run.note(accepted.report)
  return { outcome: 'accepted', orderId: accepted.orderId }

  function record(): Promise<{ orderId: string; report: OrderReport }> {
    return step('recordAccepted', `Record the accepted ${name}`, {
      report: run.asKept(report),
      advisories,
      acknowledges: order.acknowledges?.() ?? [],
      ...(order.progress && { progress: order.progress() }),
      ...(resting !== undefined && { resting }),
    })
  }
}
