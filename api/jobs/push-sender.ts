import { pauseAfter } from '#domain/backoff.ts'
import type { Database } from '#db/engine/database.ts'
import { dropPush, postponePush, takeDuePushes, type DuePush } from '#db/push/outbox.ts'
import { recordDelivered, removeSubscription } from '#db/push/subscriptions.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Deliver } from '../push/delivery.ts'
import { messageOf } from '../push/message.ts'

/** Milliseconds between two rounds. */
const INTERVAL = 500
/** Notifications that a round sends at once. */
const BATCH = 16
/** Seconds for which no other process takes them: longer than push services and the database have for an answer. */
const TAKEN_FOR = 30
/** Milliseconds after which database work is given up; the next round tries again. */
const DATABASE_LIMIT = 5_000
/** Milliseconds until one that failed is tried again. */
const RETRY = { first: 2_000, most: 120_000 }

/** Sends the notifications of the outbox. */
export interface PushSender {
  start(): void
  /** Resolves when the round that may be running has ended. */
  stop(): Promise<void>
}

/**
 * Sends what is due, from any number of processes: each row is taken by one of them. It is removed once the push service
 * has the message. After a death in between it is sent again, and the tag of the message makes of both one notification.
 */
export function createPushSender(deps: {
  database: Database
  deliver: Deliver
  logger: Logger
  metrics: Pick<Metrics, 'countNotification'>
}): PushSender {
  const { database, deliver, logger, metrics } = deps
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isStopping = false
  const inTime = <T>(work: Promise<T>): Promise<T> => within(DATABASE_LIMIT, 'the database', work)

  async function send(push: DuePush): Promise<void> {
    const { target, userId, news } = push
    const delivery = await deliver(target, messageOf(push))
    metrics.countNotification(news.kind, delivery.is)
    const log = { kind: news.kind, subscriptionId: target.id, service: new URL(target.endpoint).host }
    const em = database.em.fork()
    switch (delivery.is) {
      case 'taken':
        await inTime(dropPush(em, push))
        return inTime(recordDelivered(em, userId, target.id))
      case 'gone':
        await inTime(removeSubscription(em, userId, target.id))
        await inTime(dropPush(em, push))
        return logger.info(log, 'the browser takes no notifications any more: its subscription is removed')
      case 'refused':
        await inTime(dropPush(em, push))
        return logger.error({ ...log, reason: delivery.reason }, 'a notification was refused and is dropped')
      case 'failed': {
        const pause = Math.max(pauseAfter(push.attempts, RETRY), delivery.retryAfter ?? 0)
        await inTime(postponePush(em, push, pause))
        logger.warn({ ...log, reason: delivery.reason, retryInMs: pause }, 'a notification is tried again')
      }
    }
  }

  /** Returns whether more may be due already. */
  async function round(): Promise<boolean> {
    const limits = { most: BATCH, seconds: TAKEN_FOR }
    const { taken, due } = await inTime(takeDuePushes(database.em.fork(), limits))
    await Promise.all(
      due.map((push) =>
        send(push).catch((error: unknown) =>
          logger.warn({ err: error }, 'what came of a notification was not recorded; it is sent again'),
        ),
      ),
    )
    return taken === BATCH
  }

  /** Returns the pause before the next round, in milliseconds. */
  async function tryRound(): Promise<number> {
    try {
      return (await round()) ? 0 : INTERVAL
    } catch (error) {
      logger.warn({ err: error }, 'notifications that are due could not be read; trying again')
      return INTERVAL
    }
  }

  function plan(delay: number): void {
    timer = setTimeout(() => {
      running = (async () => {
        const pause = await tryRound()
        if (!isStopping) plan(pause)
      })()
    }, delay)
  }

  return {
    start: () => plan(0),
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await running
    },
  }
}
