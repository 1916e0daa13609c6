import { upsertSearchAttributes } from '@temporalio/workflow'
import { add, type Decimal } from '#domain/decimal.ts'
import {
  asGoodTillDate,
  clientOrderIdFor,
  isTerminal,
  mergeReport,
  type OrderReport,
  type AcknowledgedEnd,
} from '#domain/order.ts'
import { FIRST_STATUS, mayBecome, type SignalStatus } from '#domain/signal-status.ts'
import type { SignalTerms } from '#domain/signal.ts'
import {
  searchAttributes,
  type Approval,
  type ResumeState,
  type EntryAnswer,
  type ExitProgress,
  type Phase,
  type ReopenState,
  type SignalInput,
  type SignalOrderCancel,
  type SignalOutcome,
  type SignalProgress,
  type ReplaceRequest,
} from './contract.ts'
import { showOperators } from './operator-view.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** Why a signal ends before its entry is sent. */
export type Stop =
  | { kind: 'declined'; by: string; reason: string | null }
  | { kind: 'withdrawn'; by: string }
  | { kind: 'expired' }
  | { kind: 'replaced'; replaceRequest: ReplaceRequest }

/** A newer signal asks to take the place of this one while its order works. */
export interface PendingReplacement {
  replaceRequest: ReplaceRequest
  /** Null until it is decided. */
  answer: { granted: true; warning: string | null } | { granted: false } | null
}

/** What a run of the signal workflow knows. Messages and the story both read and write it. */
export class SignalRun {
  /** Frozen at acceptance but for the edits of the person who approves. */
  terms: SignalTerms
  phase: Phase
  status: SignalStatus
  orderId: string | null = null
  reason: string | null = null
  detail: string | null = null
  approval: Approval | null = null
  /** What the check right before the entry had to say beside. */
  advisories: { code: string; message: string }[] = []
  stop: Stop | null = null
  pendingReplacement: PendingReplacement | null = null
  /** When the entry ended, by the broker's clock where it says so, from which exits are timed; UTC instant. */
  entryEndedAt: string | null = null
  /** The person who cancelled the exit, and whether that is in the ledger: until then it may prove too late. */
  exitCancelledBy: string | null = null
  exitCancelRecorded = false
  exit: ExitProgress = {
    generation: 1,
    coveredQuantity: '0',
    workingOrder: null,
    ended: [],
    uncovered: null,
    failures: 0,
    notBefore: null,
  }
  /** Somebody has reason to believe that an exit can be placed now. */
  exitRetryAsked = false
  /** How often an earlier signal has changed that this one may wait for. */
  earlierSignalChanges = 0
  /** How often the signal has ended. */
  closings = 0
  /** Somebody wants this order cancelled; whether the broker was asked. */
  orderCancel: (SignalOrderCancel & { isAsked: boolean }) | null = null
  readonly #reports = new Map<string, { report: OrderReport; newsAt: string }>()
  #waitsFor: string | null = 'the entry order to be sent'
  #until: string | null = null

  constructor(terms: SignalTerms, resumeState?: ResumeState) {
    this.terms = terms
    this.phase = resumeState?.phase ?? (terms.executeMode === 'immediate' ? 'checking' : 'waiting')
    this.status = resumeState?.status ?? FIRST_STATUS[terms.executeMode]
    if (resumeState) this.#restore(resumeState)
  }

  /** Goes on with a signal that had ended; what messages have brought meanwhile counts too. */
  reopen(kept: ResumeState): void {
    const heard = [...this.#reports.values()]
    this.phase = kept.phase
    this.status = kept.status
    this.#restore({ ...kept, exitCancelledBy: this.exitCancelledBy ?? kept.exitCancelledBy })
    this.exitCancelRecorded = kept.exitCancelledBy !== null
    for (const { report } of heard) this.note(report)
  }

  #restore(resumeState: ResumeState): void {
    this.orderId = resumeState.orderId
    this.reason = resumeState.reason
    this.detail = resumeState.detail
    this.entryEndedAt = resumeState.entryEndedAt
    this.exitCancelledBy = resumeState.exitCancelledBy
    this.exitCancelRecorded = resumeState.exitCancelledBy !== null
    this.exit = { ...resumeState.exit }
    this.closings = resumeState.closings
    this.orderCancel = resumeState.orderCancel ? { ...resumeState.orderCancel, isAsked: false } : null
    for (const known of resumeState.reports) this.#reports.set(known.report.clientOrderId, known)
  }

  /** What a fresh history goes on with. Only for moments at which no message is being handled. */
  resumeState(): ResumeState {
    const { phase, status, orderId, reason, detail, entryEndedAt, exitCancelledBy, exit, closings } = this
    const { clientOrderId, by } = this.orderCancel ?? {}
    const reports = [...this.#reports.values()]
    return {
      phase,
      status,
      orderId,
      reason,
      detail,
      reports,
      entryEndedAt,
      exitCancelledBy,
      exit: { ...exit },
      closings,
      ...(clientOrderId && by && { orderCancel: { clientOrderId, by } }),
    }
  }

  continueAsNewInput(): SignalInput {
    return { terms: this.terms, resumeState: this.resumeState() }
  }

  /** With what the signal, which ends now, goes on if a fill comes all the same: another exit, timed like the first. */
  reopenState(): ReopenState {
    const exit = {
      ...this.exit,
      generation: this.exit.generation + 1,
      workingOrder: null,
      failures: 0,
      notBefore: null,
    }
    return { terms: this.terms, resumeState: { ...this.resumeState(), phase: 'awaitingExit', exit } }
  }

  /** The entry order is accepted, or it is known that there is none. */
  get hasEntryOutcome(): boolean {
    return this.phase !== 'waiting' && this.phase !== 'checking' && this.phase !== 'sending'
  }

  get entryId(): string {
    return clientOrderIdFor(this.terms.signalId, 'entry', 1)
  }

  /** The last that is known of the entry order; throws when there is none. */
  get entry(): OrderReport {
    const known = this.#reports.get(this.entryId)
    if (!known) throw new TypeError('the signal has no entry order')
    return known.report
  }

  /** Moves the signal to a status; throws where the transition table does not lead. */
  become(status: SignalStatus, because: { reason?: string | null; detail?: string | null } = {}): void {
    if (status !== this.status && !mayBecome(this.status, status))
      throw new TypeError(`a signal that is ${this.status} cannot become ${status}`)
    const changed = status !== this.status
    this.status = status
    this.reason = because.reason ?? null
    this.detail = because.detail ?? null
    if (changed) upsertSearchAttributes([{ key: searchAttributes.status, value: status }])
    this.#show()
  }

  /** Says what the signal waits for, and until when if that is known. */
  waitFor(what: string | null, until: string | null = null): void {
    this.#waitsFor = what
    this.#until = until
    this.#show()
  }

  /** Takes note of an order report, whatever order they come in. */
  note(heard: OrderReport): OrderReport {
    const report =
      heard.clientOrderId === this.entryId
        ? asGoodTillDate(heard, this.terms.expiresAt, workflowNow())
        : heard
    const known = this.#reports.get(report.clientOrderId)?.report
    const news = known ? mergeReport(known, report, known.quantity) : report
    if (known && !news) return known
    const merged = known ? { ...known, ...news } : report
    this.#reports.set(report.clientOrderId, { report: merged, newsAt: workflowNow() })
    return merged
  }

  /** When a report last told something new of an order; UTC instant. */
  lastNewsAt(clientOrderId: string): string {
    const known = this.#reports.get(clientOrderId)
    if (!known) throw new TypeError(`nothing is known of order ${clientOrderId}`)
    return known.newsAt
  }

  /** The last that is known of an order. */
  report(clientOrderId: string): OrderReport | undefined {
    return this.#reports.get(clientOrderId)?.report
  }

  /** All orders that are known to have ended, as far as they are known. */
  get endedOrders(): AcknowledgedEnd[] {
    return [...this.#reports.values()]
      .filter(({ report }) => isTerminal(report.status))
      .map(({ report: { clientOrderId, filledQuantity } }) => ({ clientOrderId, filledQuantity }))
  }

  /** No exit order is out and the next one waits for its time: a person may cancel the exit now. */
  get exitIsParked(): boolean {
    return this.phase === 'exiting' && this.exit.notBefore !== null
  }

  /** Shares that exit orders have closed. */
  get exitFilled(): Decimal {
    const sent = [
      ...this.exit.ended,
      ...(this.exit.workingOrder ? [this.exit.workingOrder.clientOrderId] : []),
    ]
    return sent.reduce((sum, id) => add(sum, this.report(id)?.filledQuantity ?? '0'), '0')
  }

  hasEnded(clientOrderId: string): boolean {
    const report = this.report(clientOrderId)
    return report !== undefined && isTerminal(report.status)
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
      orders: [...this.#reports.values()].map(({ report }) => report),
    })
  }
}
