import {
  isTerminal,
  mergeReport,
  type OrderOwner,
  type OrderReport,
  type AcknowledgedEnd,
} from '#domain/order.ts'
import type { Failure } from '#domain/step-failure.ts'
import type { LongRun } from '../steps/waits.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { CancelAnswer, OrderCancel } from './contract.ts'

/** The last that is known of an order, and the UTC instant at which a report last told something new of it. */
export interface KnownOrder {
  report: OrderReport
  newsAt: string
}

/** Why the outcome of the first attempt to send an order is unknown. */
export interface SendingTrouble {
  cause: string
  failure: Failure
  /** Time of the attempt; UTC instant. */
  at: string
}

/**
 * What a run knows of the orders that it follows at the broker: those of a signal, or a manual one. Messages and
 * the story both read and write it.
 */
export abstract class OrderFollower implements LongRun {
  /** A person wants this order cancelled; whether the broker was asked. */
  orderCancel: (OrderCancel & { isAsked: boolean }) | null = null
  /** The attempt to check and send the order of which nothing was heard: it may have sent it, and may still run. */
  lostAttempt: SendingTrouble | null = null
  readonly #known = new Map<string, KnownOrder>()

  abstract readonly accountId: string
  abstract readonly owner: OrderOwner
  /** Says what the run waits for, and until when if that is known. */
  abstract waitFor(what: string | null, until?: string | null): void
  abstract continueAsNewInput(): object
  get nextQueue(): string | null {
    return null
  }
  /** The order is about to be at the broker or known not to be placed, and can be cancelled only then. */
  abstract isOnItsWay(clientOrderId: string): boolean
  /** Why nobody can cancel the order now, in words; null when it can be cancelled. */
  abstract whyNotCancellable(clientOrderId: string): string | null

  /** A report as the run and the ledger take it. */
  asKept(report: OrderReport): OrderReport {
    return report
  }

  /** Takes note of an order report, whatever order they come in; returns what is known of the order then. */
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

  /** The last that is known of an order. */
  report(clientOrderId: string): OrderReport | undefined {
    return this.#known.get(clientOrderId)?.report
  }

  /** As {@link report}, of an order that is known to be at the broker; throws for any other. */
  placed(clientOrderId: string): OrderReport {
    const report = this.report(clientOrderId)
    if (!report) throw new TypeError(`nothing is known of order ${clientOrderId}`)
    return report
  }

  /** When a report last told something new of an order; UTC instant. */
  lastNewsAt(clientOrderId: string): string {
    this.placed(clientOrderId)
    return this.#known.get(clientOrderId)!.newsAt
  }

  /** Nothing more is expected of the order. */
  hasEnded(clientOrderId: string): boolean {
    const report = this.report(clientOrderId)
    return report !== undefined && isTerminal(report.status)
  }

  /** All orders that are known to have ended, as far as they are known. */
  get endedOrders(): AcknowledgedEnd[] {
    return this.knownOrders
      .filter(({ report }) => isTerminal(report.status))
      .map(({ report: { clientOrderId, filledQuantity } }) => ({ clientOrderId, filledQuantity }))
  }

  /** How an order stands, for whoever wanted it cancelled. */
  cancelAnswer(clientOrderId: string): CancelAnswer {
    const { status, filledQuantity } = this.placed(clientOrderId)
    return { status, filledQuantity }
  }

  protected get knownOrders(): KnownOrder[] {
    return [...this.#known.values()]
  }

  /** Goes on with what an earlier run knew, and with a cancel for which the broker is asked again. */
  protected takeUp(known: readonly KnownOrder[], cancel: OrderCancel | null): void {
    for (const order of known) this.#known.set(order.report.clientOrderId, order)
    this.orderCancel = cancel && { ...cancel, isAsked: false }
  }
}
