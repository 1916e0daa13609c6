import { periodically, type Part } from '#config/periodically.ts'
import type { Database } from '#db/engine/database.ts'
import { readSessions } from '#brokers/sessions.ts'
import type { Broker } from '#brokers/port.ts'
import { listOwnConnections, type AccountConnection } from '#db/account/sync.ts'
import {
  endSilences,
  findExpectedSenders,
  findUnnotified,
  raiseSilences,
  type ExpectedSender,
  type Silence,
} from '#db/hook/silence.ts'
import { senderSilent } from '#domain/hook/notices.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { lastDue } from '#domain/hook/silence.ts'
import { CALENDAR_REACH_DAYS } from '#domain/time/session.ts'
import { addDays } from '#domain/time/wall-time.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'

const SILENCE_LOOK_EVERY_MS = 15_000
const SILENCE_LIMIT_MS = 10_000
/** Longer than any closure of the exchange, plus a session. */
const SILENCE_DAYS_BACK = 14

function silencesAt(senders: readonly ExpectedSender[], now: string): Silence[] {
  const today = now.slice(0, 10)
  const sessions = nyseSessions(addDays(today, -SILENCE_DAYS_BACK), addDays(today, 1))
  return senders.flatMap((sender) => {
    const due = lastDue(sender.expects, sessions, { since: sender.since, now })
    return due === null ? [] : [{ sender, from: due.from, notice: senderSilent(sender, due) }]
  })
}

interface SilenceDependencies {
  database: Database
  logger: Logger
  brokerOf(connection: AccountConnection): Pick<Broker, 'listSessions'>
}

const MOST_DAYS_KNOWN = 1_000

/** A day counts with a session by the owner's broker, or the exchange's calendar. */
export class SilenceWatch {
  readonly #deps: SilenceDependencies
  readonly #known = new Map<string, boolean>()

  constructor(deps: SilenceDependencies) {
    this.#deps = deps
  }

  /**
   * Returns the number of raised alerts.
   * @param now milliseconds since the epoch
   */
  async look(now: number): Promise<number> {
    const { database } = this.#deps
    const at = new Date(now).toISOString()
    const due = silencesAt(await findExpectedSenders(database.em.fork()), at)
    const unnotified = due.length === 0 ? [] : await findUnnotified(database.em.fork(), due)
    const silent: Silence[] = []
    for (const silence of unnotified)
      if (await this.#hadSession(silence.sender.userId, silence.notice.data.session, at)) silent.push(silence)
    const raised = silent.length === 0 ? 0 : await raiseSilences(database.em.fork(), silent)
    await endSilences(database.em.fork())
    return raised
  }

  async #hadSession(userId: string, date: string, after: string): Promise<boolean> {
    const { database, brokerOf, logger } = this.#deps
    const key = `${userId} ${date}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    try {
      const [connection] = await listOwnConnections(database.em.fork(), userId)
      if (!connection) return true
      const to = addDays(after.slice(0, 10), CALENDAR_REACH_DAYS)
      const sessions = await readSessions(brokerOf(connection), { from: date, to, after })
      const had = sessions.some((session) => session.date === date)
      if (this.#known.size >= MOST_DAYS_KNOWN) this.#known.clear()
      this.#known.set(key, had)
      return had
    } catch (error) {
      logger.warn({ err: error, userId }, "a broker's calendar cannot be read: the exchange's counts")
      return true
    }
  }
}

/** Several processes may run it. */
export function createSilenceWatch(deps: SilenceDependencies): Part {
  const watch = new SilenceWatch(deps)
  return periodically(
    'the watch for silence',
    SILENCE_LOOK_EVERY_MS,
    async () => {
      const raised = await within(SILENCE_LIMIT_MS, 'the watch for silence', watch.look(Date.now()))
      if (raised > 0) deps.logger.info({ raised }, 'nothing came when something was expected')
    },
    deps.logger,
  )
}
