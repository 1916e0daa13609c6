import { ApplicationFailure } from '@temporalio/activity'
import { entryToSend } from '#domain/entry-order.ts'
import { manualOrderToSend, type ManualOrderDecision, type ManualOrderTerms } from '#domain/manual-order.ts'
import { asGoodTillDate, type OrderReport, type OrderToSend } from '#domain/order.ts'
import type {
  Activities,
  OrderAttempt,
  OrderAttempts,
  PreparedEntry,
  SubmitOrderInput,
  SubmitOrderResult,
  Tried,
} from './contract.ts'
import type { OrdersInFlight } from './orders-in-flight.ts'

/**
 * The way of an order from its check to its record in one activity: one event in the history instead of three, and one
 * local activity for whoever waits for the answer. It is made of the same steps as the long way, so the same holds for
 * both wherever the process dies. A step that fails ends the attempt; what the steps before it did counts.
 */

/** The steps that attempts are made of. */
export interface AttemptedSteps extends Pick<
  Activities,
  'prepareEntry' | 'prepareManualOrder' | 'recordAccepted'
> {
  /** @param beganAt when the attempt began, which is given up some time after that; milliseconds since the epoch */
  submitOrder(input: SubmitOrderInput, beganAt: number): Promise<SubmitOrderResult>
}

/** How long a market order that was accepted is waited for to fill before it is recorded; milliseconds. */
const FILL_PATIENCE = 25

/**
 * Milliseconds from the beginning of an attempt, which the workflow gives up after 1,500. A step that begins late would
 * have less than its time, and be done a second time: it is left to the workflow, which gives each step a time of its own.
 */
const SEND_WITHIN = 400
const RECORD_WITHIN = 1_100
const HOLD_REPORTS_FOR = 1_400

interface AttemptDependencies {
  /** Milliseconds since the epoch. */
  now?(): number
  /** Where the feed of this process tells of orders that are being sent; none where there is no feed. */
  inFlight?: OrdersInFlight | undefined
}

/** Makes one attempt of several steps. */
export function orderAttempts(
  steps: AttemptedSteps,
  { now = Date.now, inFlight }: AttemptDependencies = {},
): OrderAttempts {
  return {
    attemptEntry: (terms) =>
      attempt<PreparedEntry>(steps, now, {
        // What follows a fill, the planning of the exit or the exit itself, would come before the sender is answered.
        inFlight: terms.orderType === 'market' && terms.exit === null ? inFlight : undefined,
        accountId: terms.accountId,
        check: () => steps.prepareEntry(terms),
        order: (entry) => entryToSend(terms, entry),
        asKept: (report) => asGoodTillDate(report, terms.expiresAt, new Date(now()).toISOString()),
      }),
    attemptManualOrder: (terms: ManualOrderTerms) =>
      attempt<ManualOrderDecision>(steps, now, {
        inFlight: terms.orderType === 'market' ? inFlight : undefined,
        accountId: terms.accountId,
        check: () => steps.prepareManualOrder(terms),
        order: (decision) => manualOrderToSend(terms, decision),
        asKept: (report) => report,
      }),
  }
}

type Decision = PreparedEntry | ManualOrderDecision
type Ready<D> = Extract<D, { outcome: 'ready' }>

interface AttemptedOrder<D extends Decision> {
  accountId: string
  /** Given for an order that may fill at once. */
  inFlight: OrdersInFlight | undefined
  check(): Promise<D>
  order(ready: Ready<D>): OrderToSend
  /** A report as the ledger takes it. */
  asKept(report: OrderReport): OrderReport
}

async function attempt<D extends Decision>(
  { submitOrder, recordAccepted }: AttemptedSteps,
  now: () => number,
  { accountId, inFlight, check, order, asKept }: AttemptedOrder<D>,
): Promise<OrderAttempt<D>> {
  const beganAt = now()
  const checked = await tried(check)
  const decision = checked.completed ? checked.result : null
  if (decision?.outcome !== 'ready' || now() - beganAt > SEND_WITHIN)
    return { check: checked, submission: null, orderId: null }
  const { request, sendBefore } = order(decision as Ready<D>)
  const left = HOLD_REPORTS_FOR - (now() - beganAt)
  const sending = inFlight?.watch(accountId, request.clientOrderId, left)
  try {
    const input = { accountId, request, sendBefore, unknownSince: null }
    const submission = await tried(() => submitOrder(input, beganAt))
    if (!submission.completed || submission.result.outcome !== 'accepted')
      return { check: checked, submission, orderId: null }
    const answered = submission.result.report
    if (now() - beganAt > RECORD_WITHIN) return { check: checked, submission, orderId: null }
    const report = asKept((await sending?.end(answered, FILL_PATIENCE)) ?? answered)
    const { advisories } = decision
    const recorded = await tried(() => recordAccepted({ accountId, report, advisories, acknowledges: [] }))
    return {
      check: checked,
      submission: { completed: true, result: { outcome: 'accepted', report } },
      orderId: recorded.completed ? recorded.result.orderId : null,
    }
  } finally {
    sending?.over()
  }
}

async function tried<T>(step: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { completed: true, result: await step() }
  } catch (error) {
    const failure = error instanceof ApplicationFailure ? error.type : (error as Error).name
    return { completed: false, cause: (error as Error).message, failure: failure ?? 'Error' }
  }
}
