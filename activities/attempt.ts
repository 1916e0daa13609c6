import { ApplicationFailure } from '@temporalio/activity'
import { entryToSend, RECORD_WITHIN, SEND_WITHIN } from '#domain/order/entry-order.ts'
import { asGoodTillDate } from '#domain/order/order.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { failureOfType } from '#domain/async/step-failure.ts'
import type {
  Activities,
  OrderAttempt,
  OrderAttempts,
  PreparedEntry,
  SubmitOrderInput,
  SubmitOrderResult,
  Tried,
} from './contract.ts'
import type { DecidedEntry } from './signal/deciding.ts'
import type { Permitted } from './order/throttle.ts'

/**
 * Checks, sends and records an order in one activity: one event in the history instead of three. A crash has the same
 * outcome as in the single activities; after a failed step the earlier steps count.
 */

export interface AttemptedSteps extends Pick<Activities, 'recordAccepted'> {
  /** Permits the order with its decision where possible, until `until` (milliseconds since the epoch). */
  decideEntry(terms: SignalTerms, until: number): Promise<DecidedEntry>
  /** `beganAt`: milliseconds since the epoch. */
  submitOrder(input: SubmitOrderInput, beganAt?: number, permitted?: Permitted): Promise<SubmitOrderResult>
}

export const orderAttempts = (
  { decideEntry, submitOrder, recordAccepted }: AttemptedSteps,
  { now = Date.now }: { now?(): number } = {},
): OrderAttempts => ({
  async attemptEntry(terms): Promise<OrderAttempt<PreparedEntry>> {
    const beganAt = now()
    const sendUntil = beganAt + SEND_WITHIN
    const checked = await tried(() => decideEntry(terms, sendUntil))
    if (!checked.completed) return { check: checked, submission: null, orderId: null }
    const { prepared, permitted } = checked.result
    const decided = { check: { completed: true as const, result: prepared }, submission: null, orderId: null }
    if (prepared.outcome !== 'ready' || (permitted === undefined && now() > sendUntil)) return decided
    const { request, sendBefore, sentAt = null } = entryToSend(terms, prepared)
    const input = { accountId: terms.accountId, request, sendBefore, unknownSince: sentAt }
    const submission = await tried(() => submitOrder(input, beganAt, permitted))
    if (!submission.completed || submission.result.outcome !== 'accepted' || now() - beganAt > RECORD_WITHIN)
      return { ...decided, submission }
    const report = asGoodTillDate(submission.result.report, terms.expiresAt, new Date(now()).toISOString())
    const { advisories } = prepared
    const recorded = await tried(() => recordAccepted({ report, advisories, acknowledges: [] }))
    const accepted = recorded.completed ? recorded.result : { orderId: null, report }
    return {
      ...decided,
      submission: { completed: true, result: { outcome: 'accepted', report: accepted.report } },
      orderId: accepted.orderId,
    }
  },
})

async function tried<T>(step: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { completed: true, result: await step() }
  } catch (error) {
    const failure = error instanceof ApplicationFailure ? error.type : (error as Error).name
    return { completed: false, cause: (error as Error).message, failure: failureOfType(failure) }
  }
}
