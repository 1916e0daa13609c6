import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import type { Activities, SizedExit, SubmitOrderResult } from '#activities/contract.ts'
import type { SignalRecord } from '#db/watch/unfinished-work.ts'
import { add, compare, isPositive, smaller, subtract, type Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import { exitStatusesBefore, type ExitState, type ExitTerms } from '#domain/exit.ts'
import type { CancelMarks, ExitProgress } from '#domain/exit-progress.ts'
import type { CrossedLevel, Protection } from '#domain/protection.ts'
import {
  clientOrderIdFor,
  isTerminal,
  isWorking,
  mergeReport,
  parseClientOrderId,
  type OrderReport,
  type OrderRole,
  type OrderStatus,
} from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { addMinutes } from '#domain/wall-time.ts'
import type { ReopenState } from '#workflows/signal/contract.ts'
import { filled, reportOf } from '#test/support/sample-signal.ts'
import type { AskedStep } from '#test/support/bare-workflow.ts'

type Input<K extends keyof Activities> = Parameters<Activities[K]>[0]
type Size = Extract<SizedExit, { quantity: Decimal }> & { coveredBefore: Decimal; stopped?: true }

/** What the ledger holds of a signal beside its orders. */
interface StoredExit {
  status: 'executed' | 'queued'
  exit: { status: SignalRecord['signal']['exitStatus']; generation: number }
  decisions: Record<string, Size | { stopped: true }>
  marks: Map<string, CancelMarks>
  progress: ExitProgress | null
  dueAt: string | null
  cancelledBy: string | null
  closings: number
  reopenState: ReopenState | null
  isReopened: boolean
  protection: Protection | null
  crossed: CrossedLevel | null
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
  readonly #marks = new Map<string, CancelMarks>()
  readonly #decisions: Record<string, Size | { stopped: true }> = {}
  readonly #done = new Set<string>()
  readonly #refused = new Map<string, DenialCode>()
  #exit: { status: SignalRecord['signal']['exitStatus']; generation: number } = {
    status: 'waiting',
    generation: 0,
  }
  #progress: ExitProgress | null = null
  #dueAt: string | null = null
  #cancelledBy: string | null = null
  #closings = 0
  #reopenState: ReopenState | null = null
  #isReopened = false
  #planEndedBy: string | null = null
  /** A level that the price has reached, which is noted until an exit order is accepted. */
  crossed: CrossedLevel | null = null
  /** The kind of the plan's order that is wanted. */
  kind: 'gtc' | 'day' = 'gtc'
  /** `queued` in a ledger that was set back to before the entry was recorded as accepted. */
  #status: 'executed' | 'queued' = 'executed'
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

  /** Null when no workflow is to run. */
  get record(): SignalRecord | null {
    if (this.#closings > 0 && !this.#isReopened) return null
    const { signalId, executeMode, exit } = this.terms
    const { protection } = this.terms
    const signal = {
      id: signalId,
      status: this.#status,
      executeMode,
      orderId: 'order',
      exitRule: exit,
      protection,
    }
    return {
      signal: { ...signal, exitStatus: this.#exit.status } as SignalRecord['signal'],
      orders: [...this.#recorded.values()].map((report) => ({
        report,
        newsAt: parseClientOrderId(report.clientOrderId)!.role === 'exit' ? report.submittedAt : now(),
        marks: this.marksOf(report.clientOrderId),
      })),
      decisions: this.#decisions,
      closings: this.#closings,
      exitProgress: this.#progress,
      exitDueAt: this.#dueAt,
      exitCancelledBy: this.#cancelledBy,
      crossed: this.crossed,
      planEndedBy: this.#planEndedBy,
    }
  }

  /** As the ledger was before anything was decided: what is lost with it comes back from the broker alone. */
  static readonly UNDECIDED: StoredExit = {
    status: 'queued',
    exit: { status: 'waiting', generation: 0 },
    decisions: {},
    marks: new Map(),
    progress: null,
    dueAt: null,
    cancelledBy: null,
    closings: 0,
    reopenState: null,
    isReopened: false,
    protection: null,
    crossed: null,
  }

  /** What is stored, to be put back by {@link setBack}. */
  copy(): StoredExit {
    return structuredClone({
      status: this.#status,
      exit: this.#exit,
      decisions: this.#decisions,
      marks: this.#marks,
      progress: this.#progress,
      dueAt: this.#dueAt,
      cancelledBy: this.#cancelledBy,
      closings: this.#closings,
      reopenState: this.#reopenState,
      isReopened: this.#isReopened,
      protection: this.terms.protection ?? null,
      crossed: this.crossed,
    })
  }

  /** Puts an older state in the place of this one; the orders come back from the broker. */
  setBack(stored: StoredExit): void {
    const {
      status,
      exit,
      decisions,
      marks,
      progress,
      dueAt,
      cancelledBy,
      closings,
      reopenState,
      isReopened,
      protection,
      crossed,
    } = structuredClone(stored)
    for (const key of Object.keys(this.#decisions)) delete this.#decisions[key]
    Object.assign(this.#decisions, decisions)
    this.#marks.clear()
    for (const [id, each] of marks) this.#marks.set(id, each)
    this.#status = status
    this.#exit = exit
    this.#progress = progress
    this.#dueAt = dueAt
    this.#cancelledBy = cancelledBy
    this.#closings = closings
    this.#reopenState = reopenState
    this.#isReopened = isReopened
    this.crossed = crossed
    if (stored !== ExitLedger.UNDECIDED) this.#protect(protection)
    this.#refused.clear()
    this.feed()
  }

  /** Whether the feed opens the signal again, which has ended. */
  get wantsReopening(): boolean {
    const kept = this.#reopenState?.resumeState
    if (!kept || this.#isReopened || kept.exit.cancelledBy !== null) return false
    if (this.terms.exit === null && this.#reopenState?.terms.protection === undefined) return false
    const known = kept.reports.find(({ report }) => report.clientOrderId === this.entry.clientOrderId)
    return compare(this.entry.filledQuantity, known?.report.filledQuantity ?? '0') > 0
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

  givesWay(): void {
    const { exit } = this
    if (!exit || isTerminal(exit.status)) return
    this.#mark(exit.clientOrderId, { gaveWayTo: 'closer-e1' })
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
    return this.#marks.get(clientOrderId) ?? { askedBy: null, gaveWayTo: null }
  }

  #mark(clientOrderId: string, marks: Partial<CancelMarks>): void {
    this.#marks.set(clientOrderId, { ...this.marksOf(clientOrderId), ...marks })
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
    switch (name) {
      case 'attemptEntry': {
        this.#status = 'executed'
        const check = { completed: true, result: { outcome: 'ready', quantity: '10', advisories: [] } }
        const submission = { completed: true, result: { outcome: 'accepted', report: this.entry } }
        return { check, submission, orderId: 'order' }
      }
      case 'planExit': {
        const { rule, entryEndedAt, plannedFor, progress } = input as Input<'planExit'>
        const submitAt = plannedFor ?? addMinutes(entryEndedAt, rule.minutes ?? 0)
        if (this.#moves({ generation: progress.generation, status: 'scheduled' })) {
          this.#progress = progress
          this.#dueAt = submitAt
        }
        return { submitAt, reason: null }
      }
      case 'sizeExit':
        return this.#size(input as Input<'sizeExit'>)
      case 'submitOrder':
        return this.#submit(input as Input<'submitOrder'>)
      case 'planProtection': {
        const { isFor } = input as Input<'planProtection'>
        return { order: this.#orderOf(isFor) }
      }
      case 'judgeLevel':
        return this.terms.protection ? (input as Input<'judgeLevel'>).crossed.level : null
      case 'readHalt':
        return { detail: null }
      case 'adjustProtection': {
        const { clientOrderId } = input as Input<'adjustProtection'>
        return this.broker.get(clientOrderId)!.timeInForce === this.kind ? 'same' : 'other'
      }
      case 'recordProtectionChanged': {
        const { by, protection } = input as Input<'recordProtectionChanged'>
        this.#protect(protection)
        this.#planEndedBy = protection === null ? by : null
        this.effects.push(`${by} changes the plan`)
        return undefined
      }
      case 'recordAccepted': {
        const { report, progress, resting } = input as Input<'recordAccepted'>
        if (resting !== undefined) this.crossed = null
        const { generation } = parseClientOrderId(report.clientOrderId)!
        assert.ok(progress, 'how far the exit has come is stored with its acceptance')
        if (this.#moves({ generation, status: 'submitted' })) this.#progress = progress
        this.#merge(report.clientOrderId, report)
        return { orderId: 'order' }
      }
      case 'recordExitTrouble':
        return this.#trouble(input as Input<'recordExitTrouble'>)
      case 'recordExitCancelled': {
        const { generation, by } = input as Input<'recordExitCancelled'>
        if ('quantity' in (this.#decisions[`exit-${generation}`] ?? {})) return 'too_late'
        this.#decisions[`exit-${generation}`] = { stopped: true }
        this.#cancelledBy = by
        this.#moves({ generation, status: 'cancelled' })
        return 'stopped'
      }
      case 'recordCancelRequested': {
        const { clientOrderId, by } = input as Input<'recordCancelRequested'>
        this.#mark(clientOrderId, { askedBy: this.marksOf(clientOrderId).askedBy ?? by })
        return undefined
      }
      case 'cancelOrder': {
        const { brokerOrderId, givesWay } = input as Input<'cancelOrder'>
        const order = [...this.broker.values()].find((one) => one.brokerOrderId === brokerOrderId)!
        if (givesWay && isWorking(this.#recorded.get(order.clientOrderId)!.status))
          this.#mark(order.clientOrderId, { gaveWayTo: givesWay.to })
        this.end(order, 'CANCELLED')
        return { report: this.broker.get(order.clientOrderId) }
      }
      case 'readCancelMarks':
        return this.marksOf((input as Input<'readCancelMarks'>).clientOrderId)
      case 'reopenSignal':
        if (!this.wantsReopening) return null
        this.#isReopened = true
        return this.#reopenState!.resumeState
      case 'recordClosed': {
        const end = input as Extract<Input<'recordClosed'>, { signalId: string }>
        if (end.exit) this.#moves(end.exit)
        if (this.#closings >= end.closing) return undefined
        const { message, unprotected, exit, closing, reopenState } = end
        this.effects.push(
          `closes ${closing}: ${message}, ${exit?.status} ${exit?.reason}, ${unprotected} left`,
        )
        this.#closings = closing
        this.#reopenState = reopenState
        this.#progress = reopenState.resumeState.exit
        this.#isReopened = false
        return undefined
      }
      case 'acknowledgeEnds':
        return undefined
      default:
        throw new TypeError(`${name} is no part of this story`)
    }
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

  /** As `db/signals/exit-move.ts`. */
  #moves({ generation, status }: ExitState): boolean {
    const { generation: known, status: from } = this.#exit
    const isForward =
      known < generation ||
      (known === generation && (from === status || exitStatusesBefore(status).includes(from!)))
    if (isForward) this.#exit = { generation, status }
    return isForward
  }

  #trouble(input: Input<'recordExitTrouble'>): { acknowledged: boolean } {
    const { generation, kind, detail, nextTry, progress } = input
    // Whether a send is in doubt depends on the moment of the loss.
    if (kind !== 'unknown') this.effects.push(`${kind} ${generation}: ${detail}`)
    const concerned = kind === 'ended' ? generation + 1 : generation
    if (this.#moves({ generation: concerned, status: 'scheduled' })) {
      this.#progress = progress
      if (nextTry) this.#dueAt = nextTry.usual
    }
    const size = this.#decisions[`exit-${generation}`]
    if (size && (kind === 'rejected' || kind === 'taken_back')) size.stopped = true
    return { acknowledged: false }
  }

  #orderOf(isFor: Input<'planProtection'>['isFor']): ExitTerms | null {
    const { protection } = this.terms
    if (!protection || isFor === 'stop' || isFor === 'timed') return null
    const none = { limitPrice: null, stopPrice: null }
    if (isFor === 'target') return { ...none, orderType: 'limit', limitPrice: '110', timeInForce: 'day' }
    return { ...none, orderType: 'stop', stopPrice: '95', timeInForce: this.kind }
  }

  #size({ generation, filledQuantity, coveredQuantity, isFor, rule }: Input<'sizeExit'>): SizedExit {
    const none = { quantity: null, coversQuantity: null, notBefore: null } as const
    const kept = this.#decisions[`exit-${generation}`]
    if (kept && !('quantity' in kept)) throw failure('SignalAlreadyStopped')
    if (kept?.stopped) return { ...none, givenUp: true }
    if (kept) return compare(kept.coveredBefore, coveredQuantity) === 0 ? withoutBasis(kept) : kept
    if (isFor === 'plan' && rule.timeInForce === 'day' && this.isClosed)
      return { ...none, notBefore: addMinutes(now(), 60) }
    if (this.isHeldUp) return { ...none, obstacle: 'another order holds the shares' }
    const own = smaller(this.held, filledQuantity)
    const quantity = this.free === null ? own : smaller(own, this.free)
    const coversQuantity = subtract(filledQuantity, subtract(own, quantity))
    const order = isFor && { order: { isFor, terms: rule } }
    const size: Size = { quantity, coversQuantity, notBefore: null, coveredBefore: coveredQuantity, ...order }
    this.#decisions[`exit-${generation}`] = size
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
    assert.equal(this.#cancelledBy, null, 'an exit that was cancelled')
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
      this.#decisions[`exit-${generation}`]!.stopped = true
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
