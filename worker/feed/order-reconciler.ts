import { createSemaphore, type Semaphore } from '#domain/async/semaphore.ts'
import type { Logger } from 'pino'
import {
  compareAccount,
  differs,
  lookUp,
  type ComparedAccount,
  type ComparedOrder,
} from '#activities/account/compare.ts'
import { BrokerBusy, BrokerCredentialsError, BrokerOutcomeUnknown, type Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { ordersToCompare, type LedgerOrder } from '#db/order/compared-orders.ts'
import { raiseAlert, type AlertSubject } from '#db/alert/alerts.ts'
import { applyOrderReport, recordedOrder, type AppliedReport, type FollowedOrder } from '#db/order/reports.ts'
import { noteUnconfirmed } from '#db/order/throttle.ts'
import { findOpenSignal, type OpenSignal } from '#db/signal/record.ts'
import { acknowledgeUnfollowed, countedShares } from '#db/signal/reopening.ts'
import { isLedgerBehind } from '#db/watch/ledger-mark.ts'
import { isPositive } from '#domain/money/decimal.ts'
import { isOurs, isTerminal, isWorking, type OrderReport } from '#domain/order/order.ts'
import { unknownAtBroker } from '#domain/order/changes.ts'
import { ExitRetrigger, type ExitAnnouncer, noticeOfLateFill } from './exit-retrigger.ts'
import type { FillImporter } from './fill-importer.ts'
import { endUnconfirmed, UnknownOrders } from './unconfirmed-order.ts'

const ORDERS_AT_ONCE = 4
/** Milliseconds that a report without fill or end waits. */
const PASSING_FOR = 25

/** Queues reports by order: the fill of an exit must not wait for reports of other orders. */
export class KeyedQueue {
  readonly #ofAccount = createSemaphore(ORDERS_AT_ONCE, Number.POSITIVE_INFINITY)
  readonly #ofProcess: Semaphore
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #passing = new Map<string, { timer: NodeJS.Timeout; work: () => Promise<void> }>()

  /** `ofProcess` is shared; an account has few places, so that a burst delays no other. */
  constructor(ofProcess: Semaphore) {
    this.#ofProcess = ofProcess
  }

  /** `isPassing`: a report without a fill, dropped if a fill or an end follows at once. */
  add(clientOrderId: string, work: () => Promise<void>, isPassing = false): void {
    const before = this.#takePassing(clientOrderId)
    if (!isPassing) return this.#enter(clientOrderId, work)
    if (before) this.#enter(clientOrderId, before)
    const timer = setTimeout(() => this.#enter(clientOrderId, this.#takePassing(clientOrderId)!), PASSING_FOR)
    this.#passing.set(clientOrderId, { work, timer })
  }

  #takePassing(clientOrderId: string): (() => Promise<void>) | undefined {
    const passing = this.#passing.get(clientOrderId)
    clearTimeout(passing?.timer)
    this.#passing.delete(clientOrderId)
    return passing?.work
  }

  #enter(clientOrderId: string, work: () => Promise<void>): void {
    const before = this.#lanes.get(clientOrderId) ?? Promise.resolve()
    const done = before.then(() => this.#ofAccount.run(() => this.#ofProcess.run(work)))
    this.#lanes.set(clientOrderId, done)
    void done.finally(() => {
      if (this.#lanes.get(clientOrderId) === done) this.#lanes.delete(clientOrderId)
    })
  }

  async idle(): Promise<void> {
    for (const id of this.#passing.keys()) this.#enter(id, this.#takePassing(id)!)
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values())
  }
}

/** Each report takes a database connection, and orders that are being sent need theirs. */
export const reportSlots = (connections: number): Semaphore =>
  createSemaphore(Math.max(1, Math.floor(connections / 2)), Number.POSITIVE_INFINITY)

export interface Announcer extends Pick<ExitAnnouncer, 'retryExit'> {
  announce(order: FollowedOrder, report: OrderReport): Promise<boolean>
  /** Starts the workflow where none runs; it continues from the ledger. */
  ensureRunning(signal: OpenSignal): Promise<void>
}

export type ExecutionDesk = Pick<FillImporter, 'read' | 'amend'>

/** Milliseconds until an unacknowledged end is announced again. */
const REMIND_AFTER = 3_000
/** Milliseconds, even when no order works by the ledger. */
const MAX_LIST_INTERVAL = 60_000

/** Applies order reports: the stream brings most, a comparison with the broker's list the rest. */
export class OrderReconciler {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #announcer: Announcer
  readonly #accountId: string
  readonly #log: Logger
  #executions: ExecutionDesk = { read: async () => {}, amend: async () => new Set() }
  readonly #exits: ExitRetrigger
  readonly #unknown = new UnknownOrders()
  #listedAt = Number.NEGATIVE_INFINITY
  readonly #unreadable = new Map<string, string>()

  constructor(em: EntityManager, broker: Broker, announcer: Announcer, accountId: string, log: Logger) {
    this.#em = em
    this.#broker = broker
    this.#announcer = announcer
    this.#exits = new ExitRetrigger(em, announcer, accountId)
    this.#accountId = accountId
    this.#log = log
  }

  /** Listed executions decide the filled quantity of a replaced order. */
  executionsBy(desk: ExecutionDesk): void {
    this.#executions = desk
  }

  /** True for news. */
  async apply(report: OrderReport): Promise<boolean> {
    const applied = await this.#merge(report)
    if (isTerminal(report.status)) await this.#exits.orderEnded(report)
    // An order cancelled for another is CANCELLED in the ledger before its workflow knows.
    if (applied?.changed || applied?.report.status === 'CANCELLED') await this.#announceEnd(applied)
    return applied?.changed ?? false
  }

  async #merge(report: OrderReport): Promise<AppliedReport | null> {
    const hasFilled = isPositive(report.filledQuantity) || isTerminal(report.status)
    if (report.links && hasFilled && isOurs(report.clientOrderId)) {
      try {
        await this.#executions.read()
      } catch (error) {
        // The report then counts by its own figure, and is compared with the executions later.
        this.#log.warn(
          { err: error, clientOrderId: report.clientOrderId },
          'the executions of a replaced order could not be read',
        )
      }
    }
    this.#unknown.find(report.clientOrderId)
    const applied = await applyOrderReport(this.#em, this.#accountId, report)
    // Until its workflow continues, the order may be the only protection.
    if (applied?.isGivenUp && applied.acknowledged && isWorking(report.status)) {
      const { brokerOrderId, clientOrderId } = report
      const answer = await this.#broker.cancelOrder(brokerOrderId)
      this.#log.warn(
        { brokerOrderId, clientOrderId, answer },
        'an order shows that was given up; it is cancelled',
      )
    }
    return applied
  }

  get listedAt(): number {
    return this.#listedAt
  }

  get trouble(): string | null {
    const [first] = this.#unreadable
    return first ? `order ${first[0]}: ${first[1]}` : null
  }

  get #place(): ComparedAccount {
    return { em: this.#em, broker: this.#broker, accountId: this.#accountId }
  }

  async ask(brokerOrderId: string): Promise<'news' | 'no_news' | 'not_ours'> {
    const report = await this.#broker.getOrder(brokerOrderId)
    if (report !== null && !isOurs(report.clientOrderId)) return 'not_ours'
    return report !== null && (await this.apply(report)) ? 'news' : 'no_news'
  }

  /**
   * Applies differences between broker and ledger; returns the number of news. From `since` on it includes ended
   * orders, executions and positions; at null only working orders. An order with an error waits for the next
   * comparison.
   */
  async reconcile(now: number, since: string | null = null): Promise<number> {
    const isRecent = now - this.#listedAt < MAX_LIST_INTERVAL
    if (since === null && isRecent && !(await this.#isAnyDue(now))) return 0
    // Working orders are compared even without the other lists.
    const before = since === null ? 0 : await this.reconcile(now)
    const compared = await compareAccount(this.#place, since)
    this.#listedAt = now
    this.#unreadable.clear()
    let news = 0
    for (const order of compared.orders) {
      try {
        if (await this.#take(order, compared.open, now)) news += 1
      } catch (error) {
        // These errors would stop the other orders too.
        if (error instanceof BrokerBusy || error instanceof BrokerCredentialsError) throw error
        const { clientOrderId } = order.known ?? order.listed!
        const names = order.known ? namesOf(order.known) : { clientOrderId }
        this.#log.error({ err: error, ...names }, 'an order could not be compared; trying again')
        this.#unreadable.set(clientOrderId, error instanceof Error ? error.message : String(error))
        if (error instanceof BrokerOutcomeUnknown && order.known)
          await noteUnconfirmed(this.#em, order.known.orderId)
      }
    }
    if (since === null) return news
    const executions = compared.unknownExecutions
    // The ledger has earlier shares as they were held when the account was first followed.
    if (executions?.found.length) await this.#executions.read(executions.since)
    const amended = await this.#executions.amend(compared, since, now)
    if (amended.size > 0) await this.#exits.fillsRead(amended)
    return before + news + (executions?.found.length ?? 0) + amended.size + compared.positions.length
  }

  async #isAnyDue(now: number): Promise<boolean> {
    return (await ordersToCompare(this.#em, this.#accountId)).some((order) => this.#isDue(order, now))
  }

  #isDue({ ended, acknowledged, updatedAt, clientOrderId }: LedgerOrder, now: number): boolean {
    if (acknowledged) return false
    return ended ? now - Date.parse(updatedAt) > REMIND_AFTER : this.#unknown.mustBeAsked(clientOrderId, now)
  }

  /** True for news. */
  async #take({ known, listed }: ComparedOrder, open: readonly OrderReport[], now: number): Promise<boolean> {
    if (known === null) return listed !== null && this.apply(listed)
    if (!this.#isDue(known, now)) {
      if (listed === null) return known.acknowledged && (await this.ask(known.brokerOrderId)) === 'news'
      return (isWorking(listed.status) || differs(known, listed)) && this.apply(listed)
    }
    if (known.ended && !this.#unknown.mustBeAsked(known.clientOrderId, now)) {
      await this.#remind(known)
      return false
    }
    const report = listed ?? (await lookUp(this.#broker, known))
    const applied = report ? await this.#merge(report) : await this.#miss(known, open, now)
    return applied !== null && this.#follow(known, applied)
  }

  async #follow(order: LedgerOrder, applied: AppliedReport): Promise<boolean> {
    const { changed, report } = applied
    if (changed && isTerminal(report.status)) await this.#exits.orderEnded(report)
    // The record of an acceptance may be lost: a comparison announces every end.
    if (changed || order.ended) await this.#announceEnd({ ...applied, isReportedByAcceptance: false })
    return changed
  }

  async #miss(
    order: LedgerOrder,
    listed: readonly OrderReport[],
    now: number,
  ): Promise<AppliedReport | null> {
    this.#log.error(namesOf(order), 'the broker does not know an order that it once accepted')
    const missed = this.#unknown.miss(order.clientOrderId, now)
    if (order.ended) return recordedOrder(this.#em, this.#accountId, order.clientOrderId)
    await noteUnconfirmed(this.#em, order.orderId)
    if (missed.mustNotify) await raiseAlert(this.#em, this.#subject(order), unknownAtBroker(order))
    if (!missed.hasEnded) return null
    // Its executions may be older than the last reading.
    await this.#executions.read(order.submittedAt)
    return endUnconfirmed(this.#place, this.#subject(order), order, { ...missed, listed })
  }

  async #remind({ clientOrderId }: LedgerOrder): Promise<void> {
    const known = await recordedOrder(this.#em, this.#accountId, clientOrderId)
    if (known) await this.#announceEnd(known)
  }

  async #announceEnd({
    report,
    acknowledged,
    isReportedByAcceptance,
    ...order
  }: AppliedReport): Promise<void> {
    if (acknowledged || isReportedByAcceptance || !isTerminal(report.status)) return
    if (await this.#announcer.announce(order, report)) return
    const { orderId, signalId } = order
    const { clientOrderId, status } = report
    const open = await findOpenSignal(this.#em, signalId)
    const names = { orderId, signalId, clientOrderId, status }
    this.#log.warn({ ...names, goesOn: open !== null }, 'an order has ended, and no workflow follows it')
    if (open !== null) {
      if (!(await isLedgerBehind(this.#em))) await this.#announcer.ensureRunning(open)
      return
    }
    const counted = await countedShares(this.#em, report)
    await acknowledgeUnfollowed(this.#em, report, noticeOfLateFill(report, counted))
  }

  #subject({ signalId }: FollowedOrder): AlertSubject {
    return { accountId: this.#accountId, signalId }
  }
}

const namesOf = ({ orderId, signalId, clientOrderId }: LedgerOrder) => ({
  orderId,
  signalId,
  clientOrderId,
})
