import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow'
import { type OrderReport, isTerminal, mergeReport, type AcknowledgedEnd } from '#domain/order/order.ts'
import {
  cancelOrder,
  orderChanged,
  ORDER_NOT_CANCELLABLE,
  type OrderCancel,
  type CancelAnswer,
} from './contract.ts'
import {
  type LongRun,
  runBounded,
  runDurable,
  step,
  runLocal,
  type Deadline,
  waitUntil,
} from '../steps/steps.ts'
import { workflowNow, inMinutes } from '../steps/workflow-time.ts'
import type { Failure } from '#domain/async/step-failure.ts'
import type { CancelOrderInput, CancelOrderResult } from '#activities/contract.ts'

export function answerOrderMessages(run: OrderFollower): void {
  setHandler(orderChanged, (report: OrderReport) => void run.note(report), {
    description: 'The broker feed: an order has ended or filled further',
  })
  setHandler(
    cancelOrder,
    async ({ clientOrderId, by }: OrderCancel) => {
      const at = workflowNow()
      run.unjudged += 1
      try {
        // The feed may know the order before the workflow does.
        if (run.isOnItsWay(clientOrderId)) await condition(() => !run.isOnItsWay(clientOrderId))
        assertCancellable(run, clientOrderId)
        // The first request counts.
        if (run.orderCancel?.clientOrderId !== clientOrderId)
          run.orderCancel = { clientOrderId, by, at, isAsked: false }
      } finally {
        run.unjudged -= 1
      }
      const cancel = run.orderCancel
      await condition(() => cancel.isAsked || run.hasEnded(clientOrderId))
      return run.cancelAnswer(clientOrderId)
    },
    {
      validator: ({ clientOrderId }: OrderCancel) => {
        if (!run.isOnItsWay(clientOrderId)) assertCancellable(run, clientOrderId)
      },
      description: 'Cancels an order, or has its broker cancel it',
    },
  )
}

function assertCancellable(run: OrderFollower, clientOrderId: string): void {
  const reason = run.whyNotCancellable(clientOrderId)
  if (reason !== null) throw ApplicationFailure.nonRetryable(`The order ${reason}`, ORDER_NOT_CANCELLABLE)
}

export interface KnownOrder {
  report: OrderReport
  newsAt: string
}

export interface SendingTrouble {
  cause: string
  failure: Failure
  at: string
}

/** Orders of a signal at the broker, for messages and the main function. */
export abstract class OrderFollower implements LongRun {
  orderCancel: (OrderCancel & { isAsked: boolean }) | null = null
  /** A loaded run waits for messages that are not judged yet. */
  unjudged = 0
  /** Lost attempt: it may have sent the order, and may still run. */
  lostAttempt: SendingTrouble | null = null
  readonly #known = new Map<string, KnownOrder>()

  abstract readonly accountId: string
  abstract readonly signalId: string
  abstract waitFor(what: string | null, until?: string | null): void
  abstract continueAsNewInput(): object
  get nextQueue(): string | null {
    return null
  }
  /** Only an order that is not on its way can be cancelled. */
  abstract isOnItsWay(clientOrderId: string): boolean
  abstract whyNotCancellable(clientOrderId: string): string | null

  asKept(report: OrderReport): OrderReport {
    return report
  }

  /** Returns the merged report; reports may arrive in any order. */
  note(heard: OrderReport): OrderReport {
    const report = this.asKept(heard)
    const known = this.report(report.clientOrderId)
    // A person who changes an order at the broker may change its quantity too.
    const quantity = report.links ? report.quantity : (known ?? report).quantity
    const news = known ? mergeReport(known, report, quantity) : report
    if (known && !news) return known
    const merged = known ? { ...known, ...news, quantity } : report
    this.#known.set(report.clientOrderId, { report: merged, newsAt: workflowNow() })
    return merged
  }

  report(clientOrderId: string): OrderReport | undefined {
    return this.#known.get(clientOrderId)?.report
  }

  /** Throws for an order that is not known to be at the broker. */
  placed(clientOrderId: string): OrderReport {
    const report = this.report(clientOrderId)
    if (!report) throw new TypeError(`nothing is known of order ${clientOrderId}`)
    return report
  }

  lastNewsAt(clientOrderId: string): string {
    this.placed(clientOrderId)
    return this.#known.get(clientOrderId)!.newsAt
  }

  hasEnded(clientOrderId: string): boolean {
    const report = this.report(clientOrderId)
    return report !== undefined && isTerminal(report.status)
  }

  get endedOrders(): AcknowledgedEnd[] {
    return this.knownOrders
      .filter(({ report }) => isTerminal(report.status))
      .map(({ report: { clientOrderId, filledQuantity } }) => ({ clientOrderId, filledQuantity }))
  }

  cancelAnswer(clientOrderId: string): CancelAnswer {
    const { status, filledQuantity } = this.placed(clientOrderId)
    return { status, filledQuantity }
  }

  protected get knownOrders(): KnownOrder[] {
    return [...this.#known.values()]
  }

  /** The broker is asked again for a cancel. */
  protected adopt(known: readonly KnownOrder[], cancel: OrderCancel | null): void {
    for (const order of known) this.#known.set(order.report.clientOrderId, order)
    this.orderCancel = cancel && { ...cancel, isAsked: false }
  }
}

/** replaced: by a newer signal. expired: good till date. cancelled_for: cancelled for another order of its signal. */
type CancelCause = 'asked' | 'replaced' | 'expired' | 'cancelled_for'

/** Minutes after which the broker is asked again; the last one repeats. */
const CANCEL_RETRY_MINUTES: Record<CancelCause, readonly number[]> = {
  asked: [1, 5, 15],
  replaced: [1, 5, 15],
  expired: [1],
  cancelled_for: [0.1, 0.25, 1],
}

const askAgain = (cause: CancelCause, asked: number): Deadline => ({
  at: inMinutes(
    CANCEL_RETRY_MINUTES[cause][Math.min(Math.max(asked, 1), CANCEL_RETRY_MINUTES[cause].length) - 1]!,
  ),
  summary: 'Wait for the cancel to take effect',
})

const WORDS: Record<CancelCause, string> = {
  asked: '',
  replaced: 'replaced ',
  expired: 'expired ',
  cancelled_for: '',
}

const isCancelDue = (run: OrderFollower, clientOrderId: string): boolean =>
  run.orderCancel?.clientOrderId === clientOrderId && !run.orderCancel.isAsked

/** A cancel is accepted before it is done: the feed reports the end. */
async function askToCancel(
  run: OrderFollower,
  clientOrderId: string,
  name: string,
  cause: CancelCause,
  cancelledForReason: string | null = null,
): Promise<void> {
  const { brokerOrderId } = run.placed(clientOrderId)
  const wanted = run.orderCancel
  const cancel = { accountId: run.accountId, brokerOrderId, onlyIfUnfilled: false }
  const ask: Record<CancelCause, () => Promise<CancelOrderResult | null>> = {
    asked: () => cancelForPerson(run, wanted!, cancel),
    // People are answered in between.
    async replaced() {
      const tried = await runBounded('cancelOrder', `Cancel the replaced ${name}`, cancel)
      return tried.completed ? tried.result : null
    },
    // The broker knows no good till date.
    expired: () => step('cancelOrder', `Cancel the ${name}, whose good till date has come`, cancel),
    async cancelled_for() {
      const cancelledFor = {
        signalId: run.signalId,
        clientOrderId,
        to: cancelledForReason!,
        at: workflowNow(),
      }
      const input = { ...cancel, cancelledFor }
      const tried = await runLocal('cancelOrder', `Cancel the ${name} for ${cancelledForReason}`, input)
      return tried.completed ? tried.result : null
    },
  }
  run.waitFor(`the ${WORDS[cause]}${name} to be cancelled`)
  const result = await ask[cause]()
  if (result?.report) run.note(result.report)
  if (cause === 'asked') wanted!.isAsked = true
}

async function cancelForPerson(
  run: OrderFollower,
  cancelled: OrderCancel,
  cancel: CancelOrderInput,
): Promise<CancelOrderResult> {
  const [result] = await Promise.all([
    runDurable('cancelOrder', `Cancel the order, as ${cancelled.by} asked`, cancel),
    recordAsked(run, cancelled),
  ])
  return result
}

/** Records a cancel whose order ended before the broker was asked: the ledger gives the cause. */
export async function recordUnasked(run: OrderFollower, clientOrderId: string): Promise<void> {
  if (isCancelDue(run, clientOrderId)) await recordAsked(run, run.orderCancel!)
}

const recordAsked = (
  run: OrderFollower,
  { clientOrderId, by, at = workflowNow() }: OrderCancel,
): Promise<void> =>
  runDurable('recordCancelRequested', `Record that ${by} asked to cancel ${clientOrderId}`, {
    signalId: run.signalId,
    at,
    clientOrderId,
    by,
  })

export interface Following {
  name: string
  expiry?: Deadline | null
  isReplaced?(): boolean
  /** Client order id of the order that needs this cancel. */
  cancelledForReason?(): string | null
  /** Called once when the broker does not cancel. */
  hangs?(): Promise<void>
  waitsFor?(): string
  /** Messages other than a cancel. */
  messages?: { areDue(): boolean; answer(): Promise<void> }
  /** Replaces {@link waitUntil}. */
  wait?(isReached: () => boolean, deadline: Deadline | null): Promise<boolean>
}

/** Requests to cancel before {@link Following.hangs}: about twenty seconds. */
const HANGS_AFTER = 3

/** Follows an order to its end, and repeats a cancel until then. */
export async function followOrder(
  run: OrderFollower,
  clientOrderId: string,
  {
    name,
    expiry = null,
    isReplaced = () => false,
    cancelledForReason = () => null,
    hangs,
    waitsFor,
    messages,
    wait,
  }: Following,
): Promise<void> {
  const hasEnded = () => run.hasEnded(clientOrderId)
  const isDue = () => isCancelDue(run, clientOrderId)
  const waits = wait ?? ((isReached, deadline) => waitUntil(run, isReached, deadline))
  const causeNow = (): CancelCause => {
    if (isReplaced() && !isDue()) return 'replaced'
    if (cancelledForReason() !== null && !isDue()) return 'cancelled_for'
    return run.orderCancel?.clientOrderId === clientOrderId ? 'asked' : 'expired'
  }
  let asked = 0
  let again: Deadline | null = null
  while (!hasEnded()) {
    const isToGo = isReplaced() || cancelledForReason() !== null
    if (!isDue() && !(isToGo && asked === 0)) {
      if (waitsFor && !isToGo) run.waitFor(waitsFor())
      else run.waitFor(`the ${isReplaced() ? 'replaced ' : ''}${name} to end`, expiry?.at)
      const came = await waits(() => hasEnded() || isDue() || (messages?.areDue() ?? false), again ?? expiry)
      await messages?.answer()
      if (came || hasEnded()) continue
    }
    const cause = causeNow()
    if (cause !== 'expired') asked += 1
    if (cause === 'cancelled_for' && asked === HANGS_AFTER) await hangs?.()
    await askToCancel(run, clientOrderId, name, cause, cancelledForReason())
    again = askAgain(cause, asked)
  }
}
