import type { Logger } from 'pino'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/database.ts'
import { applyOrderReport, settleOrder, unsettledOrders, type AppliedReport } from '#db/order-reports.ts'
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
    const applied = await applyOrderReport(this.#em, report)
    if (!applied) return false
    if (applied.changed) await this.#announceEnd(applied)
    return applied.changed
  }

  /**
   * Compares every order that is not settled with the broker's list of open ones, asks after those that are not
   * on it, and reminds the workflows of ended orders that have not reacted. Returns how many orders had news.
   */
  async compare(now: number): Promise<number> {
    const unsettled = await unsettledOrders(this.#em, this.#accountId, ROUND)
    if (unsettled.length === 0) return 0
    const open = new Map(
      (await this.#broker.listOrders({ status: 'open', limit: ROUND })).map((report) => [
        report.clientOrderId,
        report,
      ]),
    )
    let news = 0
    for (const order of unsettled) {
      const overdue = order.ended && now - Date.parse(order.updatedAt) > REMIND_AFTER
      if (order.ended && !overdue) continue
      const report = open.get(order.clientOrderId) ?? (await this.#broker.getOrder(order.brokerOrderId))
      if (!report) {
        this.#log.error(
          { signalId: order.signalId, clientOrderId: order.clientOrderId },
          'the broker does not know an order that it once accepted',
        )
        continue
      }
      if (await this.take(report)) news += 1
      else if (overdue)
        await this.#announceEnd({ changed: false, settled: false, signalId: order.signalId, report })
    }
    return news
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
