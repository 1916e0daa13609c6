import { ApplicationFailure } from '@temporalio/activity'
import { entryToSend } from '#domain/entry-order.ts'
import { RECORD_WITHIN, SEND_WITHIN } from '#domain/entry-times.ts'
import { manualOrderToSend, type ManualOrderDecision, type ManualOrderTerms } from '#domain/manual-order.ts'
import { asGoodTillDate, type OrderReport, type OrderToSend } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { failureOfType } from '#domain/step-failure.ts'
import type {
  Activities,
  EndedBefore,
  OrderAttempt,
  OrderAttempts,
  PreparedEntry,
  SubmitOrderInput,
  SubmitOrderResult,
  Tried,
} from './contract.ts'
import type { DecidedEntry } from './entry/decide.ts'
import type { LetOut } from './order/throttle.ts'

/**
 * Check, sending and record of an order in one activity: one event in the history instead of three. The steps
 * are those of the long way, so the same holds wherever the process dies. A failing step ends the attempt; the
 * steps before it count.
 */

export interface AttemptedSteps extends Pick<Activities, 'prepareManualOrder' | 'recordAccepted'> {
  /** Sends the order with its decision where it can, but not later than `until`. */
  decideEntry(terms: SignalTerms, until: number): Promise<DecidedEntry>
  /** `beganAt`: of the attempt. `letOut`: the throttle has permitted the order already. */
  submitOrder(input: SubmitOrderInput, beganAt?: number, letOut?: LetOut): Promise<SubmitOrderResult>
}

export function orderAttempts(
  steps: AttemptedSteps,
  { now = Date.now }: { now?(): number } = {},
): OrderAttempts {
  return {
    attemptEntry: (terms) =>
      attempt<PreparedEntry>(steps, now, {
        accountId: terms.accountId,
        check: (until) => steps.decideEntry(terms, until),
        order: (entry) => entryToSend(terms, entry),
        asKept: (report) => asGoodTillDate(report, terms.expiresAt, new Date(now()).toISOString()),
      }),
    attemptManualOrder: (terms: ManualOrderTerms) =>
      attempt<ManualOrderDecision | EndedBefore>(steps, now, {
        accountId: terms.accountId,
        check: async () => ({ prepared: await steps.prepareManualOrder(terms) }),
        order: (decision) => manualOrderToSend(terms, decision),
        asKept: (report) => report,
      }),
  }
}

type Decision = PreparedEntry | ManualOrderDecision | EndedBefore
type Ready<D> = Extract<D, { outcome: 'ready' }>

interface AttemptedOrder<D extends Decision> {
  accountId: string
  /** @param until no order leaves later; milliseconds since the epoch */
  check(until: number): Promise<{ prepared: D; letOut?: LetOut }>
  order(ready: Ready<D>): OrderToSend
  asKept(report: OrderReport): OrderReport
}

async function attempt<D extends Decision>(
  { submitOrder, recordAccepted }: AttemptedSteps,
  now: () => number,
  { accountId, check, order, asKept }: AttemptedOrder<D>,
): Promise<OrderAttempt<D>> {
  const beganAt = now()
  const sendUntil = beganAt + SEND_WITHIN
  const checked = await tried(() => check(sendUntil))
  if (!checked.completed) return { check: checked, submission: null, orderId: null }
  const { prepared, letOut } = checked.result
  const decided = { check: { completed: true as const, result: prepared }, submission: null, orderId: null }
  if (prepared.outcome !== 'ready' || (letOut === undefined && now() > sendUntil)) return decided
  const { request, sendBefore, sentAt = null } = order(prepared as Ready<D>)
  const input = { accountId, request, sendBefore, unknownSince: sentAt }
  const submission = await tried(() => submitOrder(input, beganAt, letOut))
  if (!submission.completed || submission.result.outcome !== 'accepted' || now() - beganAt > RECORD_WITHIN)
    return { ...decided, submission }
  const report = asKept(submission.result.report)
  const { advisories } = prepared
  const recorded = await tried(() => recordAccepted({ accountId, report, advisories, acknowledges: [] }))
  const orderId = recorded.completed ? recorded.result.orderId : null
  return {
    ...decided,
    submission: { completed: true, result: { outcome: 'accepted', report } },
    orderId,
  }
}

async function tried<T>(step: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { completed: true, result: await step() }
  } catch (error) {
    const failure = error instanceof ApplicationFailure ? error.type : (error as Error).name
    return { completed: false, cause: (error as Error).message, failure: failureOfType(failure) }
  }
}
