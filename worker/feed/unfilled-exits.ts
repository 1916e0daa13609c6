import type { Logger } from 'pino'
import { SessionCalendar } from '#activities/session-calendar.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { endUnfilledExits, exitsAtMarket, stopsPassedOver } from '#db/orders/unfilled-exits.ts'
import { raiseAlert } from '#db/risk/alerts.ts'
import { exitUnfilled, openBetween, stopPassedOver } from '#domain/broker-news.ts'

const FILLS_WITHIN_MS = 60_000

/** As in a halt, or past a stop's limit: nothing else would until the order expires. */
export class UnfilledExits {
  readonly #em: EntityManager
  readonly #calendar: SessionCalendar
  readonly #accountId: string
  readonly #log: Logger
  readonly #fillsWithin: number

  constructor(
    em: EntityManager,
    broker: Broker,
    accountId: string,
    log: Logger,
    fillsWithin = FILLS_WITHIN_MS,
  ) {
    this.#em = em
    this.#calendar = new SessionCalendar(async () => broker, Date.now)
    this.#accountId = accountId
    this.#log = log
    this.#fillsWithin = fillsWithin
  }

  async look(now: number): Promise<void> {
    try {
      await endUnfilledExits(this.#em, this.#accountId)
      for (const { signalId, submittedAt, ...exit } of await exitsAtMarket(this.#em, this.#accountId)) {
        const sentAt = Date.parse(submittedAt)
        if (now - sentAt < this.#fillsWithin) continue
        const open = openBetween(sentAt, now, await this.#calendar.sessionsFrom(this.#accountId, submittedAt))
        if (open < this.#fillsWithin) continue
        await raiseAlert(this.#em, { accountId: this.#accountId, signalId }, exitUnfilled(exit))
      }
      for (const { signalId, ...exit } of await stopsPassedOver(this.#em, this.#accountId))
        await raiseAlert(this.#em, { accountId: this.#accountId, signalId }, stopPassedOver(exit))
    } catch (error) {
      this.#log.warn({ err: error }, 'whether exits are filled could not be looked at; trying again')
    }
  }
}
