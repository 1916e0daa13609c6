import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Decimal } from '#domain/decimal.ts'
import { manualClientOrderId, type ManualOrderDecision, type ManualOrderTerms } from '#domain/manual-order.ts'
import { isTerminal, type OrderOwner, type OrderReport, type OrderStatus } from '#domain/order.ts'
import { searchAttributes } from '../signal/contract.ts'
import type { CancelAnswer } from '../order/contract.ts'
import { OrderFollower } from '../order/follower.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type {
  OrderResumeState,
  OrderInput,
  OrderOutcome,
  OrderPhase,
  OrderProgress,
  PlacementAnswer,
} from './contract.ts'
import { describeManualOrder } from '../steps/describe.ts'

export type ReadyOrder = Extract<ManualOrderDecision, { outcome: 'ready' }>

/** Messages and the main function both read and write it. */
export class OrderRun extends OrderFollower {
  readonly terms: ManualOrderTerms
  phase: OrderPhase
  decided: ReadyOrder | null = null
  reason: string | null = null
  /** The ledger has a decision to send it: it is cancelled at its broker instead. */
  isTooLateToStop = false
  #endedUnsent: OrderStatus | null = null
  #waitsFor: string | null = 'the order to be sent'

  constructor(terms: ManualOrderTerms, resumeState?: OrderResumeState) {
    super()
    this.terms = terms
    this.phase = resumeState?.phase ?? 'checking'
    const { report = null, cancel = null } = resumeState ?? {}
    this.takeUp(report === null ? [] : [{ report, newsAt: workflowNow() }], cancel)
    this.#show()
  }

  override continueAsNewInput(): OrderInput {
    const { phase, orderCancel } = this
    const report = this.report(this.clientOrderId) ?? null
    const { clientOrderId, by, at } = orderCancel ?? {}
    const cancel = clientOrderId && by ? { clientOrderId, by, ...(at && { at }) } : null
    return { terms: this.terms, resumeState: { phase, report, cancel } }
  }

  override get accountId(): string {
    return this.terms.accountId
  }

  override get owner(): OrderOwner {
    return { orderId: this.terms.orderId }
  }

  get clientOrderId(): string {
    return manualClientOrderId(this.terms.orderId)
  }

  get status(): OrderStatus {
    return this.#endedUnsent ?? this.report(this.clientOrderId)?.status ?? 'PENDING'
  }

  get hasOutcome(): boolean {
    return this.phase === 'working' || this.phase === 'ended'
  }

  get isStopped(): boolean {
    return this.orderCancel !== null && !this.isTooLateToStop
  }

  /** An order can be cancelled from the first moment on. */
  override isOnItsWay(): boolean {
    return false
  }

  override whyNotCancellable(clientOrderId: string): string | null {
    if (clientOrderId !== this.clientOrderId) return 'is another one'
    return this.hasEnded(clientOrderId) ? `is ${this.status}` : null
  }

  override hasEnded(clientOrderId: string): boolean {
    return clientOrderId === this.clientOrderId && isTerminal(this.status)
  }

  /** Reports of other orders are ignored. */
  override note(report: OrderReport): OrderReport {
    if (report.clientOrderId !== this.clientOrderId) return report
    const before = this.status
    const known = super.note(report)
    this.#tell(before)
    return known
  }

  endUnsent(status: 'REJECTED' | 'CANCELLED', reason: string): void {
    const before = this.status
    this.#endedUnsent = status
    this.reason = reason
    this.phase = 'ended'
    this.#tell(before)
  }

  decide(decided: ReadyOrder): void {
    this.decided = decided
    upsertSearchAttributes([{ key: searchAttributes.orderSide, value: decided.side }])
    this.#show()
  }

  override waitFor(what: string | null): void {
    this.#waitsFor = what
    this.#show()
  }

  get placement(): PlacementAnswer {
    return { status: this.status, brokerOrderId: this.report(this.clientOrderId)?.brokerOrderId ?? null }
  }

  override cancelAnswer(): CancelAnswer {
    return { status: this.status, filledQuantity: this.filled }
  }

  get progress(): OrderProgress {
    return { status: this.status, waitsFor: this.#waitsFor }
  }

  get outcome(): OrderOutcome {
    const reason = this.reason ?? this.report(this.clientOrderId)?.reason ?? null
    return { status: this.status, reason, filled: this.filled }
  }

  get filled(): Decimal {
    return this.report(this.clientOrderId)?.filledQuantity ?? '0'
  }

  #tell(before: OrderStatus): void {
    if (this.status !== before)
      upsertSearchAttributes([{ key: searchAttributes.orderStatus, value: this.status }])
    this.#show()
  }

  /** For operators. Adds no history events. */
  #show(): void {
    const report = this.report(this.clientOrderId)
    const filled = report?.avgFillPrice ? `, filled ${report.filledQuantity} at ${report.avgFillPrice}` : ''
    setCurrentDetails(
      [
        `**${describeManualOrder(this.terms)}** (manual order)`,
        // Without the empty line Markdown would join the list to the paragraph above it.
        '',
        `- status: **${this.status}**${filled}${this.reason === null ? '' : `: ${this.reason}`}`,
        ...(this.decided === null ? [] : [`- as ${this.decided.side} ${this.decided.quantity}`]),
        ...(this.orderCancel === null ? [] : [`- ${this.orderCancel.by} asked to cancel it`]),
        this.#waitsFor === null ? '- ended' : `- waits for ${this.#waitsFor}`,
      ].join('\n'),
    )
  }
}
