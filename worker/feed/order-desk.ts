import type { Logger } from 'pino'
import { BrokerBusy, BrokerCredentialsError, type Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/database.ts'
import {
  applyOrderReport,
  settleOrder,
  unsettledOrders,
  type AppliedReport,
  type UnsettledOrder,
} from '#db/order-reports.ts'
import { isTerminal, type OrderReport } from '#domain/order.ts'

/** How the end of an order reaches the workflow of its signal. */
export interface Announcer {
  /** Returns false when there is no such workflow running any more. */
  announce(signalId: string, report: OrderReport): Promise<boolean>
}

/** Ended orders whose workflow has not reacted are announced again after this many milliseconds. */
const REMIND_AFTER = 3_000
/** Orders compared with the broker in one round; the oldest come first, the others in the next round. */
const ROUND = 500

/**
 * Keeps one account's orders true: applies what the broker reports, and tells the workflow of a signal when
 * its order has ended. The stream brings most of it; a comparison with the broker's own list finds the rest.
 */
export class OrderDesk {
  readonly #em: EntityManager
  readonly #broker: Broker
  readonly #announcer: Announcer
  readonly #accountId: string
  readonly #log: Logger

  constructor(em: EntityManager, broker: Broker, announcer: Announcer, accountId: string, log: Logger) {
    this.#em = em
    this.#broker = broker
    this.#announcer = announcer
    this.#accountId = accountId
    this.#log = log
  }

  /** Applies one report. Returns whether it told something new. */
  async take(report: OrderReport): Promise<boolean> {
    const applied = await applyOrderReport(this.#em, this.#accountId, report)
    if (!applied?.changed) return false
    await this.#announceEnd(applied)
    return true
  }

  /**
   * Compares every order that is not settled with the broker's list of open ones, asks after those that are not
   * on it, and reminds the workflows of ended orders that have not reacted. Returns how many orders had news.
   * An order that makes trouble is logged and left for the next round, and keeps none of the others waiting.
   */
  async compare(now: number): Promise<number> {
    const unsettled = await unsettledOrders(this.#em, this.#accountId, ROUND)
    const due = unsettled.filter(
      ({ ended, updatedAt }) => !ended || now - Date.parse(updatedAt) > REMIND_AFTER,
    )
    if (due.length === 0) return 0
    const open = new Map(
      (await this.#broker.listOrders({ status: 'open', limit: ROUND })).map((report) => [
        report.clientOrderId,
        report,
      ]),
    )
    let news = 0
    for (const order of due) {
      try {
        const report = open.get(order.clientOrderId) ?? (await this.#broker.getOrder(order.brokerOrderId))
        if (await this.#takeCompared(order, report)) news += 1
      } catch (error) {
        // These will not let the others through either.
        if (error instanceof BrokerBusy || error instanceof BrokerCredentialsError) throw error
        this.#log.error({ err: error, ...namesOf(order) }, 'an order could not be compared; trying again')
      }
    }
    return news
  }

  async #takeCompared(order: UnsettledOrder, report: OrderReport | null): Promise<boolean> {
    if (!report) {
      this.#log.error(namesOf(order), 'the broker does not know an order that it once accepted')
      return false
    }
    const applied = await applyOrderReport(this.#em, this.#accountId, report)
    if (applied && (applied.changed || order.ended)) await this.#announceEnd(applied)
    return applied?.changed ?? false
  }

  async #announceEnd({ signalId, report, settled }: AppliedReport): Promise<void> {
    if (settled || !isTerminal(report.status)) return
    if (await this.#announcer.announce(signalId, report)) return
    this.#log.warn(
      { signalId, clientOrderId: report.clientOrderId, status: report.status },
      'an order has ended whose signal is no longer followed',
    )
    await settleOrder(this.#em, report.clientOrderId)
  }
}

const namesOf = ({ signalId, clientOrderId }: UnsettledOrder) => ({ signalId, clientOrderId })
