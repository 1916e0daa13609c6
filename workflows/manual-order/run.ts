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

/** An order of which side and size are decided. */
export type ReadyOrder = Extract<ManualOrderDecision, { outcome: 'ready' }>

/** What a run of the workflow of a manual order knows. Messages and the story both read and write it. */
export class OrderRun {
  readonly terms: ManualOrderTerms
  phase: OrderPhase
  /** Side and size, once they are decided. */
  decided: ReadyOrder | null = null
  cancel: OrderCancel | null
  /** The broker was asked to cancel the order, so that whoever wants that can be answered. */
  cancelIsAsked = false
  /** Why the order came to nothing without its broker, in words; null where it did not. */
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

  /** The last that is known of the order at the broker; throws when it is not there. */
  get report(): OrderReport {
    if (this.#report === null) throw new TypeError('the broker does not have the order')
    return this.#report
  }

  /** The order is with the broker, or it is known that it will never be. */
  get hasOutcome(): boolean {
    return this.phase === 'working' || this.phase === 'ended'
  }

  /** Nothing more is expected of the order. */
  get hasEnded(): boolean {
    return isTerminal(this.status)
  }

  /** Takes note of a report of the order, whatever order they come in; others are none of its business. */
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

  /** Tells operators what the order is, where it stands, and what it waits for. Costs no history. */
  #show(): void {
    const report = this.#report
    const filled = report?.avgFillPrice ? `, filled ${report.filledQuantity} at ${report.avgFillPrice}` : ''
    setCurrentDetails(
      [
        `**${describeManualOrder(this.terms)}** (manual order)`,
        // Markdown takes a list for part of the paragraph right above it.
        '',
        `- status: **${this.status}**${filled}${this.reason === null ? '' : `: ${this.reason}`}`,
        ...(this.decided === null ? [] : [`- as ${this.decided.side} ${this.decided.quantity}`]),
        ...(this.cancel === null ? [] : [`- ${this.cancel.by} asked to cancel it`]),
        this.#waitsFor === null ? '- ended' : `- waits for ${this.#waitsFor}`,
      ].join('\n'),
    )
  }
}
