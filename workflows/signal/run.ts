import { upsertSearchAttributes } from '@temporalio/workflow'
import { HELD_FOR_APPROVAL } from '#domain/signal/advisory.ts'
import { isByHand } from '#domain/signal/by-hand.ts'
import { add, compare, type Decimal } from '#domain/money/decimal.ts'
import { afterLevelsChanged, exitBegins, type ExitProgress } from '#domain/exit/progress.ts'
import {
  asGoodTillDate,
  clientOrderIdFor,
  entryIdFor,
  fillsAtOnce,
  isWorking,
  type OrderReport,
} from '#domain/order/order.ts'
import {
  FIRST_STATUS,
  mayBecome,
  type SignalStatus,
  withLeg,
  type SignalTerms,
} from '#domain/signal/signal.ts'
import { exitPurpose, type ExitReason } from '#domain/exit/exit.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { DenialCode, StatusReason } from '#domain/risk/denial.ts'
import type { Advisory, LoadedSignal } from '#activities/contract.ts'
import type { SizedEntry } from '#domain/order/entry-order.ts'
import type { EntryForApproval } from '#domain/risk/entry-check.ts'
import type { ExitLook } from '#domain/exit/look.ts'
import {
  searchAttributes,
  type Approval,
  type EntryAnswer,
  type Phase,
  type SignalInput,
  type SignalOutcome,
  type SignalProgress,
  type ReplaceRequest,
} from './contract.ts'
import type { CancelAnswer } from '../order/contract.ts'
import { OrderFollower } from '../order/follow.ts'
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

interface Refusal {
  approval: Approval | null
  code: DenialCode
  detail: string
}

const BEFORE_OUTCOME: ReadonlySet<Phase> = new Set(['loading', 'waiting', 'checking', 'sending'])

export interface PendingReplacement {
  replaceRequest: ReplaceRequest
  answer: { granted: true; warning: string | null } | { granted: false } | null
}

/** State of a signal's run, for messages and the main function. */
export class SignalRun extends OrderFollower {
  /** Frozen at acceptance except for the approval's edits. */
  terms: SignalTerms
  phase: Phase
  entryAnswer: EntryAnswer
  /** `refused`: the last approval whose order would have been denied. */
  approval: { given: Approval | null; refused: Refusal | null } = { given: null, refused: null }
  /** The ledger has decided to send, and the workflow has not received that. */
  isDecidedUnheard = false
  pendingReplacement: PendingReplacement | null = null
  exit: ExitProgress = exitBegins()
  /** Exit cancels that are being recorded. */
  exitCancels = 0
  isExitChanging = false
  /** Null where the working order has not been looked at. */
  look: ExitLook | null = null
  news = 0
  closings = 0
  /** New levels for its remaining shares continue an ended run. */
  mayGoOn = false
  #heard: { news: number; filled: Decimal } = { news: 0, filled: '0' }
  #shown: { waitsFor: string | null; until: string | null } = {
    waitsFor: 'the entry order to be sent',
    until: null,
  }

  #stop: Stop | null = null
  readonly #thenQueue: string | null

  constructor(
    terms: SignalTerms,
    { loads = false, thenQueue = null }: { loads?: boolean; thenQueue?: string | null } = {},
  ) {
    super()
    this.terms = terms
    this.#thenQueue = thenQueue
    // Adopted shares have no entry.
    const isLoaded = loads || terms.origin === 'adopted'
    this.phase = isLoaded ? 'loading' : terms.executeMode === 'immediate' ? 'checking' : 'waiting'
    const status = FIRST_STATUS[terms.executeMode]
    this.entryAnswer = { status, orderId: null, reason: null, detail: null }
  }

  get status(): SignalStatus {
    return this.entryAnswer.status
  }

  load({
    terms,
    phase,
    status,
    orderId,
    reason,
    detail,
    exit,
    closings,
    reports,
    orderCancel,
  }: LoadedSignal): void {
    const heard = this.knownOrders
    this.terms = terms
    this.phase = phase
    this.entryAnswer = { status, orderId, reason, detail }
    this.exit = exit
    this.closings = closings
    this.mayGoOn = phase === 'ended' && closings > 0
    this.adopt(reports, orderCancel)
    for (const { report } of heard) this.note(report)
    upsertSearchAttributes([{ key: searchAttributes.status, value: status }])
    this.#show()
  }

  override continueAsNewInput(): SignalInput {
    const stays = this.#thenQueue !== null && this.nextQueue === null
    return { terms: this.terms, loads: true, ...(stays && { thenQueue: this.#thenQueue }) }
  }

  override get nextQueue(): string | null {
    return this.hasEntryOutcome && !this.#isNearlyOver ? this.#thenQueue : null
  }

  /** A move to another queue is hardly worthwhile. */
  get #isNearlyOver(): boolean {
    const { exit, protection } = this.terms
    if (protection !== undefined) return false
    if (this.phase === 'working') return exit === null && fillsAtOnce(this.terms)
    return exit?.orderType === 'market' && this.exit.workingOrder !== null
  }

  /** The broker has accepted the entry, or certainly never will. */
  get hasEntryOutcome(): boolean {
    return !BEFORE_OUTCOME.has(this.phase)
  }

  /** It requires approval although its sender asked for none. */
  get isHeld(): boolean {
    return this.status === 'pending' && this.terms.executeMode !== 'pending'
  }

  get entryId(): string {
    return entryIdFor(this.terms.signalId)
  }

  get entry(): OrderReport {
    return this.placed(this.entryId)
  }

  /** Throws when the transition table forbids it. */
  become(status: SignalStatus, because: { reason?: StatusReason | null; detail?: string | null } = {}): void {
    if (status !== this.status && !mayBecome(this.status, status))
      throw new TypeError(`a signal that is ${this.status} cannot become ${status}`)
    const changed = status !== this.status
    const { reason = null, detail = null } = because
    this.entryAnswer = { ...this.entryAnswer, status, reason, detail }
    if (changed) upsertSearchAttributes([{ key: searchAttributes.status, value: status }])
    this.#show()
  }

  /** The wait for approval does not make the entry late. */
  hold({ detail, refused }: EntryForApproval): void {
    this.terms = { ...this.terms, sendBefore: this.terms.validUntil }
    if (refused === undefined) this.advise([{ code: HELD_FOR_APPROVAL, message: detail }])
    else {
      const { code, quantity, limitPrice } = refused
      this.terms = { ...this.terms, quantity, limitPrice }
      this.approval = { given: null, refused: { approval: this.approval.given, code, detail } }
      this.lostAttempt = null
    }
    this.become('pending')
    this.phase = 'waiting'
  }

  override waitFor(what: string | null, until: string | null = null): void {
    this.#shown = { waitsFor: what, until }
    this.#show()
  }

  override asKept(report: OrderReport): OrderReport {
    const isEntry = report.clientOrderId === this.entryId
    return isEntry ? asGoodTillDate(report, this.terms.expiresAt, workflowNow()) : report
  }

  override get accountId(): string {
    return this.terms.accountId
  }

  override get signalId(): string {
    return this.terms.signalId
  }

  /** A cancel of an order by hand counts too. */
  get stop(): Stop | null {
    if (this.#stop !== null || !isByHand(this.terms)) return this.#stop
    const isUndecided = this.phase === 'checking' && !this.isDecidedUnheard
    return isUndecided && this.orderCancel !== null ? { kind: 'withdrawn', by: this.orderCancel.by } : null
  }

  set stop(stop: Stop | null) {
    this.#stop = stop
  }

  decide({ advisories, leg, action }: Pick<SizedEntry, 'leg' | 'action'> & { advisories: Advisory[] }): void {
    this.advise(advisories)
    if (leg) this.terms = withLeg(this.terms, leg)
    if (action) this.terms = { ...this.terms, action }
  }

  override isOnItsWay(clientOrderId: string): boolean {
    // An order by hand can be cancelled at any time.
    const mayBeSent =
      !isByHand(this.terms) &&
      (this.phase === 'sending' || (this.phase === 'checking' && this.lostAttempt !== null))
    return this.phase === 'loading' || (mayBeSent && clientOrderId === this.entryId)
  }

  override whyNotCancellable(clientOrderId: string): string | null {
    const report = this.report(clientOrderId)
    const mayBeStopped = isByHand(this.terms) && clientOrderId === this.entryId && this.phase !== 'ended'
    if (!report) return mayBeStopped ? null : 'is not known to be at the broker'
    const isFollowed =
      clientOrderId === this.entryId
        ? this.phase === 'working' || mayBeStopped
        : this.exit.workingOrder?.clientOrderId === clientOrderId
    return isFollowed && isWorking(report.status) ? null : `is ${report.status}`
  }

  override hasEnded(clientOrderId: string): boolean {
    const isUnsent = clientOrderId === this.entryId && !this.report(clientOrderId)
    return isUnsent ? this.phase === 'ended' : super.hasEnded(clientOrderId)
  }

  override cancelAnswer(clientOrderId: string): CancelAnswer {
    if (this.report(clientOrderId)) return super.cancelAnswer(clientOrderId)
    return { status: this.status === 'cancelled' ? 'CANCELLED' : 'REJECTED', filledQuantity: '0' }
  }

  /** No exit order is at the broker or about to be sent. */
  get exitIsParked(): boolean {
    return this.isExitUnsent && this.look?.desired.what === 'wait'
  }

  /** A person may cancel the exit, even before the first look. */
  get isExitUnsent(): boolean {
    return this.phase === 'exiting' && this.exit.workingOrder === null && this.look?.desired.what !== 'order'
  }

  get hasNews(): boolean {
    return this.news > this.#heard.news || this.isFilledFurther
  }

  get isFilledFurther(): boolean {
    return compare(this.report(this.entryId)?.filledQuantity ?? '0', this.#heard.filled) > 0
  }

  /** Adopted shares are known from the ledger, and no news. */
  grow({ filled, average }: NonNullable<ExitLook['grown']>): void {
    this.note({ ...this.entry, quantity: filled, filledQuantity: filled, avgFillPrice: average })
    this.#heard = { ...this.#heard, filled }
  }

  hear(): void {
    this.#heard = { news: this.news, filled: this.report(this.entryId)?.filledQuantity ?? '0' }
  }

  advise(advisories: { code: string; message: string }[]): void {
    this.entryAnswer = { ...this.entryAnswer, ...(advisories.length > 0 && { advisories }) }
  }

  changeExit(by: string, protection: Protection | null, at: string): void {
    const { protection: _, ...terms } = this.terms
    this.terms = { ...terms, ...(protection && { protection }) }
    const { target } = this.terms
    if (target) {
      const { protection: __, ...rest } = target
      this.terms.target = { ...rest, ...(protection && { protection }) }
    }
    this.exit = afterLevelsChanged(this.exit, { at, endedBy: protection === null ? by : null })
    this.news += 1
  }

  /** `covered`: filled shares that it no longer owns; absent where a late fill had reopened it. */
  goOn(covered: Decimal | undefined): void {
    if (covered !== undefined)
      this.exit = { ...this.exit, coveredQuantity: covered, uncovered: [], cancelledBy: null }
    this.mayGoOn = false
    this.phase = 'exiting'
  }

  /** The run does not end while the decision of a person is on its way to the ledger. */
  get isDeciding(): boolean {
    return this.exitCancels > 0 || this.isExitChanging
  }

  nextExitId(reason: ExitReason): string {
    return clientOrderIdFor(this.terms.signalId, exitPurpose(reason), this.exit.generation)
  }

  get exitFilled(): Decimal {
    const sent = [
      ...this.exit.ended,
      ...(this.exit.workingOrder ? [this.exit.workingOrder.clientOrderId] : []),
    ]
    return sent.reduce<Decimal>((sum, id) => add(sum, this.report(id)?.filledQuantity ?? '0'), '0')
  }

  get progress(): SignalProgress {
    return { status: this.status, ...this.#shown }
  }

  get outcome(): SignalOutcome {
    const entryFilled = this.report(this.entryId)?.filledQuantity ?? '0'
    const { status, reason } = this.entryAnswer
    return { status, reason, entryFilled, exitFilled: this.exitFilled }
  }

  #show(): void {
    showOperators({
      terms: this.terms,
      ...this.entryAnswer,
      ...this.#shown,
      orders: this.knownOrders.map(({ report }) => report),
    })
  }
}
