import { stateOf } from '#activities/load.ts'
import type { SignalRecord } from '#db/signal/record.ts'
import { compare, type Decimal } from '#domain/money/decimal.ts'
import type { CancelMarks, ExitProgress } from '#domain/exit/progress.ts'
import {
  clientOrderIdFor,
  isTerminal,
  mergeReport,
  parseClientOrderId,
  type OrderReport,
} from '#domain/order/order.ts'
import { FIRST_STATUS, type SignalStatus, type SignalTerms } from '#domain/signal/signal.ts'
import { signalRow } from './signal-row.ts'
import type { Activities, LoadedSignal } from '#activities/contract.ts'

type StepName = keyof Activities
type StepInput<K extends StepName> = Parameters<Activities[K]>[0]

/** What the ledger would hold of a signal by the steps that its workflow has carried out. */
export class StoredSignal {
  #terms: SignalTerms
  #status: SignalStatus
  #orderId: string | null = null
  readonly #orders = new Map<string, OrderReport>()
  readonly #marks = new Map<string, CancelMarks>()
  readonly #decisions: Record<string, unknown> = {}
  #progress: ExitProgress | null = null
  #cancelledBy: string | null = null
  #closings = 0
  #counted: Decimal = '0'

  constructor(terms: SignalTerms) {
    this.#terms = terms
    this.#status = FIRST_STATUS[terms.executeMode]
  }

  get status(): SignalStatus {
    return this.#status
  }

  /** As the feed applies it. */
  hear(report: OrderReport): void {
    const known = this.#orders.get(report.clientOrderId)
    if (parseClientOrderId(report.clientOrderId)?.signalId !== this.#terms.signalId) return
    const news = known ? mergeReport(known, report, report.quantity) : report
    this.#orders.set(report.clientOrderId, { ...(known ?? report), ...news })
  }

  note({ name, input }: { name: StepName; input: unknown }, answer: unknown): void {
    this.#notes[name]?.(input as never, answer as never)
  }

  load(): LoadedSignal {
    return stateOf(this.#record)
  }

  readonly #notes: { [K in StepName]?: (input: never, answer: never) => void } = {
    prepareEntry: (_: unknown, { outcome }: { outcome: string }) => {
      if (outcome === 'held') this.#status = 'pending'
    },
    recordDecisionLapsed: (_: unknown, { outcome }: { outcome: string }) => {
      if (outcome === 'held') this.#status = 'pending'
    },
    recordDue: ({ at, approval }: StepInput<'recordDue'>) => {
      this.#status = 'queued'
      if (approval === null) return
      const { quantity, limitPrice, sendBefore } = approval
      this.#terms = {
        ...this.#terms,
        quantity: quantity ?? this.#terms.quantity,
        limitPrice: limitPrice ?? this.#terms.limitPrice,
        sendBefore: sendBefore ?? this.#terms.sendBefore,
        dueAt: at,
      }
    },
    recordTransmitted: () => void (this.#status = 'transmitted'),
    recordNotPlaced: ({ outcome }: { outcome: string }) =>
      void (this.#status = outcome === 'rejected' ? 'rejected' : 'error'),
    recordCancelled: () => void (this.#status = 'cancelled'),
    recordDeclined: () => void (this.#status = 'cancelled'),
    recordReplaced: () => void (this.#status = 'cancelled'),
    recordAccepted: ({ report, progress }: StepInput<'recordAccepted'>, { orderId }: { orderId: string }) => {
      this.hear(report)
      if (progress) this.#progress = progress
      else [this.#status, this.#orderId] = ['executed', orderId]
    },
    scheduleExit: ({ progress }: StepInput<'scheduleExit'>, { submitAt }: { submitAt: string }) =>
      void (this.#progress = { ...progress, time: { ...progress.time, at: submitAt } }),
    sizeExit: ({ progress, generation }: StepInput<'sizeExit'>, size: { quantity: Decimal | null }) => {
      if (size.quantity === null) return
      this.#progress = progress
      this.#decisions[`exit-${generation}`] = size
    },
    recordExitTrouble: ({ progress }: StepInput<'recordExitTrouble'>) =>
      void (this.#progress = progress ?? this.#progress),
    recordExitCancelled: ({ by }: StepInput<'recordExitCancelled'>, answer: string) => {
      if (answer === 'stopped') this.#cancelledBy = by
    },
    recordCancelRequested: ({ clientOrderId, by }: { clientOrderId: string; by: string }) =>
      this.#mark(clientOrderId, { askedBy: by }),
    recordProtectionChanged: (_: unknown, changed: { plan?: SignalTerms['protection'] | null }) => {
      if (changed.plan === undefined) return
      const { protection: _plan, ...terms } = this.#terms
      this.#terms = { ...terms, ...(changed.plan && { protection: changed.plan }) }
    },
    recordClosed: ({ closing, entryFilled, progress, rejected }: SignalEnd) => {
      if (closing <= this.#closings) return
      if (rejected) this.#status = 'rejected'
      this.#closings = closing
      this.#counted = entryFilled
      this.#progress = progress
    },
  }

  #mark(clientOrderId: string, marks: Partial<CancelMarks>): void {
    const none: CancelMarks = { askedBy: null, cancelledFor: null }
    this.#marks.set(clientOrderId, { ...none, ...this.#marks.get(clientOrderId), ...marks })
  }

  get #record(): SignalRecord {
    const { signalId, exit, protection } = this.#terms
    const entry = this.#orders.get(clientOrderIdFor(signalId, 'entry', 1))
    const isUnplaced = ['pending', 'scheduled', 'queued', 'transmitted'].includes(this.#status)
    const hasExit = exit !== null || protection !== undefined
    const isLate = compare(entry?.filledQuantity ?? '0', this.#counted) > 0
    return {
      signal: signalRow(this.#terms, { status: this.#status, orderId: this.#orderId }),
      isOpen:
        isUnplaced ||
        (this.#orderId !== null && this.#closings === 0) ||
        (isLate && hasExit && this.#cancelledBy === null),
      hasEnded: this.#closings > 0,
      orders: [...this.#orders.values()].map((report) => ({
        role: parseClientOrderId(report.clientOrderId)!.role,
        report,
        newsAt: (isTerminal(report.status) && report.endedAt) || report.submittedAt,
        marks: this.#marks.get(report.clientOrderId) ?? { askedBy: null, cancelledFor: null },
      })),
      decisions: this.#decisions,
      closings: this.#closings,
      exitProgress: this.#progress,
      exitCancelledBy: this.#cancelledBy,
      exitEndedBy: null,
      levelsSince: null,
    }
  }
}

type SignalEnd = Extract<StepInput<'recordClosed'>, { signalId: string }>
