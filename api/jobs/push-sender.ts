import { periodically, type Part } from '#config/periodically.ts'
import { snapshotWindows, type SnapshotWindow } from '#domain/account/balance-snapshot.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { addDays } from '#domain/time/wall-time.ts'
import type { Database } from '#db/engine/database.ts'
import { writeDaySummaries } from '#db/notify/day-summaries.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'
import { pauseAfter } from '#domain/async/backoff.ts'
import { dropPush, postponePush, takeDuePushes, type DuePush } from '#db/notify/outbox.ts'
import { noteReached, notifyUnreached } from '#db/notify/reach.ts'
import { recordDelivered, recordRefused, removeSubscription } from '#db/notify/subscriptions.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type Deliver, ServiceHealth } from '../push/delivery.ts'
import { messageOf } from '../push/message.ts'

const DAY_LOOK_EVERY_MS = 30_000
const SUMMARY_DATABASE_LIMIT_MS = 20_000
/** Longer than any closure of the exchange. */
const DAYS_AROUND = 14

/** Null during a session, and minutes after it. `now` is an ISO instant. */
export function endedDay(now: string): SnapshotWindow | null {
  const today = now.slice(0, 10)
  const windows = snapshotWindows(nyseSessions(addDays(today, -DAYS_AROUND), addDays(today, DAYS_AROUND)))
  return windows.find(({ from, until }) => from <= now && now < until) ?? null
}

/** Each is written once, by any process; missed ones until the next session. */
export const createDaySummaries = (database: Database, logger: Logger, now: () => number = Date.now): Part =>
  periodically(
    'summaries of the day',
    DAY_LOOK_EVERY_MS,
    async () => {
      const day = endedDay(new Date(now()).toISOString())
      if (day === null) return
      const work = writeDaySummaries(database.em.fork(), day)
      const written = await within(SUMMARY_DATABASE_LIMIT_MS, 'the database', work)
      if (written > 0)
        logger.info({ day: day.date, written }, 'the day has ended and its summaries are written')
    },
    logger,
  )

/** Fallback for the supervisor's notice. */
const PUSH_LOOK_EVERY_MS = 10_000
const REACH_LOOK_EVERY_MS = 10_000
/** Concurrent: per user, per service, in all. */
const PER_USER = 8
const PER_SERVICE = 32
const PUSHES_IN_ALL = 128
const TAKEN_FOR_SECONDS = 30
const PUSH_DATABASE_LIMIT_MS = 5_000
const PUSH_RETRY_MS = { first: 2_000, most: 120_000 }

/** After a crash a row is sent again; the tag merges both. */
export function createPushSender(deps: {
  database: Database
  deliver: Deliver
  logger: Logger
  metrics: Pick<Metrics, 'countNotification'>
}): Part & { soon(): void } {
  const { database, deliver, logger, metrics } = deps
  const health = new ServiceHealth()
  const underWay = new Map<Promise<void>, DuePush>()
  const inTime = <T>(work: Promise<T>): Promise<T> => within(PUSH_DATABASE_LIMIT_MS, 'the database', work)

  async function send(push: DuePush): Promise<void> {
    const { target, userId, news, service } = push
    const sentAt = performance.now()
    const delivery = await deliver(target, messageOf(push))
    metrics.countNotification(news.kind, delivery.is)
    const log = { kind: news.kind, subscriptionId: target.id, service: new URL(target.endpoint).host }
    if (delivery.is !== 'failed') health.answered(service)
    const em = database.em.fork()
    switch (delivery.is) {
      case 'taken':
        // Must precede dropping: an undelivered one raises an alert.
        if (news.kind === 'waiting') await inTime(noteReached(em, news.signal.id))
        await inTime(dropPush(em, push))
        return inTime(recordDelivered(em, userId, target.id))
      case 'gone':
        await inTime(removeSubscription(em, userId, target.id))
        await inTime(dropPush(em, push))
        await inTime(notifyUnreached(em))
        return logger.info(log, 'the browser takes no notifications any more: its subscription is removed')
      case 'refused':
        await inTime(dropPush(em, push))
        await inTime(recordRefused(em, userId, { id: target.id, reason: delivery.reason }))
        await inTime(notifyUnreached(em))
        return logger.error({ ...log, reason: delivery.reason }, 'a notification was refused and is dropped')
      case 'failed': {
        const leftAloneInMs = health.failed(service, userId, sentAt)
        if (leftAloneInMs !== null)
          logger.warn({ ...log, leftAloneInMs }, 'a push service fails for several users and is left alone')
        const retryInMs = Math.max(pauseAfter(push.failures + 1, PUSH_RETRY_MS), delivery.retryAfter ?? 0)
        await inTime(postponePush(em, push, retryInMs))
        logger.warn({ ...log, reason: delivery.reason, retryInMs }, 'a notification is tried again')
      }
    }
  }

  function begin(push: DuePush): void {
    const sending = send(push)
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'the outcome of a notification was not recorded; it is sent again'),
      )
      .finally(() => {
        underWay.delete(sending)
        looks.soon()
      })
    underWay.set(sending, push)
  }

  async function look(): Promise<number> {
    const sent = [...underWay.values()]
    const ofUsers = countBy(sent.map(({ userId }) => userId))
    const toServices = countBy(sent.map(({ service }) => service))
    const bounds = health.bounds()
    const services = new Set([...bounds.keys(), ...Object.keys(toServices)])
    const ofServices = Object.fromEntries(
      [...services].map((service) => [
        service,
        Math.max((bounds.get(service) ?? PER_SERVICE) - (toServices[service] ?? 0), 0),
      ]),
    )
    const room = {
      most: PUSHES_IN_ALL - sent.length,
      perUser: PER_USER,
      perService: PER_SERVICE,
      seconds: TAKEN_FOR_SECONDS,
    }
    if (room.most === 0) return PUSH_LOOK_EVERY_MS
    const { taken, due } = await inTime(takeDuePushes(database.em.fork(), { ...room, ofUsers, ofServices }))
    for (const push of due) begin(push)
    return taken > 0 ? 0 : PUSH_LOOK_EVERY_MS
  }

  const looks = periodically('notifications that are due', PUSH_LOOK_EVERY_MS, look, logger)
  const reach = periodically(
    'notices that reach no device',
    REACH_LOOK_EVERY_MS,
    async () => void (await inTime(notifyUnreached(database.em.fork()))),
    logger,
  )
  return {
    soon: () => looks.soon(),
    start() {
      looks.start()
      reach.start()
    },
    async stop() {
      await Promise.all([looks.stop(), reach.stop()])
      await Promise.all(underWay.keys())
    },
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
