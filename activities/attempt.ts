import { setTimeout } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/activity'
import { isPositive } from '#domain/decimal.ts'
import { entryToSend } from '#domain/entry-order.ts'
import {
  FILL_PATIENCE,
  FILL_RECORDED_WITHIN,
  HOLD_REPORTS_FOR,
  LONGEST_WAIT,
  RECORD_WITHIN,
  SEND_WITHIN,
} from '#domain/entry-times.ts'
import { manualOrderToSend, type ManualOrderDecision, type ManualOrderTerms } from '#domain/manual-order.ts'
import { asGoodTillDate, fillsAtOnce, isTerminal, type OrderReport, type OrderToSend } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { failureOfType } from '#domain/step-failure.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import type {
  Activities,
  Advisory,
  EndedBefore,
  OrderAttempt,
  OrderAttempts,
  PreparedEntry,
  RecordAcceptedInput,
  SignalEndInput,
  SubmitOrderInput,
  SubmitOrderResult,
  Tried,
} from './contract.ts'
import { EntryHandover, type Waiting } from './handover/entry-handover.ts'
import { endOfFilled } from './order/filled-at-once.ts'
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
  /** `isClosed`: the end is recorded. */
  recordAcceptedAndClosed(
    input: RecordAcceptedInput & { end: SignalEndInput },
  ): Promise<{ orderId: string; isClosed: boolean }>
  recordProgress(input: { accountId: string; report: OrderReport }): Promise<unknown>
}

interface AttemptDependencies {
  now?(): number
  handover?: EntryHandover | undefined
}

export function orderAttempts(
  steps: AttemptedSteps,
  { now = Date.now, handover = new EntryHandover() }: AttemptDependencies = {},
): OrderAttempts {
  const attemptEntry = (terms: SignalTerms, request: Waiting): Promise<OrderAttempt<PreparedEntry>> =>
    attempt<PreparedEntry>(steps, now, {
      accountId: terms.accountId,
      check: (until) => steps.decideEntry(terms, until),
      order: (entry) => entryToSend(terms, entry),
      sending() {
        const { isAwaited } = request
        // Otherwise the exit would be planned, or sent, before the sender of the signal is answered.
        const mayFillMeanwhile = isAwaited || terms.exit === null || terms.executeMode === 'scheduled'
        return {
          meeting: fillsAtOnce(terms) && mayFillMeanwhile ? handover : undefined,
          ...(isAwaited && {
            answer: (orderId, { advisories }) => request.tell(executed(orderId, advisories)),
          }),
        }
      },
      asKept: (report) => asGoodTillDate(report, terms.expiresAt, new Date(now()).toISOString()),
      end: (report) => endOfFilled(terms, report, new Date(now()).toISOString()),
    })

  return {
    attemptEntry: (terms, isBegun = false) =>
      handover[isBegun ? 'begin' : 'attempt'](terms.signalId, (request) => attemptEntry(terms, request)),
    attemptManualOrder: (terms: ManualOrderTerms) =>
      attempt<ManualOrderDecision | EndedBefore>(steps, now, {
        accountId: terms.accountId,
        sending: () => ({ meeting: fillsAtOnce(terms) ? handover : undefined }),
        check: async () => ({ prepared: await steps.prepareManualOrder(terms) }),
        order: (decision) => manualOrderToSend(terms, decision),
        asKept: (report) => report,
        end: () => null,
      }),
  }
}

/** No execution, so no fill to report. */
const endedUnfilled = ({ status, filledQuantity }: OrderReport): boolean =>
  isTerminal(status) && !isPositive(filledQuantity)

const executed = (orderId: string, advisories: Advisory[]): EntryAnswer => ({
  status: 'executed',
  orderId,
  reason: null,
  detail: null,
  ...(advisories.length > 0 && { advisories }),
})

type Decision = PreparedEntry | ManualOrderDecision | EndedBefore
type Ready<D> = Extract<D, { outcome: 'ready' }>

interface AttemptedOrder<D extends Decision> {
  accountId: string
  /** @param until no order leaves later; milliseconds since the epoch */
  check(until: number): Promise<{ prepared: D; letOut?: LetOut }>
  order(ready: Ready<D>): OrderToSend
  sending(): BesideSending<D>
  asKept(report: OrderReport): OrderReport
  /** The end of the signal by this report; null when something follows, or its workflow records it. */
  end(report: OrderReport): SignalEndInput | null
}

interface BesideSending<D extends Decision> {
  meeting: EntryHandover | undefined
  answer?(orderId: string, ready: Ready<D>): void
}

async function attempt<D extends Decision>(
  { submitOrder, recordAccepted, recordAcceptedAndClosed, recordProgress }: AttemptedSteps,
  now: () => number,
  { accountId, check, order, sending: besideSending, asKept, end }: AttemptedOrder<D>,
): Promise<OrderAttempt<D>> {
  const beganAt = now()
  const sendUntil = beganAt + SEND_WITHIN
  const tested = await tried(() => check(sendUntil))
  const checked: Tried<D> = tested.completed ? { completed: true, result: tested.result.prepared } : tested
  const { prepared: decision, letOut }: { prepared: D | null; letOut?: LetOut } = tested.completed
    ? tested.result
    : { prepared: null }
  const sendsNothing = { check: checked, submission: null, orderId: null }
  if (decision?.outcome !== 'ready' || (letOut === undefined && now() > sendUntil)) return sendsNothing
  const { request, sendBefore, sentAt = null } = order(decision as Ready<D>)
  const { meeting, answer } = besideSending()
  const sending = meeting?.watch(accountId, request.clientOrderId, beganAt + HOLD_REPORTS_FOR - now())
  try {
    const input = { accountId, request, sendBefore, unknownSince: sentAt }
    const submission = await tried(() => submitOrder(input, beganAt, letOut))
    if (!submission.completed || submission.result.outcome !== 'accepted')
      return { check: checked, submission, orderId: null }
    const answered = submission.result.report
    if (now() - beganAt > RECORD_WITHIN) return { check: checked, submission, orderId: null }
    const patience = answer ? FILL_PATIENCE.beforeAnswer : FILL_PATIENCE.beforeRecord
    const report = asKept((await sending?.end(answered, patience)) ?? answered)
    const { advisories } = decision
    const acceptance: RecordAcceptedInput = { accountId, report, advisories, acknowledges: [] }
    const atOnce = end(report)
    const recorded = await tried<{ orderId: string; isClosed?: boolean }>(() =>
      atOnce ? recordAcceptedAndClosed({ ...acceptance, end: atOnce }) : recordAccepted(acceptance),
    )
    const orderId = recorded.completed ? recorded.result.orderId : null
    if (recorded.completed) sending?.record(report)
    const ended = recorded.completed && recorded.result.isClosed ? atOnce?.acknowledges[0] : undefined
    const accepted = (known: OrderReport): OrderAttempt<D> => ({
      check: checked,
      submission: { completed: true, result: { outcome: 'accepted', report: known } },
      orderId,
      ...(ended && { ended }),
    })
    if (!answer || orderId === null || endedUnfilled(report)) return accepted(report)
    answer(orderId, decision as Ready<D>)
    const left = beganAt + LONGEST_WAIT - now()
    if (!sending || isTerminal(report.status) || left <= 0) return accepted(report)
    const later = asKept(await sending.end(report, Math.min(left, FILL_PATIENCE.afterAnswer)))
    if (!isTerminal(later.status)) return accepted(report)
    // Where it is not recorded in time, the feed does so and notifies the workflow.
    const applied = await Promise.race([
      tried(() => recordProgress({ accountId, report: later })),
      setTimeout(beganAt + FILL_RECORDED_WITHIN - now(), null, { ref: false }),
    ])
    if (applied?.completed) sending.record(later)
    return accepted(applied?.completed ? later : report)
  } finally {
    sending?.over()
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
