import type { Logger } from 'pino'
import { BrokerBusy, BrokerCredentialsError, type Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { raiseAlert, resolveAlert, subjectsWithAlert, type AlertSubject } from '#db/risk/alerts.ts'
import {
  applyOrderReport,
  recordedOrder,
  type AppliedReport,
  type FollowedOrder,
} from '#db/orders/reports.ts'
import { endedOrders, unacknowledgedOrders, type UnacknowledgedOrder } from '#db/orders/unacknowledged.ts'
import { acknowledgeUnfollowed } from '#db/signals/reopening.ts'
import { knownOrders } from '#db/watch/comparison.ts'
import { isUnfinished } from '#db/watch/unfinished-work.ts'
import { unknownAtBroker } from '#domain/alert.ts'
import { isPositive } from '#domain/decimal.ts'
import { isOurs } from '#domain/manual-order.ts'
import { isTerminal, mergeReport, type OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { ExitWaker } from './exit-waker.ts'
import { judgeLateReport, judgeLateManualReport } from './late-fill.ts'
import { UnknownOrders } from './unknown-orders.ts'
import { reopenStateOf } from './unplaced-fill.ts'

/** How the feed reaches the workflows of signals, and of manual orders. */
export interface Announcer {
  /** Reports the end of an order to its workflow. False when the workflow does not run any more. */
  announce(order: FollowedOrder, report: OrderReport): Promise<boolean>
  /** Reopens an ended signal, or sends the report to the run that another process has started already. */
  reopen(terms: SignalTerms, report: OrderReport): Promise<void>
  /** Makes the signal try a blocked exit at once. Does nothing when no exit waits for its next attempt. */
  retryExit(signalId: string): Promise<void>
}

/** A report that was held for the attempt that sent the order. */
export interface HeldReport {
  /** The order as the attempt has recorded it; null when it has not. */
  recorded: OrderReport | null
}

/** The attempt has recorded all that the report tells. An order that was cancelled may have been so for another one. */
const tellsNoNews = (report: OrderReport, { recorded }: HeldReport): boolean =>
  recorded !== null &&
  recorded.status !== 'CANCELLED' &&
  mergeReport(recorded, report, recorded.quantity) === null

/** Ended orders whose workflow has not reacted are announced again after this many milliseconds. */
const REMIND_AFTER = 3_000
/** Orders compared with the broker in one round; the next round goes on where it left off. */
const ROUND = 500
/** Orders that ended within LOOK_BACK are compared with the broker again every LOOK_BACK_EVERY; milliseconds. */
const LOOK_BACK = 86_400_000
const LOOK_BACK_EVERY = 600_000
/** Ended orders that are looked up by id in one such comparison, because the broker's list does not reach back to them. */
const LOOK_UPS_A_COMPARISON = 50
/** The broker's list of open orders is read this often, in milliseconds, even when no order works by the ledger. */
const MAX_LIST_INTERVAL = 60_000

/**
 * Keeps one account's orders equal to the broker's: applies its reports, and reports the end of an order to its workflow.
 * The stream brings most reports; a comparison with the broker's own list finds the rest.
 */
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
  /** Why orders could not be compared in the last pass through all of them, by their client order ids. */
  readonly #unreadable = new Map<string, string>()

  constructor(em: EntityManager, broker: Broker, announcer: Announcer, accountId: string, log: Logger) {
    this.#em = em
    this.#broker = broker
    this.#announcer = announcer
    this.#exits = new ExitWaker(em, announcer, accountId)
    this.#accountId = accountId
    this.#log = log
  }

  /**
   * @param read stores what the broker lists as executed by now: the executions of an order that was replaced at the broker
   *   decide how much of it has filled, and its exit is sized by that
   */
  readExecutionsBy(read: () => Promise<void>): void {
    this.#readExecutions = read
  }

  /**
   * Applies one report. True when it contained news. That of an order's end, whoever placed it, wakes the exits that it may have
   * blocked, whoever has recorded it first.
   *
   * @param held given when it was held for the attempt that sent the order, which may have recorded it: then the order's
   *   own workflow knows of it, and those of other exits do not
   */
  async apply(report: OrderReport, held?: HeldReport): Promise<boolean> {
    const applied = held && tellsNoNews(report, held) ? null : await this.#merge(report)
    if (isTerminal(report.status)) await this.#exits.orderEnded(report)
    // An order that was cancelled for another one is CANCELLED in the ledger before its own workflow knows.
    if (applied?.changed || applied?.report.status === 'CANCELLED') await this.#announceEnd(applied)
    return applied?.changed ?? false
  }

  async #merge(report: OrderReport): Promise<AppliedReport | null> {
    // Of one that works and has not filled, those of the orders that it has been before are read as all others are.
    const hasFilled = isPositive(report.filledQuantity) || isTerminal(report.status)
    if (report.links && hasFilled && isOurs(report.clientOrderId)) {
      try {
        await this.#readExecutions()
      } catch (error) {
        // The report is taken at its own figure then, and the executions are compared with that when they are read.
        this.#log.warn(
          { err: error, clientOrderId: report.clientOrderId },
          'the executions of a replaced order could not be read',
        )
      }
    }
    return applyOrderReport(this.#em, this.#accountId, report)
  }

  /** When the broker has last listed open orders; milliseconds since the epoch. */
  get listedAt(): number {
    return this.#listedAt
  }

  /** Why an order could not be compared in the last pass, in words; null when all could. */
  get trouble(): string | null {
    const [first] = this.#unreadable
    return first ? `order ${first[0]}: ${first[1]}` : null
  }

  /** Looks an order up at the broker, and applies the report if it is one of ours. */
  async ask(brokerOrderId: string): Promise<'news' | 'no_news' | 'not_ours'> {
    const report = await this.#broker.getOrder(brokerOrderId)
    if (report !== null && !isOurs(report.clientOrderId)) return 'not_ours'
    return report !== null && (await this.apply(report)) ? 'news' : 'no_news'
  }

  /**
   * Compares recently ended orders with the broker, at the start and then at intervals. That finds a fill which came after
   * the end without a stream, a fill of an order that was recorded as rejected, and orders that a ledger which was set back lacks.
   * Returns how many orders had news.
   *
   * @param now milliseconds since the epoch
   */
  async reconcileEnded(now: number): Promise<number> {
    if (now - this.#lookedBackAt < LOOK_BACK_EVERY) return 0
    const since = new Date(now - LOOK_BACK).toISOString()
    const listed = await this.#broker.listOrders({ status: 'closed', after: since, limit: ROUND })
    const filled = listed.filter(({ filledQuantity }) => isPositive(filledQuantity))
    let news = await this.#adopt([...filled, ...(await this.#endedUnknown(listed))])
    const seen = new Set(listed.map(({ brokerOrderId }) => brokerOrderId))
    const ended = await endedOrders(this.#em, this.#accountId, since, ROUND)
    for (const id of ended.filter((each) => !seen.has(each)).slice(0, LOOK_UPS_A_COMPARISON))
      if ((await this.ask(id)) === 'news') news += 1
    this.#lookedBackAt = now
    return news
  }

  /** Orders of ours that have ended unfilled and that the ledger lacks. One that the broker has refused is no order by the ledger. */
  async #endedUnknown(listed: readonly OrderReport[]): Promise<OrderReport[]> {
    const unfilled = listed.filter(
      ({ clientOrderId, status, filledQuantity }) =>
        isOurs(clientOrderId) && status !== 'REJECTED' && !isPositive(filledQuantity),
    )
    const ids = unfilled.map(({ clientOrderId }) => clientOrderId)
    const known = await knownOrders(this.#em, this.#accountId, ids)
    const knownIds = new Set(known.map(({ clientOrderId }) => clientOrderId))
    return unfilled.filter(({ clientOrderId }) => !knownIds.has(clientOrderId))
  }

  /**
   * Compares every order whose end is not acknowledged with the broker's list of open orders, looks up those that are not
   * on the list, and reports ended orders again to workflows that have not reacted. Adds orders of ours on the list that
   * the ledger lacks. Returns how many orders had news. An order with an error is logged and left for the next round, and
   * does not delay the others.
   *
   * @param now milliseconds since the epoch
   */
  async reconcile(now: number): Promise<number> {
    // A part that an earlier round of the same pass could not read is trouble until it is compared again.
    if (this.#roundsFrom === null) this.#unreadable.clear()
    const due = (await this.#nextRound()).filter(({ clientOrderId, ended, updatedAt }) =>
      ended ? now - Date.parse(updatedAt) > REMIND_AFTER : this.#unknown.isToBeAsked(clientOrderId, now),
    )
    if (due.length === 0 && now - this.#listedAt < MAX_LIST_INTERVAL) return 0
    const listed = await this.#broker.listOrders({ status: 'open', limit: ROUND })
    this.#listedAt = now
    const open = new Map(listed.map((report) => [report.clientOrderId, report]))
    const lost = await subjectsWithAlert(this.#em, this.#accountId, 'order_unknown_at_broker')
    let news = 0
    for (const order of due) {
      try {
        if (order.ended && !this.#unknown.isToBeAsked(order.clientOrderId, now)) {
          await this.#remind(order)
          continue
        }
        const report = open.get(order.clientOrderId) ?? (await this.#lookUp(order))
        if (!report) await this.#markMissing(order, now)
        else if (await this.#applyCompared(order, report, lost)) news += 1
      } catch (error) {
        // These will not let the others through either.
        if (error instanceof BrokerBusy || error instanceof BrokerCredentialsError) throw error
        this.#log.error({ err: error, ...namesOf(order) }, 'an order could not be compared; trying again')
        this.#unreadable.set(order.clientOrderId, error instanceof Error ? error.message : String(error))
      }
      open.delete(order.clientOrderId)
    }
    return news + (await this.#adopt([...open.values()]))
  }

  /** By the broker's id, and by ours: a broker may have given the order another id. */
  async #lookUp({ brokerOrderId, clientOrderId }: UnacknowledgedOrder): Promise<OrderReport | null> {
    return (await this.#broker.getOrder(brokerOrderId)) ?? (await this.#broker.findOrder(clientOrderId))
  }

  /** The next orders to compare; rounds go through all of them in order. */
  async #nextRound(): Promise<UnacknowledgedOrder[]> {
    const orders = await unacknowledgedOrders(this.#em, this.#accountId, ROUND, this.#roundsFrom)
    this.#roundsFrom = orders.length < ROUND ? null : orders.at(-1)!.place
    return orders
  }

  async #applyCompared(order: UnacknowledgedOrder, report: OrderReport, lost: Set<string>): Promise<boolean> {
    this.#unknown.find(order.clientOrderId)
    const { clientOrderId } = order
    // Another order of the signal may be the unknown one.
    if (lost.has(order.signalId ?? order.orderId))
      await resolveAlert(this.#em, this.#subject(order), 'order_unknown_at_broker', { clientOrderId })
    const applied = await this.#merge(report)
    if (applied?.changed && isTerminal(applied.report.status)) await this.#exits.orderEnded(applied.report)
    if (applied && (applied.changed || order.ended)) await this.#announceEnd(applied)
    return applied?.changed ?? false
  }

  /** The broker does not know an order: alerts the owner after repeated misses. */
  async #markMissing(order: UnacknowledgedOrder, now: number): Promise<void> {
    this.#log.error(namesOf(order), 'the broker does not know an order that it once accepted')
    if (order.ended) await this.#remind(order)
    if (!this.#unknown.miss(order.clientOrderId, now)) return
    await raiseAlert(this.#em, this.#subject(order), unknownAtBroker(order))
  }

  /** Reports an ended order to its workflow again, with its state in the ledger. */
  async #remind({ clientOrderId }: UnacknowledgedOrder): Promise<void> {
    const known = await recordedOrder(this.#em, this.#accountId, clientOrderId)
    if (known) await this.#announceEnd(known)
  }

  /** Applies orders that the ledger may lack, after it was restored from a backup or a worker crashed. */
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
    if (await isUnfinished(this.#em, order)) {
      // Temporal has lost it: the watch starts it again from the ledger, and the report follows then.
      this.#log.error(
        { orderId, signalId, clientOrderId: report.clientOrderId },
        'the workflow of an order is missing',
      )
      return
    }
    const late =
      signalId === null
        ? judgeLateManualReport(report)
        : judgeLateReport(report, await reopenStateOf(this.#em, signalId, report))
    this.#log.warn(
      { orderId, signalId, clientOrderId: report.clientOrderId, status: report.status, follows: late.what },
      'an order has ended that is no longer followed',
    )
    if (late.what === 'reopen') await this.#announcer.reopen(late.reopenState.terms, report)
    else await acknowledgeUnfollowed(this.#em, report, late.what === 'alert' ? late.notice : null)
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
