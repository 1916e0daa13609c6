import type { Logger } from 'pino'
import { SessionCalendar } from '#activities/brokers.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { endUnfilledExits, exitsToFill } from '#db/exit/unfilled-exits.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import { exitUnfilled, openBetween } from '#domain/alert/broker-alerts.ts'

const FILLS_WITHIN_MS = 60_000

/** Alerts to exits that do not fill, as in a halt or past a stop's limit. */
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
      for (const exit of await exitsToFill(this.#em, this.#accountId)) {
        const { signalId, isPassedOver, submittedAt } = exit
        if (!isPassedOver && !(await this.#isOverdue(submittedAt, now))) continue
        await raiseAlert(this.#em, { accountId: this.#accountId, signalId }, exitUnfilled(exit, isPassedOver))
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'whether exits are filled could not be looked at; trying again')
    }
  }

  async #isOverdue(submittedAt: string, now: number): Promise<boolean> {
    const sentAt = Date.parse(submittedAt)
    if (now - sentAt < this.#fillsWithin) return false
    const sessions = await this.#calendar.sessionsFrom(this.#accountId, submittedAt)
    return openBetween(sentAt, now, sessions) >= this.#fillsWithin
  }
}
