import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { manualClientOrderId, type ManualOrderDecision, type ManualOrderTerms } from '#domain/manual-order.ts'
import { isTerminal, mergeReport, type OrderReport, type OrderStatus } from '#domain/order.ts'
import { searchAttributes } from '../signal/contract.ts'
import type {
  CancelAnswer,
  OrderResumeState,
  OrderCancel,
  OrderInput,
  OrderOutcome,
  OrderPhase,
  OrderProgress,
  PlacementAnswer,
} from './contract.ts'
import { describeManualOrder } from '../steps/describe.ts'

/** An order whose side and size are decided. */
export type ReadyOrder = Extract<ManualOrderDecision, { outcome: 'ready' }>

/** State of a run of a manual order's workflow. Message handlers and the main function both read and write it. */
export class OrderRun {
  readonly terms: ManualOrderTerms
  phase: OrderPhase
  /** Side and size, once they are decided. */
  decided: ReadyOrder | null = null
  cancel: OrderCancel | null
  /** The broker was asked to cancel the order, so the cancel request can be answered. */
  cancelIsAsked = false
  /** Why the order was not sent, in words; null when it was. */
  reason: string | null = null
  #endedUnsent: OrderStatus | null = null
  #report: OrderReport | null
  #waitsFor: string | null = 'the order to be sent'

  constructor(terms: ManualOrderTerms, resumeState?: OrderResumeState) {
    this.terms = terms
    this.phase = resumeState?.phase ?? 'checking'
    this.cancel = resumeState?.cancel ?? null
    this.#report = resumeState?.report ?? null
    this.#show()
  }

  continueAsNewInput(): OrderInput {
    const { phase, cancel } = this
    return { terms: this.terms, resumeState: { phase, cancel, report: this.#report } }
  }

  get clientOrderId(): string {
    return manualClientOrderId(this.terms.orderId)
  }

  get status(): OrderStatus {
    return this.#endedUnsent ?? this.#report?.status ?? 'PENDING'
  }

  /** The latest report of the order; throws when the broker does not have it. */
  get report(): OrderReport {
    if (this.#report === null) throw new TypeError('the broker does not have the order')
    return this.#report
  }

  /** The broker has the order, or it is certain that it never will. */
  get hasOutcome(): boolean {
    return this.phase === 'working' || this.phase === 'ended'
  }

  /** Nothing more is expected of the order. */
  get hasEnded(): boolean {
    return isTerminal(this.status)
  }

  /** Merges a report of the order; reports may come in any order, and those of other orders are ignored. */
  note(report: OrderReport): void {
    if (report.clientOrderId !== this.clientOrderId) return
    const known = this.#report
    const news = known ? mergeReport(known, report, known.quantity) : report
    if (!news) return
    const before = this.status
    this.#report = known ? { ...known, ...news } : report
    this.#tell(before)
  }

  /** The order ends without having been placed. */
  endUnsent(status: 'REJECTED' | 'CANCELLED', reason: string): void {
    const before = this.status
    this.#endedUnsent = status
    this.reason = reason
    this.phase = 'ended'
    this.#tell(before)
  }

  /** It is decided what the order does and how large it is. */
  decide(decided: ReadyOrder): void {
    this.decided = decided
    upsertSearchAttributes([{ key: searchAttributes.orderSide, value: decided.side }])
    this.#show()
  }

  waitFor(what: string | null): void {
    this.#waitsFor = what
    this.#show()
  }

  get placement(): PlacementAnswer {
    return { status: this.status, brokerOrderId: this.#report?.brokerOrderId ?? null }
  }

  get cancelAnswer(): CancelAnswer {
    return { status: this.status, filledQuantity: this.#report?.filledQuantity ?? '0' }
  }

  get progress(): OrderProgress {
    return { status: this.status, waitsFor: this.#waitsFor }
  }

  get outcome(): OrderOutcome {
    return {
      status: this.status,
      reason: this.reason ?? this.#report?.reason ?? null,
      filled: this.#report?.filledQuantity ?? '0',
    }
  }

  #tell(before: OrderStatus): void {
    if (this.status !== before)
      upsertSearchAttributes([{ key: searchAttributes.orderStatus, value: this.status }])
    this.#show()
  }

  /** Describes the order, its state and its wait to operators. Adds no history events. */
  #show(): void {
    const report = this.#report
    const filled = report?.avgFillPrice ? `, filled ${report.filledQuantity} at ${report.avgFillPrice}` : ''
    setCurrentDetails(
      [
        `**${describeManualOrder(this.terms)}** (manual order)`,
        // Without the empty line Markdown would join the list to the paragraph above it.
        '',
        `- status: **${this.status}**${filled}${this.reason === null ? '' : `: ${this.reason}`}`,
        ...(this.decided === null ? [] : [`- as ${this.decided.side} ${this.decided.quantity}`]),
        ...(this.cancel === null ? [] : [`- ${this.cancel.by} asked to cancel it`]),
        this.#waitsFor === null ? '- ended' : `- waits for ${this.#waitsFor}`,
      ].join('\n'),
    )
  }
}
