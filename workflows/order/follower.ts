import { isTerminal, mergeReport, type OrderReport, type AcknowledgedEnd } from '#domain/order.ts'
import type { Failure } from '#domain/step-failure.ts'
import type { LongRun } from '../steps/waits.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { CancelAnswer, OrderCancel } from './contract.ts'

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
  protected takeUp(known: readonly KnownOrder[], cancel: OrderCancel | null): void {
    for (const order of known) this.#known.set(order.report.clientOrderId, order)
    this.orderCancel = cancel && { ...cancel, isAsked: false }
  }
}
