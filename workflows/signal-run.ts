import { upsertSearchAttributes } from '@temporalio/workflow'
import { clientOrderIdFor, isTerminal, mergeReport, type OrderReport } from '#domain/order.ts'
import { FIRST_STATUS, mayBecome, type SignalStatus } from '#domain/signal-status.ts'
import type { SignalTerms } from '#domain/signal.ts'
import {
  searchAttributes,
  type Approval,
  type CarriedState,
  type EntryAnswer,
  type Phase,
  type SignalOutcome,
  type SignalProgress,
  type Supersession,
} from './contract.ts'
import { showOperators } from './operator-view.ts'
import { workflowNow } from './workflow-time.ts'

/** Why a signal ends before its entry is sent. */
export type Stop =
  | { kind: 'declined'; by: string; reason: string | null }
  | { kind: 'withdrawn'; by: string }
  | { kind: 'expired' }
  | { kind: 'superseded'; supersession: Supersession }

/** A newer signal asks to take the place of this one while its order works. */
export interface Takeover {
  supersession: Supersession
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
  stop: Stop | null = null
  takeover: Takeover | null = null
  /** When the entry was first seen to have ended, which exits are counted from; UTC instant. */
  entryEndedAt: string | null = null
  /** The person who cancelled the exit, and whether that is in the books: until then it may prove too late. */
  exitCancelledBy: string | null = null
  exitCancelRecorded = false
  readonly #reports = new Map<string, { report: OrderReport; newsAt: string }>()
  #waitsFor: string | null = 'the entry order to be sent'
  #until: string | null = null

  constructor(terms: SignalTerms, carried?: CarriedState) {
    this.terms = terms
    this.phase = carried?.phase ?? (terms.executeMode === 'immediate' ? 'entering' : 'waiting')
    this.status = carried?.status ?? FIRST_STATUS[terms.executeMode]
    if (!carried) return
    this.orderId = carried.orderId
    this.reason = carried.reason
    this.detail = carried.detail
    this.entryEndedAt = carried.entryEndedAt
    this.exitCancelledBy = carried.exitCancelledBy
    this.exitCancelRecorded = carried.exitCancelledBy !== null
    for (const known of carried.reports) this.#reports.set(known.report.clientOrderId, known)
  }

  /** What a fresh history goes on with. Only for moments at which no message is being handled. */
  carry(): CarriedState {
    const { phase, status, orderId, reason, detail, entryEndedAt, exitCancelledBy } = this
    const reports = [...this.#reports.values()]
    return { phase, status, orderId, reason, detail, reports, entryEndedAt, exitCancelledBy }
  }

  /** The entry order is accepted, or it is known that there is none. */
  get entrySettled(): boolean {
    return this.phase !== 'waiting' && this.phase !== 'entering' && this.phase !== 'sending'
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
  note(report: OrderReport): OrderReport {
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

  /** Client order ids of all orders that are known to have ended. */
  get endedOrders(): string[] {
    return [...this.#reports.keys()].filter((id) => this.hasEnded(id))
  }

  hasEnded(clientOrderId: string): boolean {
    const report = this.report(clientOrderId)
    return report !== undefined && isTerminal(report.status)
  }

  get entryAnswer(): EntryAnswer {
    return { status: this.status, orderId: this.orderId, reason: this.reason, detail: this.detail }
  }

  get progress(): SignalProgress {
    return { status: this.status, waitsFor: this.#waitsFor, until: this.#until }
  }

  outcome(exitFilled: string): SignalOutcome {
    const entryFilled = this.report(this.entryId)?.filledQuantity ?? '0'
    return { status: this.status, reason: this.reason, entryFilled, exitFilled }
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
