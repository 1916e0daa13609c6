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
        // The feed may have heard of the order before the workflow knows that it was accepted.
        if (run.isOnItsWay(clientOrderId)) await condition(() => !run.isOnItsWay(clientOrderId))
        assertCancellable(run, clientOrderId)
        // The first of several requests counts, and all get the same answer.
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

/** The orders at the broker of a signal. Messages and the main function both read and write it. */
export abstract class OrderFollower implements LongRun {
  orderCancel: (OrderCancel & { isAsked: boolean }) | null = null
  /** Messages of people that are taken and not judged yet: a run whose state is loaded goes on without any. */
  unjudged = 0
  /** The attempt to check and send the order that was not heard of: it may have sent it, and may still run. */
  lostAttempt: SendingTrouble | null = null
  readonly #known = new Map<string, KnownOrder>()

  abstract readonly accountId: string
  abstract readonly signalId: string
  abstract waitFor(what: string | null, until?: string | null): void
  abstract continueAsNewInput(): object
  get nextQueue(): string | null {
    return null
  }
  /** The order is about to be at the broker or known not to be placed, and can be cancelled only then. */
  abstract isOnItsWay(clientOrderId: string): boolean
  abstract whyNotCancellable(clientOrderId: string): string | null

  /** As the ledger has it. */
  asKept(report: OrderReport): OrderReport {
    return report
  }

  /** In whatever order reports come; returns the merged report. */
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

  /** Of an earlier run; the broker is asked again for a cancel. */
  protected adopt(known: readonly KnownOrder[], cancel: OrderCancel | null): void {
    for (const order of known) this.#known.set(order.report.clientOrderId, order)
    this.orderCancel = cancel && { ...cancel, isAsked: false }
  }
}

/** replaced: by a newer signal. expired: its good till date has come. gives_way: to another order of its signal. */
type CancelCause = 'asked' | 'replaced' | 'expired' | 'gives_way'

/** Minutes after which the broker is asked again; the last one repeats. */
const CANCEL_RETRY_MINUTES: Record<CancelCause, readonly number[]> = {
  asked: [1, 5, 15],
  replaced: [1, 5, 15],
  expired: [1],
  gives_way: [0.1, 0.25, 1],
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
  gives_way: '',
}

const isCancelDue = (run: OrderFollower, clientOrderId: string): boolean =>
  run.orderCancel?.clientOrderId === clientOrderId && !run.orderCancel.isAsked

/** Accepted is not done: a fill may come first, and the feed reports the end. */
async function askToCancel(
  run: OrderFollower,
  clientOrderId: string,
  name: string,
  cause: CancelCause,
  givesWayTo: string | null = null,
): Promise<void> {
  const { brokerOrderId } = run.placed(clientOrderId)
  const wanted = run.orderCancel
  const cancel = { accountId: run.accountId, brokerOrderId, onlyIfUnfilled: false }
  const ask: Record<CancelCause, () => Promise<CancelOrderResult | null>> = {
    asked: () => cancelForPerson(run, wanted!, cancel),
    // It is asked again on a clock, so it is not waited for: people are answered in between.
    async replaced() {
      const tried = await runBounded('cancelOrder', `Cancel the replaced ${name}`, cancel)
      return tried.completed ? tried.result : null
    },
    // The broker knows no good till date: the order is cancelled for as long as that takes.
    expired: () => step('cancelOrder', `Cancel the ${name}, whose good till date has come`, cancel),
    async gives_way() {
      const givesWay = { signalId: run.signalId, clientOrderId, to: givesWayTo!, at: workflowNow() }
      const input = { ...cancel, givesWay }
      const tried = await runLocal(
        'cancelOrder',
        `Cancel the ${name}, which gives way to ${givesWayTo}`,
        input,
      )
      return tried.completed ? tried.result : null
    },
  }
  run.waitFor(`the ${WORDS[cause]}${name} to be cancelled`)
  const result = await ask[cause]()
  if (result?.report) run.note(result.report)
  if (cause === 'asked') wanted!.isAsked = true
}

/** Asks and records at the same time: neither waits for the other. */
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

/** The order ended before the broker was asked; the cause of its end is read from the ledger. */
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
  /** By a newer signal, so that it has to be cancelled. */
  isReplaced?(): boolean
  /** The client order id of the order of its signal that it gives way to. */
  givesWayTo?(): string | null
  /** Called once when the broker does not cancel it. */
  hangs?(): Promise<void>
  waitsFor?(): string
  /** Other than a cancel; answered as they come. */
  messages?: { areDue(): boolean; answer(): Promise<void> }
  /** Where the run has more to do meanwhile than {@link waitUntil}. */
  wait?(isReached: () => boolean, deadline: Deadline | null): Promise<boolean>
}

/** Requests to cancel before {@link Following.hangs}: about twenty seconds. */
const HANGS_AFTER = 3

/** The broker is asked again and again: a cancel is accepted before it is done, and a fill may come all the same. */
export async function followOrder(
  run: OrderFollower,
  clientOrderId: string,
  {
    name,
    expiry = null,
    isReplaced = () => false,
    givesWayTo = () => null,
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
    if (givesWayTo() !== null && !isDue()) return 'gives_way'
    return run.orderCancel?.clientOrderId === clientOrderId ? 'asked' : 'expired'
  }
  let asked = 0
  let again: Deadline | null = null
  while (!hasEnded()) {
    const isToGo = isReplaced() || givesWayTo() !== null
    if (!isDue() && !(isToGo && asked === 0)) {
      if (waitsFor && !isToGo) run.waitFor(waitsFor())
      else run.waitFor(`the ${isReplaced() ? 'replaced ' : ''}${name} to end`, expiry?.at)
      const came = await waits(() => hasEnded() || isDue() || (messages?.areDue() ?? false), again ?? expiry)
      await messages?.answer()
      if (came || hasEnded()) continue
    }
    const cause = causeNow()
    if (cause !== 'expired') asked += 1
    if (cause === 'gives_way' && asked === HANGS_AFTER) await hangs?.()
    await askToCancel(run, clientOrderId, name, cause, givesWayTo())
    again = askAgain(cause, asked)
  }
}
