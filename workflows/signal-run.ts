import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { isTerminal, mergeReport, type OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { mayBecome, type SignalStatus } from '#domain/signal-status.ts'
import { searchAttributes, type EntryAnswer, type SignalOutcome, type SignalProgress } from './contract.ts'
import { describeEntry, describeExit } from './summary.ts'
import { workflowNow } from './workflow-time.ts'

/** What a run of the signal workflow knows. Messages and the story both read and write it. */
export class SignalRun {
  readonly terms: SignalTerms
  status: SignalStatus = 'queued'
  orderId: string | null = null
  reason: string | null = null
  detail: string | null = null
  /** The entry order is accepted, or it is known that there is none. */
  entrySettled = false
  readonly #reports = new Map<string, OrderReport>()
  readonly #newsAt = new Map<string, string>()
  #waitsFor: string | null = 'the entry order to be sent'
  #until: string | null = null

  constructor(terms: SignalTerms) {
    this.terms = terms
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
    this.#tellOperators()
  }

  /** Says what the signal waits for, and until when if that is known. */
  waitFor(what: string | null, until: string | null = null): void {
    this.#waitsFor = what
    this.#until = until
    this.#tellOperators()
  }

  /** Takes note of an order report, whatever order they come in. */
  note(report: OrderReport): OrderReport {
    const known = this.#reports.get(report.clientOrderId)
    const news = known ? mergeReport(known, report, known.quantity) : report
    if (known && !news) return known
    const merged = known ? { ...known, ...news } : report
    this.#reports.set(report.clientOrderId, merged)
    this.#newsAt.set(report.clientOrderId, workflowNow())
    return merged
  }

  /** When a report last told something new of an order; UTC instant. */
  lastNewsAt(clientOrderId: string): string {
    const at = this.#newsAt.get(clientOrderId)
    if (at === undefined) throw new TypeError(`nothing is known of order ${clientOrderId}`)
    return at
  }

  /** The last that is known of an order. */
  report(clientOrderId: string): OrderReport | undefined {
    return this.#reports.get(clientOrderId)
  }

  hasEnded(clientOrderId: string): boolean {
    const report = this.#reports.get(clientOrderId)
    return report !== undefined && isTerminal(report.status)
  }

  get entryAnswer(): EntryAnswer {
    return { status: this.status, orderId: this.orderId, reason: this.reason, detail: this.detail }
  }

  get progress(): SignalProgress {
    return { status: this.status, waitsFor: this.#waitsFor, until: this.#until }
  }

  outcome(entryFilled: string, exitFilled: string): SignalOutcome {
    return { status: this.status, reason: this.reason, entryFilled, exitFilled }
  }

  #tellOperators(): void {
    const exit = describeExit(this.terms)
    const lines = [
      `**${describeEntry(this.terms)}**${exit ? `, then ${exit}` : ''}`,
      `- status: **${this.status}**${this.reason ? ` (${this.reason})` : ''}${this.detail ? `: ${this.detail}` : ''}`,
      this.#waitsFor === null
        ? '- ended'
        : `- waits for ${this.#waitsFor}${this.#until ? `, until ${this.#until}` : ''}`,
      ...[...this.#reports.values()].map(
        (order) =>
          `- order ${order.clientOrderId}: ${order.side} ${order.quantity} ${order.symbol}, ${order.status}, filled ${order.filledQuantity}` +
          (order.avgFillPrice ? ` at ${order.avgFillPrice}` : ''),
      ),
    ]
    setCurrentDetails(lines.join('\n'))
  }
}
