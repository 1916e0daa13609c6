import type { Logger } from 'pino'
import { BrokerBusy, BrokerCredentialsError, BrokerOutcomeUnknown, type Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { raiseAlert, type AlertSubject } from '#db/risk/alerts.ts'
import {
  applyOrderReport,
  recordedOrder,
  type AppliedReport,
  type FollowedOrder,
} from '#db/orders/reports.ts'
import { noteUnconfirmed } from '#db/orders/unconfirmed.ts'
import { endedOrders, unacknowledgedOrders, type UnacknowledgedOrder } from '#db/orders/unacknowledged.ts'
import { findOpenSignal, type OpenSignal } from '#db/signals/record.ts'
import { acknowledgeUnfollowed, countedQuantity } from '#db/signals/reopening.ts'
import { knownOrders } from '#db/watch/comparison.ts'
import { isUnfinishedOrder } from '#db/watch/open-work.ts'
import { isPositive } from '#domain/decimal.ts'
import { isOurs } from '#domain/manual-order.ts'
import { isTerminal, isWorking, type OrderReport } from '#domain/order.ts'
import { unknownAtBroker } from '#domain/unconfirmed-order.ts'
import { ExitWaker, type ExitAnnouncer } from './exit-waker.ts'
import { noticeOfLateFill } from './late-fill.ts'
import { endUnconfirmed, UnknownOrders } from './unconfirmed-order.ts'

export interface Announcer extends Pick<ExitAnnouncer, 'retryExit'> {
  announce(order: FollowedOrder, report: OrderReport): Promise<boolean>
  /** Starts the workflow where none runs; it goes on from the ledger. */
  ensureRunning(signal: OpenSignal): Promise<void>
}

/** Milliseconds until an unacknowledged end is announced again. */
const REMIND_AFTER = 3_000
const ROUND = 500
const LOOK_BACK_MS = 86_400_000
const LOOK_BACK_EVERY_MS = 600_000
const LOOK_UPS_A_COMPARISON = 50
/** Milliseconds, even when no order works by the ledger. */
const MAX_LIST_INTERVAL = 60_000

/** The stream brings most reports, a comparison with the broker's list the rest. */
export class OrderReconciler {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #announcer: Announcer
  readonly #accountId: string
  readonly #log: Logger
  #readExecutions: () => Promise<void> = async () => {}
  readonly #exits: ExitWaker
  readonly #unknown = new UnknownOrders()
  #roundsFrom: UnacknowledgedOrder['place'] | null = null
  #listedAt = Number.NEGATIVE_INFINITY
  #lookedBackAt = Number.NEGATIVE_INFINITY
  readonly #unreadable = new Map<string, string>()

  constructor(em: EntityManager, broker: Broker, announcer: Announcer, accountId: string, log: Logger) {
    this.#em = em
    this.#broker = broker
    this.#announcer = announcer
    this.#exits = new ExitWaker(em, announcer, accountId)
    this.#accountId = accountId
    this.#log = log
  }

  /** @param read stores listed executions, which decide how much of a replaced order has filled */
  readExecutionsBy(read: () => Promise<void>): void {
    this.#readExecutions = read
  }

  /** True for news. */
  async apply(report: OrderReport): Promise<boolean> {
    const applied = await this.#merge(report)
    if (isTerminal(report.status)) await this.#exits.orderEnded(report)
    // An order that was cancelled for another one is CANCELLED in the ledger before its workflow knows.
    if (applied?.changed || applied?.report.status === 'CANCELLED') await this.#announceEnd(applied)
    return applied?.changed ?? false
  }

  async #merge(report: OrderReport): Promise<AppliedReport | null> {
    // Without fills, the executions of its earlier links need no reading here.
    const hasFilled = isPositive(report.filledQuantity) || isTerminal(report.status)
    if (report.links && hasFilled && isOurs(report.clientOrderId)) {
      try {
        await this.#readExecutions()
      } catch (error) {
        // The report then counts by its own figure, and the executions are compared with that later.
        this.#log.warn(
          { err: error, clientOrderId: report.clientOrderId },
          'the executions of a replaced order could not be read',
        )
      }
    }
    this.#unknown.find(report.clientOrderId)
    const applied = await applyOrderReport(this.#em, this.#accountId, report)
    // Its workflow has gone on without it. Until that is so, it may be all that protects the position.
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

  async ask(brokerOrderId: string): Promise<'news' | 'no_news' | 'not_ours'> {
    const report = await this.#broker.getOrder(brokerOrderId)
    if (report !== null && !isOurs(report.clientOrderId)) return 'not_ours'
    return report !== null && (await this.apply(report)) ? 'news' : 'no_news'
  }

  /** Finds late fills, and orders that a rolled back ledger lacks. Returns the number of orders with news. */
  async reconcileEnded(now: number): Promise<number> {
    if (now - this.#lookedBackAt < LOOK_BACK_EVERY_MS) return 0
    const since = new Date(now - LOOK_BACK_MS).toISOString()
    const listed = await this.#broker.listOrders({ status: 'closed', after: since, limit: ROUND })
    const filled = listed.filter(({ filledQuantity }) => isPositive(filledQuantity))
    let news = await this.#adopt([...filled, ...(await this.#endedOtherwise(listed))])
    const seen = new Set(listed.map(({ brokerOrderId }) => brokerOrderId))
    const ended = await endedOrders(this.#em, this.#accountId, since, ROUND)
    for (const id of ended.filter((each) => !seen.has(each)).slice(0, LOOK_UPS_A_COMPARISON))
      if ((await this.ask(id)) === 'news') news += 1
    this.#lookedBackAt = now
    return news
  }

  /** Ours, unfilled, and otherwise or not at all in the ledger, in which a rejected order is none. */
  async #endedOtherwise(listed: readonly OrderReport[]): Promise<OrderReport[]> {
    const unfilled = listed.filter(
      ({ clientOrderId, status, filledQuantity }) =>
        isOurs(clientOrderId) && status !== 'REJECTED' && !isPositive(filledQuantity),
    )
    const ids = unfilled.map(({ clientOrderId }) => clientOrderId)
    const known = await knownOrders(this.#em, this.#accountId, ids)
    const statuses = new Map(known.map(({ clientOrderId, status }) => [clientOrderId, status]))
    return unfilled.filter(({ clientOrderId, status }) => statuses.get(clientOrderId) !== status)
  }

  /** Returns the number of orders with news. An order with an error waits for the next round. */
  async reconcile(now: number): Promise<number> {
    // Trouble of an earlier round counts until its part is compared again.
    if (this.#roundsFrom === null) this.#unreadable.clear()
    const due = (await this.#nextRound()).filter(({ clientOrderId, ended, updatedAt }) =>
      ended ? now - Date.parse(updatedAt) > REMIND_AFTER : this.#unknown.isToBeAsked(clientOrderId, now),
    )
    if (due.length === 0 && now - this.#listedAt < MAX_LIST_INTERVAL) return 0
    const listed = await this.#broker.listOrders({ status: 'open', limit: ROUND })
    this.#listedAt = now
    const open = new Map(listed.map((report) => [report.clientOrderId, report]))
    let news = 0
    for (const order of due) {
      try {
        if (order.ended && !this.#unknown.isToBeAsked(order.clientOrderId, now)) {
          await this.#remind(order)
          continue
        }
        const report = open.get(order.clientOrderId) ?? (await this.#lookUp(order))
        const applied = report ? await this.#merge(report) : await this.#miss(order, listed, now)
        if (applied && (await this.#follow(order, applied))) news += 1
      } catch (error) {
        // These would stop the other orders too.
        if (error instanceof BrokerBusy || error instanceof BrokerCredentialsError) throw error
        if (error instanceof BrokerOutcomeUnknown) await noteUnconfirmed(this.#em, order.orderId)
        this.#log.error({ err: error, ...namesOf(order) }, 'an order could not be compared; trying again')
        this.#unreadable.set(order.clientOrderId, error instanceof Error ? error.message : String(error))
      }
      open.delete(order.clientOrderId)
    }
    return news + (await this.#adopt([...open.values()]))
  }

  async #lookUp({ brokerOrderId, clientOrderId }: UnacknowledgedOrder): Promise<OrderReport | null> {
    return (await this.#broker.getOrder(brokerOrderId)) ?? (await this.#broker.findOrder(clientOrderId))
  }

  async #nextRound(): Promise<UnacknowledgedOrder[]> {
    const orders = await unacknowledgedOrders(this.#em, this.#accountId, ROUND, this.#roundsFrom)
    this.#roundsFrom = orders.length < ROUND ? null : orders.at(-1)!.place
    return orders
  }

  async #follow(order: UnacknowledgedOrder, applied: AppliedReport): Promise<boolean> {
    const { changed, report } = applied
    if (changed && isTerminal(report.status)) await this.#exits.orderEnded(report)
    if (changed || order.ended) await this.#announceEnd(applied)
    return changed
  }

  /** Neither the list nor look-ups show it. */
  async #miss(
    order: UnacknowledgedOrder,
    listed: readonly OrderReport[],
    now: number,
  ): Promise<AppliedReport | null> {
    this.#log.error(namesOf(order), 'the broker does not know an order that it once accepted')
    const missed = this.#unknown.miss(order.clientOrderId, now)
    if (order.ended) return recordedOrder(this.#em, this.#accountId, order.clientOrderId)
    await noteUnconfirmed(this.#em, order.orderId)
    if (missed.isToTell) await raiseAlert(this.#em, this.#subject(order), unknownAtBroker(order))
    if (!missed.isOver) return null
    await this.#readExecutions()
    const place = { em: this.#em, broker: this.#broker, accountId: this.#accountId }
    return endUnconfirmed(place, this.#subject(order), order, { ...missed, listed })
  }

  async #remind({ clientOrderId }: UnacknowledgedOrder): Promise<void> {
    const known = await recordedOrder(this.#em, this.#accountId, clientOrderId)
    if (known) await this.#announceEnd(known)
  }

  async #adopt(reports: OrderReport[]): Promise<number> {
    let news = 0
    for (const report of reports) {
      if (!isOurs(report.clientOrderId)) continue
      try {
        if (await this.apply(report)) news += 1
      } catch (error) {
        this.#log.error({ err: error, clientOrderId: report.clientOrderId }, 'an order could not be taken up')
      }
    }
    return news
  }

  async #announceEnd({ report, acknowledged, ...order }: AppliedReport): Promise<void> {
    if (acknowledged || !isTerminal(report.status)) return
    if (await this.#announcer.announce(order, report)) return
    const { orderId, signalId } = order
    const { clientOrderId, status } = report
    const open = signalId === null ? null : await findOpenSignal(this.#em, signalId)
    const names = { orderId, signalId, clientOrderId, status }
    this.#log.warn({ ...names, goesOn: open !== null }, 'an order has ended, and no workflow follows it')
    if (open !== null) return this.#announcer.ensureRunning(open)
    // The watch starts it again, and the report follows then.
    if (signalId === null && (await isUnfinishedOrder(this.#em, orderId))) return
    const counted = await countedQuantity(this.#em, report)
    await acknowledgeUnfollowed(this.#em, report, noticeOfLateFill(report, counted))
  }

  #subject({ orderId, signalId }: FollowedOrder): AlertSubject {
    return { accountId: this.#accountId, signalId, ...(signalId === null && { orderId }) }
  }
}

const namesOf = ({ orderId, signalId, clientOrderId }: UnacknowledgedOrder) => ({
  orderId,
  signalId,
  clientOrderId,
})
