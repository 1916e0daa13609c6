import type {
  Activities,
  Advisory,
  EndedBefore,
  NotedOrder,
  NotPlaced,
  OrderAttempt,
  SubmitOrderResult,
  Tried,
} from '#activities/contract.ts'
import type { HeldEntry } from '#domain/entry-check.ts'
import type { ExitProgress } from '#domain/exit-progress.ts'
import type { AcknowledgedEnd, OrderReport, OrderToSend } from '#domain/order.ts'
import { persistStep, step, tryStep, type StepResult } from '../steps/steps.ts'
import { runUnlessInterrupted } from '../steps/waits.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower, SendingTrouble } from './follower.ts'
import { sendOrder, type FirstAttempt } from './submit.ts'

/** Check, size, sending and record: in one attempt, the rest step by step; `follow.ts` sees it to its end. */

export interface DecidedOrder extends OrderToSend {
  name: string
  advisories?: Advisory[]
  acknowledges?(): AcknowledgedEnd[]
  /** Of the exit, once the order is accepted. */
  progress?(): ExitProgress
  resting?: NotedOrder
  /** After a first try that settled nothing. */
  inDoubt(trouble: SendingTrouble): Promise<void>
}

export type Placement =
  { outcome: 'accepted'; orderId: string } | Exclude<SubmitOrderResult, { outcome: 'accepted' }>

/** For as long as that takes, until the ledger and the run know the outcome. */
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
  const orderId = first?.orderId ?? (await record(answer.report))
  run.note(answer.report)
  return { outcome: 'accepted', orderId }

  async function record(report: OrderReport): Promise<string> {
    const recorded = await step('recordAccepted', `Record the accepted ${name}`, {
      accountId,
      report: run.asKept(report),
      advisories,
      acknowledges: order.acknowledges?.() ?? [],
      ...(order.progress && { progress: order.progress() }),
      ...(resting !== undefined && { resting }),
    })
    return recorded.orderId
  }
}

type Denied = { outcome: 'denied' } & Omit<NotPlaced, 'outcome'>
type Settled<Ready> = Ready | Denied | EndedBefore | HeldEntry

export interface Decided<Decision> {
  decision: Decision
  first: FirstAttempt | null
}

/** An entry or a manual order, which can be stopped until it is decided. */
export interface Opening<Ready extends { outcome: 'ready' }> {
  isStopped(): boolean
  /** Decides once, however often it is tried, and tries to send; null when it was stopped meanwhile. */
  decide(): Promise<Decided<Settled<Ready>> | null>
  /** False when the ledger has a decision of a lost worker, whose order may be at the broker. */
  stop(): Promise<boolean>
  decided(): void
  /** Nothing was sent, and it is decided again: it can be stopped again. */
  takenBack(detail: string): void
  order(ready: Ready): DecidedOrder
  accepted(orderId: string): void
  /** A stop from the ledger. */
  endedBefore(end: EndedBefore): void
  notPlaced(why: NotPlaced): void
}

/** Returns why the order requires approval instead; null when it has an outcome. */
export async function openOrder<Ready extends { outcome: 'ready' }>(
  run: OrderFollower,
  opening: Opening<Ready>,
): Promise<HeldEntry | null> {
  for (;;) {
    const decided = await untilDecided(opening)
    if (decided === null) return null
    const { decision, first } = decided
    if (decision.outcome === 'held') return decision
    if (await carryOut(run, opening, decision, first)) return null
    // The attempt that was lost can send nothing any more.
    run.lostAttempt = null
  }
}

async function carryOut<Ready extends { outcome: 'ready' }>(
  run: OrderFollower,
  opening: Opening<Ready>,
  decision: Ready | Denied | EndedBefore,
  first: FirstAttempt | null,
): Promise<boolean> {
  if (decision.outcome === 'ended') {
    opening.endedBefore(decision)
    return true
  }
  opening.decided()
  const placement =
    decision.outcome === 'denied' ? decision : await placeOrder(run, opening.order(decision), first)
  if (placement.outcome === 'accepted') {
    opening.accepted(placement.orderId)
    return true
  }
  if (placement.outcome === 'void') {
    opening.takenBack(placement.detail)
    return false
  }
  const { outcome, code, detail } = placement
  const isRefused = (outcome === 'denied' && code !== 'STALE') || outcome === 'rejected'
  const why: NotPlaced = { outcome: isRefused ? 'rejected' : 'not_placed', code, detail }
  await persistStep('recordNotPlaced', `Record that no order was placed: ${code}`, {
    ...run.owner,
    at: workflowNow(),
    ...why,
  })
  opening.notPlaced(why)
  return true
}

/** Null when it was stopped, and has ended with that. */
async function untilDecided<Ready extends { outcome: 'ready' }>(
  opening: Opening<Ready>,
): Promise<Decided<Settled<Ready>> | null> {
  let decided: Decided<Settled<Ready>> | null = null
  for (;;) {
    if (!opening.isStopped()) decided ??= await opening.decide()
    if (decided !== null && !opening.isStopped()) return decided
    if (await opening.stop()) return null
  }
}

interface Checking<K extends 'prepareEntry' | 'prepareManualOrder'> {
  attempt(): Promise<Tried<OrderAttempt<StepResult<K>>>>
  check: K
  summary: string
  terms: Parameters<Activities[K]>[0]
  /** The end of the wait for the check; null when only a stop ends it. */
  until: string | null
  waitForStop(cause: string): Promise<void>
}

/** Null when it was stopped before it was checked. */
export async function attemptUnlessStopped<K extends 'prepareEntry' | 'prepareManualOrder'>(
  run: OrderFollower,
  { attempt, check, summary, terms, until, waitForStop }: Checking<K>,
): Promise<Decided<StepResult<K>> | null> {
  const at = workflowNow()
  // One that was not heard of may still run: the order is not sent again as if for the first time.
  const attempted = run.lostAttempt === null ? await attempt() : null
  if (attempted?.completed === false) {
    const { cause, failure } = attempted
    run.lostAttempt = { cause, failure, at }
  }
  const args = [terms] as Parameters<Activities[K]>
  const checked = attempted?.completed ? attempted.result.check : await tryStep(check, summary, ...args)
  let decision: StepResult<K> | null = checked.completed ? checked.result : null
  if (!checked.completed) {
    run.waitFor(`the checks before the order (${checked.cause})`, until)
    decision = await runUnlessInterrupted(
      () => waitForStop(checked.cause),
      () => persistStep(check, summary, ...args),
    )
  }
  return decision === null ? null : { decision, first: firstAttempt(run, at, attempted) }
}

function firstAttempt(
  { lostAttempt }: OrderFollower,
  at: string,
  attempted: Tried<OrderAttempt<unknown>> | null,
): FirstAttempt | null {
  if (lostAttempt !== null) {
    const { cause, failure, at: began } = lostAttempt
    return { at: began, submission: { completed: false, cause, failure }, orderId: null }
  }
  if (!attempted?.completed || attempted.result.submission === null) return null
  const { submission, orderId } = attempted.result
  return { at, submission, orderId }
}
