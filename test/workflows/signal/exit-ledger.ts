import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import type { Activities, SizedExit, SubmitOrderResult } from '#activities/contract.ts'
import { stateOf } from '#activities/load.ts'
import type { SignalRecord } from '#db/signal/record.ts'
import { add, compare, isPositive, smaller, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import { exitStatusesBefore, type ExitState } from '#domain/exit/exit.ts'
import type { CancelMarks, ExitProgress } from '#domain/exit/progress.ts'
import { lookWithLevels, type ExitLook } from '#domain/exit/look.ts'
import type { CrossedLevel, Protection, RestingOrder } from '#domain/exit/protection.ts'
import { changedLevels } from '#domain/exit/protection-check.ts'
import {
  clientOrderIdFor,
  isTerminal,
  isWorking,
  mergeReport,
  parseClientOrderId,
  type OrderReport,
  type OrderRole,
  type OrderStatus,
} from '#domain/order/order.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import { filled, reportOf } from '#test/support/sample-signal.ts'
import { signalRow } from '#test/support/signal-row.ts'
import type { AskedStep } from '#test/support/bare-workflow.ts'

type Input<K extends keyof Activities> = Parameters<Activities[K]>[0]
type Size = Extract<SizedExit, { quantity: Decimal }> & { coveredBefore: Decimal; stopped?: true }

/** What the ledger holds of a signal beside its orders. */
interface StoredExit {
  /** `queued` in a ledger that was set back to before the entry was recorded as accepted. */
  status: 'executed' | 'queued'
  exit: { status: SignalRecord['signal']['exitStatus']; generation: number }
  decisions: Record<string, Size | { stopped: true }>
  marks: Map<string, CancelMarks>
  progress: ExitProgress | null
  cancelledBy: string | null
  closings: number
  counted: Decimal
  protection: Protection | null
  crossed: CrossedLevel | null
  resting: RestingOrder | null
  revision: number
  restingRevision: number
}

const now = (): string => new Date().toISOString()
const failure = (type: string): ApplicationFailure => ApplicationFailure.create({ message: type, type })

/** What is to happen right before a step of this kind, once. */
export const MOMENTS = [
  'sizeExit',
  'submitOrder',
  'recordAccepted',
  'recordExitTrouble',
  'readCancelMarks',
] as const
export type Moment = (typeof MOMENTS)[number]

/**
 * A broker that has accepted an entry, and what the ledger stores of the signal and its exit, as far as the story of the exit
 * depends on them. Nothing else outlives a workflow that is lost.
 */
export class ExitLedger {
  terms: SignalTerms
  readonly broker = new Map<string, OrderReport>()
  readonly #recorded = new Map<string, OrderReport>()
  readonly #done = new Set<string>()
  readonly #refused = new Map<string, DenialCode>()
  #stored: StoredExit
  #exitEndedBy: string | null = null
  /** The kind of the order of its levels that is wanted. */
  kind: 'stop' | 'oco' = 'stop'
  /** Shares that an order of somebody else has closed. */
  closedByOthers: Decimal = '0'
  isHeldUp = false
  /** The exchange is, for orders that are good for the day. */
  isClosed = false
  /** How many shares an exit is for at most, as where others hold the rest. */
  free: Decimal | null = null
  /** What becomes of the next order of an exit that is sent for the first time. */
  next: 'accepted' | 'refused' | 'opposed' | 'taken back' | 'answer lost' | 'lost' = 'accepted'
  readonly armed = new Map<Moment, (() => void)[]>()
  /** What was sent, told and ended, which has to be the same whatever is lost. */
  readonly effects: string[] = []

  constructor(terms: SignalTerms) {
    this.terms = terms
    this.#stored = { ...structuredClone(ExitLedger.UNDECIDED), status: 'executed' }
    const { signalId, symbol, timeInForce } = terms
    const clientOrderId = clientOrderIdFor(signalId, 'entry', 1)
    const shape = {
      symbol,
      side: 'BUY',
      quantity: '10',
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
    } as const
    const entry = reportOf({ ...shape, clientOrderId, timeInForce, extendedHours: false }, now())
    this.broker.set(clientOrderId, entry)
    this.#recorded.set(clientOrderId, entry)
  }

  /** Whether a workflow is to run. */
  get isOpen(): boolean {
    return this.#stored.closings === 0 || this.wantsReopening
  }

  get record(): SignalRecord {
    const { status, exit } = this.#stored
    const signal = signalRow(this.terms, { status, orderId: 'order', exitStatus: exit.status })
    return {
      isOpen: this.isOpen,
      hasEnded: this.#stored.closings > 0,
      signal,
      orders: [...this.#recorded.values()].map((report) => ({
        role: parseClientOrderId(report.clientOrderId)!.role,
        report,
        newsAt: parseClientOrderId(report.clientOrderId)!.role === 'exit' ? report.submittedAt : now(),
        marks: this.marksOf(report.clientOrderId),
      })),
      decisions: this.#stored.decisions,
      closings: this.#stored.closings,
      exitProgress: this.#stored.progress,
      exitCancelledBy: this.#stored.cancelledBy,
      exitEndedBy: this.#exitEndedBy,
      levelsSince: null,
    }
  }

  /** As the ledger was before anything was decided: what is lost with it comes back from the broker alone. */
  static readonly UNDECIDED: StoredExit = {
    status: 'queued',
    exit: { status: 'waiting', generation: 0 },
    decisions: {},
    marks: new Map(),
    progress: null,
    cancelledBy: null,
    closings: 0,
    counted: '0',
    protection: null,
    crossed: null,
    resting: null,
    revision: 0,
    restingRevision: 0,
  }

  /** What is stored, to be put back by {@link rollback}. */
  copy(): StoredExit {
    return structuredClone({ ...this.#stored, protection: this.terms.protection ?? null })
  }

  /** Puts an older state in the place of this one; the orders come back from the broker. */
  rollback(stored: StoredExit): void {
    this.#stored = structuredClone(stored)
    if (stored !== ExitLedger.UNDECIDED) this.#protect(stored.protection)
    this.#refused.clear()
    this.feed()
  }

  /** A level that the price has reached, which is noted until an exit order is accepted. */
  get crossed(): CrossedLevel | null {
    return this.#stored.crossed
  }
  set crossed(level: CrossedLevel | null) {
    this.#stored.crossed = level
  }

  /** Whether the feed opens the signal again, which has ended. */
  get wantsReopening(): boolean {
    const { closings, cancelledBy, counted } = this.#stored
    if (closings === 0 || cancelledBy !== null) return false
    if (this.terms.exit === null && this.terms.protection === undefined) return false
    return compare(this.entry.filledQuantity, counted) > 0
  }

  get entry(): OrderReport {
    return this.broker.get(clientOrderIdFor(this.terms.signalId, 'entry', 1))!
  }

  /** The exit order that was sent last. */
  get exit(): OrderReport | undefined {
    return [...this.broker.values()].findLast(
      ({ clientOrderId }) => parseClientOrderId(clientOrderId)!.role === 'exit',
    )
  }

  filledOf(role: OrderRole): Decimal {
    return [...this.broker.values()]
      .filter(({ clientOrderId }) => parseClientOrderId(clientOrderId)!.role === role)
      .reduce<Decimal>((sum, { filledQuantity }) => add(sum, filledQuantity), '0')
  }

  get held(): Decimal {
    return subtract(subtract(this.filledOf('entry'), this.filledOf('exit')), this.closedByOthers)
  }

  /** Executes so many shares, at most what is left of the order; of one that has ended that is a late fill. */
  fill(order: OrderReport | undefined, shares: Decimal): void {
    if (!order || order.status === 'FILLED' || order.status === 'REJECTED') return
    const isExit = parseClientOrderId(order.clientOrderId)!.role === 'exit'
    const left = subtract(order.quantity, order.filledQuantity)
    const some = smaller(smaller(left, shares), isExit ? this.held : left)
    if (!isPositive(some)) return
    const sum = add(order.filledQuantity, some)
    const isWhole = compare(sum, order.quantity) === 0
    const status = isWhole ? 'FILLED' : isTerminal(order.status) ? order.status : 'PARTIALLY_FILLED'
    this.#change(order, { status, ...filled(sum, now()) })
  }

  end(order: OrderReport | undefined, status: OrderStatus): void {
    if (order && isWorking(order.status)) this.#change(order, { status, endedAt: now() })
  }

  /** An order of somebody else closes shares, as far as no order of the exit holds them. */
  closeByOthers(shares: Decimal): void {
    const { exit, held } = this
    const open = exit && isWorking(exit.status) ? subtract(exit.quantity, exit.filledQuantity) : '0'
    const some = smaller(shares, subtract(held, open))
    if (isPositive(some)) this.closedByOthers = add(this.closedByOthers, some)
  }

  #protect(protection: Protection | null): void {
    const { protection: _, ...terms } = this.terms
    this.terms = { ...terms, ...(protection && { protection }) }
  }

  cancelledFor(): void {
    const { exit } = this
    if (!exit || isTerminal(exit.status)) return
    this.#mark(exit.clientOrderId, { cancelledFor: 'closer-e1' })
    this.end(exit, 'CANCELLED')
  }

  /** Somebody makes the exit order smaller, at the broker's own site. */
  makeSmaller(): void {
    const { exit } = this
    if (!exit || isTerminal(exit.status) || compare(exit.quantity, '6') <= 0) return
    if (compare(exit.filledQuantity, '6') >= 0) return
    const links = ['before', 'after'].map((id) => ({ brokerOrderId: id, filledQuantity: '0' as const }))
    this.#change(exit, { quantity: '6', links })
  }

  /** The feed brings every order up to date, and returns what is to be told. */
  feed(): OrderReport[] {
    for (const [id, report] of this.broker) this.#merge(id, report)
    return [...this.broker.values()]
  }

  marksOf(clientOrderId: string): CancelMarks {
    return this.#stored.marks.get(clientOrderId) ?? { askedBy: null, cancelledFor: null }
  }

  #mark(clientOrderId: string, marks: Partial<CancelMarks>): void {
    this.#stored.marks.set(clientOrderId, { ...this.marksOf(clientOrderId), ...marks })
  }

  #change(order: OrderReport, changes: Partial<OrderReport>): void {
    this.broker.set(order.clientOrderId, { ...order, ...changes })
    assert.ok(!this.held.startsWith('-'), 'closed more than was opened')
  }

  #merge(id: string, report: OrderReport): void {
    const known = this.#recorded.get(id)
    const merged = known && mergeReport(known, report, report.quantity)
    const { links: _, ...row } = { ...report, ...merged }
    if (!known || merged || known.quantity !== report.quantity) this.#recorded.set(id, row)
  }

  /** Carries out a step; throws where the real one would fail. */
  do({ name, input }: Pick<AskedStep, 'name' | 'input'>): unknown {
    if (this.#isFirst(name, input))
      for (const happen of this.armed.get(name as Moment)?.splice(0) ?? []) happen()
    const step = this.#steps[name as keyof Activities] as ((of: unknown) => unknown) | undefined
    if (!step) throw new TypeError(`${name} is no part of this story`)
    return step(input)
  }

  readonly #steps: { [K in keyof Activities]?: (input: Input<K>) => unknown } = {
    attemptEntry: () => {
      this.#stored.status = 'executed'
      const check = { completed: true, result: { outcome: 'ready', quantity: '10', advisories: [] } }
      const submission = { completed: true, result: { outcome: 'accepted', report: this.entry } }
      return { check, submission, orderId: 'order' }
    },
    scheduleExit: ({ rule, entryEndedAt, scheduledFor, progress }) => {
      const submitAt = scheduledFor ?? addMinutes(entryEndedAt, rule.minutes ?? 0)
      if (this.#moves({ generation: progress.generation, status: 'scheduled' })) {
        this.#stored.progress = { ...progress, time: { ...progress.time, at: submitAt } }
      }
      return { submitAt, reason: null }
    },
    sizeExit: (input) => this.#size(input),
    submitOrder: (input) => this.#submit(input),
    lookAtExit: (input) => this.#look(input),
    adjustProtection: () => {
      this.#stored.restingRevision = this.#stored.revision
      return 'same'
    },
    sessionEnd: ({ at }) => ({ endsAt: addMinutes(at, 60) }),
    recordProtectionChanged: ({ by, change }) => {
      const plan = changedLevels(this.terms.protection ?? null, change)
      this.#protect(plan)
      this.#exitEndedBy = plan === null ? by : null
      this.#stored.revision += 1
      this.effects.push(`${by} changes the plan`)
      return { protection: plan }
    },
    recordAccepted: ({ report, progress, resting }) => {
      if (resting) {
        this.crossed = null
        Object.assign(this.#stored, { resting: resting.order, restingRevision: resting.revision })
      }
      const { generation } = parseClientOrderId(report.clientOrderId)!
      assert.ok(progress, 'how far the exit has come is stored with its acceptance')
      if (this.#moves({ generation, status: 'submitted' })) this.#stored.progress = progress
      this.#merge(report.clientOrderId, report)
      return { orderId: 'order', report: { ...report, ...this.#recorded.get(report.clientOrderId) } }
    },
    recordExitTrouble: (input) => this.#trouble(input),
    recordExitCancelled: ({ generation, by }) => {
      if ('quantity' in (this.#stored.decisions[`exit-${generation}`] ?? {})) return 'too_late'
      this.#stored.decisions[`exit-${generation}`] = { stopped: true }
      this.#stored.cancelledBy = by
      this.#moves({ generation, status: 'cancelled' })
      return 'stopped'
    },
    recordCancelRequested: ({ clientOrderId, by }) =>
      this.#mark(clientOrderId, { askedBy: this.marksOf(clientOrderId).askedBy ?? by }),
    cancelOrder: ({ brokerOrderId, cancelledFor }) => {
      const order = [...this.broker.values()].find((one) => one.brokerOrderId === brokerOrderId)!
      if (cancelledFor && isWorking(this.#recorded.get(order.clientOrderId)!.status))
        this.#mark(order.clientOrderId, { cancelledFor: cancelledFor.to })
      this.end(order, 'CANCELLED')
      return { report: this.broker.get(order.clientOrderId) }
    },
    readCancelMarks: ({ clientOrderId }) => this.marksOf(clientOrderId),
    loadSignal: () => stateOf(this.record),
    recordClosed: (input) => {
      const end = input
      if (end.exit) this.#moves(end.exit)
      if (this.#stored.closings >= end.closing) return
      const { message, unprotected, exit, closing: closings, entryFilled: counted, progress } = end
      this.effects.push(
        `closes ${closings}: ${message}, ${exit?.status} ${exit?.reason}, ${unprotected} left`,
      )
      Object.assign(this.#stored, { closings, counted, progress })
    },
    acknowledgeEnds: () => {},
  }

  /** Not a repetition, of which there are more where a workflow is lost; nor a doubt, which may be over by then. */
  #isFirst(name: string, input: unknown): boolean {
    const about = input as Partial<Input<'recordExitTrouble'>> & {
      clientOrderId?: string
      request?: object
      report?: OrderReport
    }
    const { generation, kind, clientOrderId, request, report } = about
    const key = JSON.stringify([name, generation, kind, clientOrderId, request, report?.clientOrderId])
    const isFirst = kind !== 'unknown' && !this.#done.has(key)
    this.#done.add(key)
    return isFirst
  }

  /** As `db/signal/ledger-statement.ts`. */
  #moves({ generation, status }: ExitState): boolean {
    const { generation: known, status: from } = this.#stored.exit
    const isForward =
      known < generation ||
      (known === generation && (from === status || exitStatusesBefore(status).includes(from!)))
    if (isForward) this.#stored.exit = { generation, status }
    return isForward
  }

  #trouble(input: Input<'recordExitTrouble'>): { acknowledged: boolean } {
    const { generation, kind, detail, progress } = input
    // Whether a send is in doubt depends on the moment of the loss.
    if (kind !== 'unknown') this.effects.push(`${kind} ${generation}: ${detail}`)
    const concerned = kind === 'ended' ? generation + 1 : generation
    if (this.#moves({ generation: concerned, status: 'scheduled' })) {
      this.#stored.progress = progress
    }
    const size = this.#stored.decisions[`exit-${generation}`]
    if (size && (kind === 'rejected' || kind === 'taken_back')) size.stopped = true
    return { acknowledged: false }
  }

  #look(input: Input<'lookAtExit'>): ExitLook {
    const { revision, restingRevision, crossed, resting } = this.#stored
    // Where a stop lies as the plan has it, the broker acts upon it.
    const lies = resting?.orderType === 'stop' ? { ...resting, stopPrice: '90' as const } : resting
    const look = lookWithLevels(input, {
      protection: this.terms.protection ?? null,
      position: { side: 'LONG', average: '100', fees: '0' },
      best: '100',
      resting: lies,
      kept: input.exit.workingOrder && lies,
      crossed,
      abilities: { oco: this.kind === 'oco', trailing: false },
      owned: this.held,
      isTooLarge: false,
      isWornOut: false,
      halt: null,
      revision,
      restingRevision,
    })
    if (look.reached === null) this.crossed = null
    if (input.exit.workingOrder === null && look.reached === null) this.#stored.resting = null
    return look
  }

  #size({ filledQuantity, reason, rule, progress }: Input<'sizeExit'>): SizedExit {
    const { generation, coveredQuantity } = progress
    const none = { quantity: null, coversQuantity: null, notBefore: null } as const
    const kept = this.#stored.decisions[`exit-${generation}`]
    if (kept && !('quantity' in kept)) throw failure('SignalAlreadyStopped')
    if (kept?.stopped) return { ...none, givenUp: true }
    if (kept) return compare(kept.coveredBefore, coveredQuantity) === 0 ? withoutBasis(kept) : kept
    if (reason === 'PROTECTION' && rule.timeInForce === 'day' && this.isClosed)
      return { ...none, notBefore: addMinutes(now(), 60) }
    if (this.isHeldUp) return { ...none, obstacle: 'another order holds the shares' }
    const own = smaller(this.held, filledQuantity)
    const quantity = this.free === null ? own : smaller(own, this.free)
    const coversQuantity = subtract(filledQuantity, subtract(own, quantity))
    const order = reason && { order: { reason, terms: rule } }
    const size: Size = { quantity, coversQuantity, notBefore: null, coveredBefore: coveredQuantity, ...order }
    Object.assign(this.#stored, {
      decisions: { ...this.#stored.decisions, [`exit-${generation}`]: size },
      progress,
    })
    return withoutBasis(size)
  }

  #submit({ request }: Input<'submitOrder'>): SubmitOrderResult {
    const { clientOrderId, quantity } = request
    const known = this.broker.get(clientOrderId)
    if (known) return { outcome: 'accepted', report: known }
    const { generation } = parseClientOrderId(clientOrderId)!
    const code = this.#refused.get(clientOrderId)
    if (code) return { outcome: 'rejected', code, detail: 'no' }
    assert.ok(isTerminal(this.entry.status), 'an exit while the entry works')
    assert.ok(!this.exit || isTerminal(this.exit.status), 'a second exit beside the first')
    assert.equal(this.#stored.cancelledBy, null, 'an exit that was cancelled')
    // Shares of it were closed since it was sized.
    const isTooLarge = compare(quantity, this.held) > 0
    const next = isTooLarge ? 'taken back' : this.next
    if (!isTooLarge) this.next = 'accepted'
    if (next === 'lost') throw failure('OutcomeUnknown')
    if (next === 'refused' || next === 'opposed') {
      this.#refused.set(clientOrderId, next === 'opposed' ? 'OPPOSITE_ORDER' : 'BROKER_ERROR')
      return this.#submit({ request } as Input<'submitOrder'>)
    }
    if (next === 'taken back') {
      this.#stored.decisions[`exit-${generation}`]!.stopped = true
      return { outcome: 'void', detail: 'it was given up before it had left' }
    }
    const { orderType, timeInForce } = request
    this.effects.push(`sends ${generation}: ${quantity} ${orderType} ${timeInForce}, at ${now()}`)
    const report = reportOf(request, now())
    this.broker.set(clientOrderId, report)
    if (next === 'answer lost') throw failure('OutcomeUnknown')
    return { outcome: 'accepted', report }
  }
}

const withoutBasis = ({ coveredBefore: _, ...size }: Size): SizedExit => size
