import type { Logger } from 'pino'
import type { Broker } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { endUnfilledExits, exitsAtMarket } from '#db/orders/unfilled-exits.ts'
import { raiseAlert } from '#db/risk/alerts.ts'
import { exitUnfilled, openBetween } from '#domain/broker-news.ts'
import type { TradingSession } from '#domain/session.ts'
import { addDays } from '#domain/wall-time.ts'

/** For so long an exit at market may work in an open session without being filled, in milliseconds. */
const FILLS_WITHIN = 60_000
/** No session around an instant is missed, whatever the zone of the exchange, and it is closed for fewer days in a row. */
const AROUND = 7
/** Sessions are read again after so many milliseconds: a calendar may change. */
const CALENDAR_HOLDS = 3_600_000

/**
 * Tells the owner of an exit at market that is out and does not fill, as in a halt: nothing else would, until the order expires.
 */
export class UnfilledExits {
  readonly #em: EntityManager
  readonly #broker: Pick<Broker, 'listSessions'>
  readonly #accountId: string
  readonly #log: Logger
  readonly #fillsWithin: number
  #calendar: { from: string; to: string; sessions: TradingSession[]; readAt: number } | null = null

  /** @param fillsWithin milliseconds of an open session */
  constructor(
    em: EntityManager,
    broker: Pick<Broker, 'listSessions'>,
    accountId: string,
    log: Logger,
    fillsWithin = FILLS_WITHIN,
  ) {
    this.#em = em
    this.#broker = broker
    this.#accountId = accountId
    this.#log = log
    this.#fillsWithin = fillsWithin
  }

  /** Never throws: what could not be looked at is looked at next time. `now`: milliseconds since the epoch. */
  async look(now: number): Promise<void> {
    try {
      await endUnfilledExits(this.#em, this.#accountId)
      for (const { signalId, submittedAt, ...exit } of await exitsAtMarket(this.#em, this.#accountId)) {
        const sentAt = Date.parse(submittedAt)
        if (now - sentAt < this.#fillsWithin) continue
        const open = openBetween(sentAt, now, await this.#sessionsBetween(sentAt, now))
        if (open < this.#fillsWithin) continue
        await raiseAlert(this.#em, { accountId: this.#accountId, signalId }, exitUnfilled(exit))
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'whether exits are filled could not be looked at; trying again')
    }
  }

  async #sessionsBetween(from: number, to: number): Promise<TradingSession[]> {
    const [first, last] = [addDays(dateOf(from), -AROUND), addDays(dateOf(to), AROUND)]
    const known = this.#calendar
    if (known && known.from <= first && known.to >= last && to - known.readAt < CALENDAR_HOLDS)
      return known.sessions
    const sessions = await readSessions(this.#broker, {
      from: first,
      to: last,
      after: `${first}T00:00:00.000Z`,
    })
    this.#calendar = { from: first, to: last, sessions, readAt: to }
    return sessions
  }
}

const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
