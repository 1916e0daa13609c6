import { randomInt } from 'node:crypto'
import { periodically, type Part } from '#config/periodically.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { changeChannel, pauseChannel } from '#db/notify/channels.ts'
import { recordFailed, recordRefused, recordTaken } from '#db/notify/deliveries.ts'
import { spreadEvents } from '#db/notify/events.ts'
import type { DueNotice } from '#db/notify/news.ts'
import { takeDueNotices } from '#db/notify/outbox.ts'
import { climbRungs, noteReached, remindOfWaiting } from '#db/notify/reach.ts'
import { checkBrowsers, repeatAlarms } from '#db/notify/repeat.ts'
import { pauseAfter } from '#domain/async/backoff.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#domain/time/instants.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { deliverDue } from '../notify/deliver-due.ts'
import type { ChannelDeps } from '../notify/port.ts'
import { ServiceHealth } from '../notify/service-health.ts'
import { sealSettings } from '../notify/settings.ts'

/** Fallback for the supervisor's notice. */
const NOTICE_LOOK_EVERY_MS = 10_000
const REACH_LOOK_EVERY_MS = 5_000
/** Concurrent: per user, per service, in all. */
const PER_USER = 8
const PER_SERVICE = 32
const NOTICES_IN_ALL = 128
const TAKEN_FOR_SECONDS = 30
const NOTICE_DATABASE_LIMIT_MS = 5_000
const NOTICE_RETRY_MS = { first: 2_000, most: 120_000 }

/** Milliseconds between the attempts at a webhook (Standard Webhooks 1.0.0); after the last one it is paused. */
export const WEBHOOK_RETRY_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]
const WEBHOOK_PAUSED_AFTER_MS = WEBHOOK_RETRY_MS.reduce((sum, pause) => sum + pause, 0)
/** Its longest pause between attempts at different events: one event may be at fault, or the receiver be up again. */
const WEBHOOK_LONGEST_PAUSE_AFTER = 2
/** Events for webhooks in each second, and at once: signals and messages to people come first. */
const EVENTS_PER_SECOND = 50
const EVENTS_AT_ONCE = 200

/** Part of a pause that chance adds, so that endpoints are not asked together. */
const JITTER = 0.1

/** Milliseconds before the attempt that follows the last of these failures. */
function webhookPause(failures: number): number {
  const pause = WEBHOOK_RETRY_MS[Math.min(failures, WEBHOOK_RETRY_MS.length) - 1]!
  return pause + randomInt(pause * JITTER)
}

export interface NoticeSenderDeps {
  database: Database
  notify: ChannelDeps
  secretKeys: EncryptionKeys
  logger: Logger
  metrics: Pick<Metrics, 'countNotification'>
}

/** After a crash a row is sent again, under its id; receivers merge both. */
export function createNoticeSender({
  database,
  notify,
  secretKeys,
  logger,
  metrics,
}: NoticeSenderDeps): Part & {
  soon(): void
} {
  const health = new ServiceHealth()
  const events = { left: EVENTS_AT_ONCE, at: performance.now() }
  const underWay = new Map<Promise<void>, DueNotice>()
  const inTime = <T>(work: Promise<T>): Promise<T> => within(NOTICE_DATABASE_LIMIT_MS, 'the database', work)

  async function send(due: DueNotice): Promise<void> {
    const { target, news } = due
    const sentAt = performance.now()
    const delivery = await deliverDue(due, secretKeys, notify)
    metrics.countNotification(news.kind, delivery.is)
    const log = { kind: news.kind, channelId: target.id, channel: target.kind, service: target.service }
    if (delivery.is !== 'failed') health.answered(target.service)
    const em = database.em.fork()
    switch (delivery.is) {
      case 'taken':
        // Must precede dropping: an undelivered one raises an alert.
        if (news.kind === 'waiting') await inTime(noteReached(em, news.signal.id))
        return inTime(recordTaken(em, due))
      case 'gone':
        // Else its next message is taken first.
        await inTime(pauseChannel(em, target, delivery.reason))
        await inTime(recordRefused(em, due, 'gone', delivery.reason))
        await inTime(climbRungs(em))
        return logger.info(log, 'a channel takes no notifications any more')
      case 'refused':
        // An event is kept: the name of its receiver may lead elsewhere for a while.
        if (news.kind === 'event') return inTime(postpone(em, due, { ...delivery, retryAfter: null }))
        await inTime(recordRefused(em, due, 'refused', delivery.reason))
        await inTime(climbRungs(em))
        return logger.error({ ...log, reason: delivery.reason }, 'a notification was refused and is dropped')
      case 'moved': {
        const sealed = sealSettings(secretKeys, target, delivery.settings)
        await inTime(changeChannel(em, target.userId, target.id, { sealed }))
        // A second one in a row would be a circle.
        if (due.attempts > 1)
          return inTime(postpone(em, due, { reason: 'It has another address', retryAfter: null }))
        return inTime(recordFailed(em, due, { reason: 'It has another address', message: 0, channel: 0 }))
      }
      case 'failed': {
        const leftAloneInMs = health.failed(target.service, target.userId, sentAt)
        if (leftAloneInMs !== null)
          logger.warn({ ...log, leftAloneInMs }, 'a service fails for several users and is left alone')
        return inTime(postpone(em, due, delivery))
      }
    }
  }

  async function postpone(
    em: EntityManager,
    due: DueNotice,
    { reason, retryAfter }: { reason: string; retryAfter: number | null },
  ): Promise<void> {
    const isWebhook = due.target.kind === 'webhook'
    const pause = (failures: number) =>
      isWebhook ? webhookPause(failures) : pauseAfter(failures, NOTICE_RETRY_MS)
    const failures = isWebhook ? Math.min(due.failures + 1, WEBHOOK_LONGEST_PAUSE_AFTER) : due.failures + 1
    const channel = Math.max(pause(failures), retryAfter ?? 0)
    await recordFailed(em, due, { reason, message: isWebhook ? pause(due.attempts) : channel, channel })
    const failingFor = due.failingSince === null ? 0 : notify.now() - Date.parse(due.failingSince)
    const log = { channelId: due.target.id, service: due.target.service, reason }
    if (!isWebhook || failingFor < WEBHOOK_PAUSED_AFTER_MS)
      return logger.warn({ ...log, retryInMs: Math.round(channel) }, 'a notification is tried again')
    await pauseChannel(em, due.target, `It has failed for three days: ${reason}`)
    logger.error(log, 'a webhook has failed for three days and is paused')
  }

  function begin(due: DueNotice): void {
    const sending = send(due)
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'the outcome of a notification was not recorded; it is sent again'),
      )
      .finally(() => {
        underWay.delete(sending)
        looks.soon()
      })
    underWay.set(sending, due)
  }

  async function look(): Promise<number> {
    const sent = [...underWay.values()]
    const ofUsers = countBy(sent.map(({ target }) => target.userId))
    const toServices = countBy(sent.map(({ target }) => target.service))
    const bounds = health.bounds()
    const services = new Set([...bounds.keys(), ...Object.keys(toServices)])
    const ofServices = Object.fromEntries(
      [...services].map((service) => [
        service,
        Math.max((bounds.get(service) ?? PER_SERVICE) - (toServices[service] ?? 0), 0),
      ]),
    )
    const room = {
      most: NOTICES_IN_ALL - sent.length,
      perUser: PER_USER,
      perService: PER_SERVICE,
      seconds: TAKEN_FOR_SECONDS,
    }
    if (room.most === 0) return NOTICE_LOOK_EVERY_MS
    const now = performance.now()
    events.left = Math.min(events.left + ((now - events.at) / SECOND_MS) * EVENTS_PER_SECOND, EVENTS_AT_ONCE)
    events.at = now
    const spread = await inTime(spreadEvents(database.em.fork()))
    const { taken, due } = await inTime(
      takeDueNotices(database.em.fork(), { ...room, ofUsers, ofServices, withEvents: events.left >= 1 }),
    )
    events.left -= due.filter(({ news }) => news.kind === 'event').length
    for (const each of due) begin(each)
    return taken + spread > 0 ? 0 : NOTICE_LOOK_EVERY_MS
  }

  const looks = periodically('notifications that are due', NOTICE_LOOK_EVERY_MS, look, logger)
  const reach = periodically(
    'notices that are due again',
    REACH_LOOK_EVERY_MS,
    async () => {
      await inTime(climbRungs(database.em.fork()))
      await inTime(remindOfWaiting(database.em.fork()))
      await inTime(repeatAlarms(database.em.fork()))
      await inTime(checkBrowsers(database.em.fork()))
    },
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
