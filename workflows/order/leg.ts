import type { Activities, Advisory, NotPlaced, SubmitOrderResult } from '#activities/contract.ts'
import type { OrderRequest, AcknowledgedEnd } from '#domain/order.ts'
import { persistStep, step, tryStep, type StepName, type StepResult } from '../steps/steps.ts'
import { runUnlessInterrupted } from '../steps/waits.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower } from './follower.ts'
import { sendOrder, type SendingTrouble } from './submit.ts'

/**
 * The way of an order to its broker, whoever asks for it: an entry, an exit, or a person. It is checked and sized, sent,
 * and recorded; `follow.ts` sees it to its end.
 */

/** An order that is decided. */
export interface DecidedOrder {
  /** What operators read, such as `entry order`. */
  name: string
  request: OrderRequest
  /** Past this instant it is not sent any more; null for an order that is never too old. */
  sendBefore: string | null
  /** What its check had to say beside. */
  advisories?: Advisory[]
  /** Orders whose ends are noted with its acceptance. */
  acknowledges?(): AcknowledgedEnd[]
  /** Takes note of a first try that settled nothing. */
  inDoubt(trouble: SendingTrouble): Promise<void>
}

/** `orderId`: our id of the order that the broker has now. */
export type Placement =
  { outcome: 'accepted'; orderId: string } | Exclude<SubmitOrderResult, { outcome: 'accepted' }>

/** Sends an order that is decided, for as long as that takes, and sees that the ledger and the run know of it. */
export async function placeOrder(run: OrderFollower, order: DecidedOrder): Promise<Placement> {
  const { accountId } = run
  const { name, request, sendBefore, advisories = [] } = order
  const summary = `Send the ${name}: ${request.side} ${request.quantity} ${request.symbol}`
  const answer = await sendOrder({ accountId, request, sendBefore }, summary, async (trouble) => {
    await order.inDoubt(trouble)
    run.waitFor(`the broker to say whether it has the ${name} (${trouble.cause})`)
  })
  if (answer.outcome !== 'accepted') return answer
  const report = run.asKept(answer.report)
  const { orderId } = await step('recordAccepted', `Record the accepted ${name}`, {
    accountId,
    report,
    advisories,
    acknowledges: order.acknowledges?.() ?? [],
  })
  run.note(answer.report)
  return { outcome: 'accepted', orderId }
}

type Denied = { outcome: 'denied' } & Omit<NotPlaced, 'outcome'>

/** An order that is checked before it is sent, and can be stopped until then: an entry, or a manual order. */
export interface Opening<Ready extends { outcome: 'ready' }> {
  /** Somebody wants it stopped before it is sent. */
  isStopped(): boolean
  /** Decides whether it may be sent, once however often it is tried; null when it was stopped meanwhile. */
  decide(): Promise<Ready | Denied | null>
  /**
   * Ends what somebody wants stopped, and tells whether it did: not when the ledger knows of a decision to send the order,
   * taken by a worker whose loss left no trace of it in the history. Then the order may be at the broker.
   */
  stop(): Promise<boolean>
  /** It is decided and cannot be stopped any more. */
  decided(): void
  order(ready: Ready): DecidedOrder
  accepted(orderId: string): void
  /** Nothing was placed, which is in the ledger. */
  notPlaced(why: NotPlaced): void
}

/** Checks, sizes and sends an order, unless somebody stops it before that is decided. */
export async function openOrder<Ready extends { outcome: 'ready' }>(
  run: OrderFollower,
  opening: Opening<Ready>,
): Promise<void> {
  const decision = await untilDecided(opening)
  if (decision === null) return
  opening.decided()
  const placement = decision.outcome === 'denied' ? decision : await placeOrder(run, opening.order(decision))
  if (placement.outcome === 'accepted') return opening.accepted(placement.orderId)
  const { outcome, code, detail } = placement
  const isRefused = outcome === 'denied' || outcome === 'rejected'
  const why: NotPlaced = { outcome: isRefused ? 'rejected' : 'not_placed', code, detail }
  await persistStep('recordNotPlaced', `Record that no order was placed: ${code}`, {
    ...run.owner,
    at: workflowNow(),
    ...why,
  })
  opening.notPlaced(why)
}

/** Null when it was stopped, and has ended with that. */
async function untilDecided<Ready extends { outcome: 'ready' }>(
  opening: Opening<Ready>,
): Promise<Ready | Denied | null> {
  for (;;) {
    const decision = opening.isStopped() ? null : await opening.decide()
    if (decision !== null && !opening.isStopped()) return decision
    if (await opening.stop()) return null
  }
}

/** Has a step check an order, for as long as that takes; null when it was stopped before the step was done. */
export async function checkUnlessStopped<K extends StepName>(
  run: OrderFollower,
  { summary, until, waitForStop }: { summary: string; until: string | null; waitForStop(): Promise<void> },
  name: K,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K> | null> {
  const tried = await tryStep(name, summary, ...args)
  if (tried.completed) return tried.result
  run.waitFor(`the checks before the order (${tried.cause})`, until)
  return runUnlessInterrupted(waitForStop, () => persistStep(name, summary, ...args))
}
