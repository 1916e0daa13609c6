import { upsertSearchAttributes } from '@temporalio/workflow'
import { HELD_FOR_APPROVAL } from '#domain/advisory.ts'
import { add, compare, type Decimal } from '#domain/decimal.ts'
import {
  exitAtEnd,
  exitBegins,
  isForOf,
  withoutLevel,
  type ExitOrder,
  type ExitProgress,
} from '#domain/exit-progress.ts'
import {
  asGoodTillDate,
  clientOrderIdFor,
  fillsAtOnce,
  isWorking,
  type AcknowledgedEnd,
  type OrderOwner,
  type OrderReport,
} from '#domain/order.ts'
import { FIRST_STATUS, mayBecome, type SignalStatus } from '#domain/signal-status.ts'
import type { CrossedLevel, Protection } from '#domain/protection.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { DenialCode, StatusReason } from '#domain/denial.ts'
import type { HeldEntry } from '#domain/entry-check.ts'
import {
  searchAttributes,
  type Approval,
  type ResumeState,
  type EntryAnswer,
  type Phase,
  type ReopenState,
  type SignalInput,
  type SignalOutcome,
  type SignalProgress,
  type ReplaceRequest,
} from './contract.ts'
import { OrderFollower } from '../order/follower.ts'
import { showOperators } from './operator-view.ts'
import { workflowNow } from '../steps/workflow-time.ts'

export type Stop =
  | { kind: 'declined'; by: string; reason: string | null }
  | { kind: 'withdrawn'; by: string }
  | { kind: 'superseded'; detail: string }
  | { kind: 'expired' }
  | { kind: 'late'; cause: string }
  | { kind: 'not_taken'; cause: string }
  | { kind: 'replaced'; replaceRequest: ReplaceRequest }

export interface PendingReplacement {
  replaceRequest: ReplaceRequest
  answer: { granted: true; warning: string | null } | { granted: false } | null
}

/** Messages and the main function both read and write it. */
export class SignalRun extends OrderFollower {
  /** Frozen at acceptance but for the edits of the person who approves. */
  terms: SignalTerms
  phase: Phase
  status: SignalStatus
  orderId: string | null = null
  reason: StatusReason | null = null
  detail: string | null = null
  approval: Approval | null = null
  /** The last approval that was not taken, because the order would have been denied. */
  refusal: { approval: Approval | null; code: DenialCode; detail: string } | null = null
  advisories: { code: string; message: string }[] = []
  stop: Stop | null = null
  /** The ledger has a decision to send the entry that the workflow has not heard: no time ends it any more. */
  isDecidedUnheard = false
  pendingReplacement: PendingReplacement | null = null
  exit: ExitProgress = exitBegins()
  /** May prove too late, and has to be recorded in the ledger. */
  exitCancelAskedBy: string | null = null
  plannedFor: string | null = null
  calendarChanged = false
  /** Reported by the watch of prices, and not handled yet. */
  crossed: CrossedLevel | null = null
  planMoved = false
  /** Not handled yet: a new plan counts although an earlier one is over. */
  isPlanNew = false
  planEndedBy: string | null = null
  /** Next look-up of the timed exit's time while the order of a plan works; null for at once. */
  planLookAt: string | null = null
  exitRetryAsked = false
  earlierSignalChanges = 0
  closings = 0
  recordedEnd: AcknowledgedEnd | null = null
  #waitsFor: string | null = 'the entry order to be sent'
  #until: string | null = null

  readonly #thenQueue: string | null

  constructor(
    terms: SignalTerms,
    {
      resumeState,
      thenQueue = null,
    }: { resumeState?: ResumeState | undefined; thenQueue?: string | null | undefined } = {},
  ) {
    super()
    this.terms = terms
    this.#thenQueue = thenQueue
    this.phase = resumeState?.phase ?? (terms.executeMode === 'immediate' ? 'checking' : 'waiting')
    this.status = resumeState?.status ?? FIRST_STATUS[terms.executeMode]
    if (resumeState) this.#restore(resumeState)
  }

  /** Reports that arrived meanwhile count too. */
  reopen(kept: ResumeState): void {
    const heard = this.knownOrders
    this.phase = kept.phase
    this.status = kept.status
    this.#restore(kept)
    for (const { report } of heard) this.note(report)
  }

  #restore(resumeState: ResumeState): void {
    this.orderId = resumeState.orderId
    this.reason = resumeState.reason
    this.detail = resumeState.detail
    this.exit = resumeState.exit
    this.closings = resumeState.closings
    this.plannedFor = resumeState.plannedFor ?? null
    this.crossed = resumeState.crossed ?? null
    this.planMoved = resumeState.planMoved ?? false
    this.planEndedBy = resumeState.planEndedBy ?? null
    this.takeUp(resumeState.reports, resumeState.orderCancel ?? null)
  }

  resumeState(): ResumeState {
    const { phase, status, orderId, reason, detail, exit, closings, plannedFor } = this
    const { crossed, planMoved, planEndedBy } = this
    const { clientOrderId, by, at } = this.orderCancel ?? {}
    const reports = this.knownOrders
    return {
      phase,
      status,
      orderId,
      reason,
      detail,
      reports,
      exit,
      closings,
      ...(plannedFor !== null && { plannedFor }),
      ...(crossed && { crossed }),
      ...(planMoved && { planMoved }),
      ...(planEndedBy !== null && { planEndedBy }),
      ...(clientOrderId && by && { orderCancel: { clientOrderId, by, ...(at && { at }) } }),
    }
  }

  override continueAsNewInput(): SignalInput {
    const stays = this.#thenQueue !== null && this.nextQueue === null
    return {
      terms: this.terms,
      resumeState: this.resumeState(),
      ...(stays && { thenQueue: this.#thenQueue }),
    }
  }

  override get nextQueue(): string | null {
    return this.hasEntryOutcome && !this.#isNearlyOver ? this.#thenQueue : null
  }

  /** Its last order is at market: a move to another queue would usually be for nothing. */
  get #isNearlyOver(): boolean {
    const { exit, protection } = this.terms
    if (protection !== undefined) return false
    if (this.phase === 'working') return exit === null && fillsAtOnce(this.terms)
    return exit?.orderType === 'market' && this.exit.workingOrder !== null
  }

  /** For a late fill after the end: another exit, timed like the first. */
  reopenState(): ReopenState {
    const { plannedFor: _, crossed: __, planMoved: ___, ...resumeState } = this.resumeState()
    const exit = exitAtEnd(this.exit)
    return { terms: this.terms, resumeState: { ...resumeState, phase: 'awaitingExit', exit } }
  }

  get endIsRecorded(): boolean {
    const { recordedEnd, endedOrders, orderCancel, pendingReplacement } = this
    if (recordedEnd === null || this.closings > 1 || orderCancel !== null || pendingReplacement !== null)
      return false
    return endedOrders.every(
      ({ filledQuantity }) => compare(filledQuantity, recordedEnd.filledQuantity) === 0,
    )
  }

  /** The broker has accepted the entry, or certainly never will. */
  get hasEntryOutcome(): boolean {
    return this.phase !== 'waiting' && this.phase !== 'checking' && this.phase !== 'sending'
  }

  /** It requires approval although its sender asked for none. */
  get isHeld(): boolean {
    return this.status === 'pending' && this.terms.executeMode !== 'pending'
  }

  get entryId(): string {
    return clientOrderIdFor(this.terms.signalId, 'entry', 1)
  }

  get entry(): OrderReport {
    return this.placed(this.entryId)
  }

  /** Throws when the transition table does not allow it. */
  become(status: SignalStatus, because: { reason?: StatusReason | null; detail?: string | null } = {}): void {
    if (status !== this.status && !mayBecome(this.status, status))
      throw new TypeError(`a signal that is ${this.status} cannot become ${status}`)
    const changed = status !== this.status
    this.status = status
    this.reason = because.reason ?? null
    this.detail = because.detail ?? null
    if (changed) upsertSearchAttributes([{ key: searchAttributes.status, value: status }])
    this.#show()
  }

  /** The time of the approval does not make it late. */
  hold({ detail, refused }: HeldEntry): void {
    this.terms = { ...this.terms, sendBefore: this.terms.validUntil }
    if (refused === undefined) this.advisories = [{ code: HELD_FOR_APPROVAL, message: detail }]
    else {
      const { code, quantity, limitPrice } = refused
      this.terms = { ...this.terms, quantity, limitPrice }
      this.refusal = { approval: this.approval, code, detail }
      this.approval = null
      // The lost attempt can decide nothing any more, so the next approval is tried as if for the first time.
      this.lostAttempt = null
    }
    this.become('pending')
    this.phase = 'waiting'
  }

  override waitFor(what: string | null, until: string | null = null): void {
    this.#waitsFor = what
    this.#until = until
    this.#show()
  }

  override asKept(report: OrderReport): OrderReport {
    const isEntry = report.clientOrderId === this.entryId
    return isEntry ? asGoodTillDate(report, this.terms.expiresAt, workflowNow()) : report
  }

  override get accountId(): string {
    return this.terms.accountId
  }

  override get owner(): OrderOwner {
    return { signalId: this.terms.signalId }
  }

  override isOnItsWay(clientOrderId: string): boolean {
    const mayBeSent = this.phase === 'sending' || (this.phase === 'checking' && this.lostAttempt !== null)
    return mayBeSent && clientOrderId === this.entryId
  }

  /** The signal goes on: fills of the entry get their exit, and after a cancelled exit the position stays. */
  override whyNotCancellable(clientOrderId: string): string | null {
    const report = this.report(clientOrderId)
    if (!report) return 'is not known to be at the broker'
    const isFollowed =
      clientOrderId === this.entryId
        ? this.phase === 'working'
        : this.exit.workingOrder?.clientOrderId === clientOrderId
    return isFollowed && isWorking(report.status) ? null : `is ${report.status}`
  }

  get exitCancelledBy(): string | null {
    return this.exit.cancelledBy ?? this.exitCancelAskedBy
  }

  /** No exit order is at the broker and the next attempt is not due: a person may cancel the exit. */
  get exitIsParked(): boolean {
    return this.phase === 'exiting' && this.exit.notBefore !== null
  }

  /** Some shares need an exit order; a message that it can be placed may come while one is being tried. */
  get exitIsDue(): boolean {
    const { workingOrder } = this.exit
    if (this.phase !== 'exiting') return false
    return workingOrder === null || (isForOf(workingOrder) === 'plan' && this.isFilledBeyond(workingOrder))
  }

  /** The entry has filled more than the exits up to this order are for. */
  isFilledBeyond({ coversUpTo }: ExitOrder): boolean {
    return compare(this.entry.filledQuantity, coversUpTo) > 0
  }

  get isTimingExit(): boolean {
    return this.phase === 'awaitingExit' || (this.phase === 'exiting' && this.terms.protection !== undefined)
  }

  changePlan(by: string, protection: Protection | null): void {
    const { protection: _, ...terms } = this.terms
    this.terms = { ...terms, ...(protection && { protection }) }
    const { target } = this.terms
    if (target) {
      const { protection: __, ...rest } = target
      this.terms.target = { ...rest, ...(protection && { protection }) }
    }
    if (this.exit.next !== 'timed') this.exit = withoutLevel(this.exit)
    this.planEndedBy = protection === null ? by : null
    this.planMoved = true
    this.isPlanNew = protection !== null
  }

  get exitFilled(): Decimal {
    const sent = [
      ...this.exit.ended,
      ...(this.exit.workingOrder ? [this.exit.workingOrder.clientOrderId] : []),
    ]
    return sent.reduce<Decimal>((sum, id) => add(sum, this.report(id)?.filledQuantity ?? '0'), '0')
  }

  get entryAnswer(): EntryAnswer {
    const { status, orderId, reason, detail, advisories } = this
    return { status, orderId, reason, detail, ...(advisories.length > 0 && { advisories }) }
  }

  get progress(): SignalProgress {
    return { status: this.status, waitsFor: this.#waitsFor, until: this.#until }
  }

  get outcome(): SignalOutcome {
    const entryFilled = this.report(this.entryId)?.filledQuantity ?? '0'
    return { status: this.status, reason: this.reason, entryFilled, exitFilled: this.exitFilled }
  }

  #show(): void {
    showOperators({
      terms: this.terms,
      status: this.status,
      reason: this.reason,
      detail: this.detail,
      waitsFor: this.#waitsFor,
      until: this.#until,
      orders: this.knownOrders.map(({ report }) => report),
    })
  }
}
