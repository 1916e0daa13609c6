import type {
  Activities,
  Advisory,
  EndedBefore,
  NotPlaced,
  OrderAttempt,
  SubmitOrderResult,
  Tried,
} from '#activities/contract.ts'
import type { HeldEntry } from '#domain/entry-check.ts'
import type { ExitProgress } from '#domain/exit-progress.ts'
import type { RestingOrder } from '#domain/protection.ts'
import type { AcknowledgedEnd, OrderReport, OrderToSend } from '#domain/order.ts'
import { persistStep, step, tryStep, type StepResult } from '../steps/steps.ts'
import { runUnlessInterrupted } from '../steps/waits.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower, SendingTrouble } from './follower.ts'
import { sendOrder, type FirstAttempt } from './submit.ts'

/**
 * The way of an order to its broker, whoever asks for it: an entry, an exit, or a person. It is checked and sized, sent,
 * and recorded; `follow.ts` sees it to its end. For an entry and a manual order one attempt does all of that if it can;
 * what it does not complete goes on step by step.
 */

/** An order that is decided. */
export interface DecidedOrder extends OrderToSend {
  /** The words for operators, such as `entry order`. */
  name: string
  /** The further findings of its check. */
  advisories?: Advisory[]
  /** Orders whose ends are noted with its acceptance. */
  acknowledges?(): AcknowledgedEnd[]
  /** How far the exit has come with its acceptance; absent for any other order. */
  progress?: ExitProgress
  /** The part of an exit plan that lies at the broker with it; absent for a signal without a plan. */
  resting?: RestingOrder | null
  /** Takes note of a first try that settled nothing. */
  inDoubt(trouble: SendingTrouble): Promise<void>
}

/** `orderId`: our id of the order that the broker has now. */
export type Placement =
  { outcome: 'accepted'; orderId: string } | Exclude<SubmitOrderResult, { outcome: 'accepted' }>

/** Sends an order that is decided, for as long as that takes, and sees that the ledger and the run know of it. */
export async function placeOrder(
  run: OrderFollower,
  order: DecidedOrder,
  first: FirstAttempt | null = null,
): Promise<Placement> {
  const { accountId } = run
  const { name, request, sendBefore, sentAt = null, advisories = [], progress, resting } = order
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
      ...(progress && { progress }),
      ...(resting !== undefined && { resting }),
    })
    return recorded.orderId
  }
}

type Denied = { outcome: 'denied' } & Omit<NotPlaced, 'outcome'>
type Settled<Ready> = Ready | Denied | EndedBefore | HeldEntry

/** A decision, and what the attempt that took it made of the order; null when it did not come to that. */
export interface Decided<Decision> {
  decision: Decision
  first: FirstAttempt | null
}

/** An order that is checked before it is sent, and can be stopped until then: an entry, or a manual order. */
export interface Opening<Ready extends { outcome: 'ready' }> {
  /** The order is to be stopped before it is sent. */
  isStopped(): boolean
  /** Decides whether it may be sent, once however often it is tried, and tries that; null when it was stopped meanwhile. */
  decide(): Promise<Decided<Settled<Ready>> | null>
  /**
   * Ends an order that is to be stopped, and tells whether it did: not when the ledger knows of a decision to send the order,
   * taken by a worker whose loss left no trace of it in the history. Then the order may be at the broker.
   */
  stop(): Promise<boolean>
  /** The order is decided and cannot be stopped any more. */
  decided(): void
  /** Nothing has left, and it is decided on anew: it can be stopped again. */
  takenBack(detail: string): void
  order(ready: Ready): DecidedOrder
  accepted(orderId: string): void
  /** Takes note of a stop that is in the ledger. */
  endedBefore(end: EndedBefore): void
  /** Nothing was placed, which is in the ledger. */
  notPlaced(why: NotPlaced): void
}

/**
 * Checks, sizes and sends an order, unless it is stopped before that is decided. Returns why it waits for a person instead,
 * which is in the ledger; null when it has an outcome.
 */
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

/** False when the decision was taken back, so that it is to be decided on anew. */
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

/** How an order is checked, and what may keep that from being done. */
interface Checking<K extends 'prepareEntry' | 'prepareManualOrder'> {
  /** Checks the order and goes on from there, as far as one attempt gets. */
  attempt(): Promise<Tried<OrderAttempt<StepResult<K>>>>
  /** The step that only checks it. */
  check: K
  summary: string
  terms: Parameters<Activities[K]>[0]
  /** UTC instant at which the wait for the check ends; null when nothing ends it but a stop. */
  until: string | null
  /**
   * Resolves when the order is to be stopped.
   *
   * @param cause why it could not be checked, in words
   */
  waitForStop(cause: string): Promise<void>
}

/**
 * Checks an order, and sends and records it where one attempt can do all of that; null when it was stopped before it was
 * checked.
 */
export async function attemptUnlessStopped<K extends 'prepareEntry' | 'prepareManualOrder'>(
  run: OrderFollower,
  { attempt, check, summary, terms, until, waitForStop }: Checking<K>,
): Promise<Decided<StepResult<K>> | null> {
  const at = workflowNow()
  // One of which nothing was heard may still run: the order is not sent again as if for the first time.
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

/** The knowledge of an attempt that began at `at`; null when it sent nothing. */
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
  const { submission, orderId, ended } = attempted.result
  return { at, submission, orderId, ended }
}
