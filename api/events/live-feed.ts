import type { Database } from '#db/engine/database.ts'
import { changesSince, readNews, startReading, type LiveChange, type Reading } from '#db/live/events.ts'
import { listenForNews, type NewsListener } from '#db/live/listener.ts'
import { actAs } from '#db/engine/row-security.ts'
import { readValidCredentials, type ValidCredentials } from '#db/identity/valid-credentials.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import type { Logger } from 'pino'
import { setTimeout as pause } from 'node:timers/promises'
import { temporalUiFor } from '../http/presentation.ts'
import {
  keyOf,
  MAX_DUE,
  type EndReason,
  type EventStream,
  type Subscription,
  presentedRecords,
} from './event-stream.ts'
import { isCoveredByPlan } from '#domain/risk/token-bounds.ts'
import { WATCHABLE } from './topics.ts'

/** Milliseconds between polls; faster changes merge. */
const MIN_FEED_WAIT_MS = 50
/** Milliseconds: another transaction may end right behind. */
const WAIT_AFTER_NEWS = 100
const MAX_FEED_WAIT_MS = 1_000
const MAX_NEWS = 10_000
/** Records at once, and batches before the next user. */
const FEED_BATCH = 100
const MAX_LOTS = 10
/** Each takes a connection from the pool. */
const USERS_AT_ONCE = 2
const UNREAD_HEARTBEATS = 4

export interface LiveFeedDeps {
  database: Database
  logger: Logger
  /** Milliseconds; an ended credential may go unnoticed that long. */
  heartbeat: number
  temporalUiUrl: string | null
  companions: readonly StreamCompanion[]
}

export interface StreamCompanion {
  join(stream: EventStream): void
  leave(stream: EventStream): void
  changed(userId: string): void
}

/** A single loop reads for all streams, which hold no connections. */
export class LiveFeed {
  readonly #deps: LiveFeedDeps
  readonly #notifier = new Notifier()
  readonly #streams = new Set<EventStream>()
  #newcomers: EventStream[] = []
  #reading: Reading | null = null
  #checkedAt = 0
  #listener: NewsListener | undefined
  #heartbeats: NodeJS.Timeout | undefined
  #loop: Promise<void> | null = null
  #isStopping = false
  #isFailing = false

  constructor(deps: LiveFeedDeps) {
    this.#deps = deps
  }

  countOf(userId: string): number {
    return this.#all().filter(({ subscription }) => subscription.principal.userId === userId).length
  }

  get openStreams(): number {
    return this.#all().length
  }

  join(stream: EventStream): void {
    if (this.#isStopping) return stream.end('shutdown')
    this.#newcomers.push(stream)
    const { database, logger, heartbeat } = this.#deps
    this.#listener ??= listenForNews(
      String(database.config.get('clientUrl')),
      'live_events',
      () => this.wake(),
      (error) => logger.warn({ err: error }, 'news of changes is not heard; looking for it every second'),
    )
    this.#heartbeats ??= setInterval(() => this.#sendHeartbeats(), heartbeat).unref()
    this.#loop ??= this.#run()
    this.wake()
  }

  leave(stream: EventStream): void {
    this.#streams.delete(stream)
    this.#newcomers = this.#newcomers.filter((one) => one !== stream)
    for (const companion of this.#deps.companions) companion.leave(stream)
  }

  wake(): void {
    this.#notifier.notify()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#heartbeats)
    this.#endEach(this.#all(), () => 'shutdown')
    this.wake()
    await this.#loop
    await this.#listener?.stop()
  }

  #all(): EventStream[] {
    return [...this.#streams, ...this.#newcomers]
  }

  async #run(): Promise<void> {
    while (this.#all().length > 0 && !this.#isStopping) {
      try {
        const hasNews = await this.#poll()
        this.#isFailing = false
        if (!this.#hasMore()) await pause(MIN_FEED_WAIT_MS)
        await this.#notifier.notified(hasNews ? WAIT_AFTER_NEWS : MAX_FEED_WAIT_MS)
      } catch (error) {
        // An outage logs once; no change is lost.
        if (!this.#isFailing)
          this.#deps.logger.warn({ err: error }, 'changes could not be read; trying again every second')
        this.#isFailing = true
        await pause(MAX_FEED_WAIT_MS)
      }
    }
    // A stream that joins now begins another loop.
    this.#loop = null
    this.#reading = null
  }

  async #poll(): Promise<boolean> {
    await this.#checkCredentials()
    const em = this.#deps.database.em.fork()
    this.#reading ??= await startReading(em)
    const news = await readNews(em, this.#users(), this.#reading, MAX_NEWS)
    const byUser = Map.groupBy(news.changes, ({ userId }) => userId)
    for (const stream of this.#streams)
      if (news.isComplete) stream.enqueue(byUser.get(userOf(stream)) ?? [], news.position)
      else stream.requireReset(news.position)
    for (const userId of byUser.keys())
      for (const companion of this.#deps.companions) companion.changed(userId)
    this.#reading = news
    const isJoined = await this.#letIn(news)
    await this.#sendChanges()
    return isJoined || !news.isComplete || news.changes.length > 0
  }

  #users(): string[] {
    return [...new Set([...this.#streams].map(userOf))]
  }

  /** Missed changes are read after the poll, so that none falls between two polls. */
  async #letIn({ position }: Reading): Promise<boolean> {
    const waiting = [...this.#newcomers]
    for (const stream of waiting) {
      const { since, principal } = stream.subscription
      const missed =
        since === null
          ? null
          : await changesSince(this.#deps.database.em.fork(), principal.userId, since, MAX_DUE)
      if (!this.#newcomers.includes(stream)) continue
      this.#newcomers = this.#newcomers.filter((one) => one !== stream)
      this.#streams.add(stream)
      stream.begin(position)
      for (const companion of this.#deps.companions) companion.join(stream)
      if (missed?.isComplete) stream.enqueue(missed.changes, position)
      else if (missed) stream.requireReset(position)
    }
    return waiting.length > 0
  }

  async #sendChanges(): Promise<void> {
    const queue = [...Map.groupBy(this.#streams, userOf).values()].flatMap((streams) => [
      // An administrator's session sees more than a token.
      ...Map.groupBy(streams, (stream) => this.#temporalUiOf(stream)),
    ])
    await mapLimit(USERS_AT_ONCE, queue, (alike) => this.#notifyAlike(...alike))
    if (this.#hasMore()) this.wake()
  }

  #hasMore(): boolean {
    return [...this.#streams].some(({ hasMore }) => hasMore)
  }

  /** Limited, so that other work runs. */
  async #notifyAlike(temporalUi: string | null, streams: readonly EventStream[]): Promise<void> {
    for (let lot = 0; lot < MAX_LOTS && streams.some(({ hasMore }) => hasMore); lot++)
      await this.#reportLot(temporalUi, streams)
  }

  async #reportLot(temporalUi: string | null, streams: readonly EventStream[]): Promise<void> {
    const lots = streams.map((stream) => ({ stream, changes: stream.next(FEED_BATCH) }))
    const wanted = new Map<string, LiveChange>()
    for (const { changes } of lots) for (const change of changes) wanted.set(keyOf(change), change)
    if (wanted.size === 0) return
    const em = this.#deps.database.em.fork()
    const userId = userOf(streams[0]!)
    actAs(em, userId)
    const records = await presentedRecords(em, userId, [...wanted.values()], temporalUi)
    for (const { stream, changes } of lots)
      for (const change of changes) if (!stream.send(change, records.get(keyOf(change)) ?? null)) break
  }

  #temporalUiOf({ subscription }: EventStream): string | null {
    return temporalUiFor(subscription.principal, this.#deps.temporalUiUrl)
  }

  /** Newly joined streams were just authorized. */
  async #checkCredentials(): Promise<void> {
    const now = performance.now()
    if (now - this.#checkedAt < this.#deps.heartbeat) return
    const streams = this.#all()
    const principals = streams.map(({ subscription }) => subscription.principal)
    const credentials = await readValidCredentials(
      this.#deps.database.em.fork(),
      principals.flatMap(({ sessionId }) => sessionId ?? []),
      principals.flatMap(({ tokenId }) => tokenId ?? []),
    )
    this.#endEach(streams, ({ subscription }) =>
      hasExpired(subscription) || !isStillAuthorized(subscription, credentials) ? 'unauthenticated' : null,
    )
    this.#checkedAt = now
  }

  #sendHeartbeats(): void {
    this.#endEach(this.#all(), ({ subscription }) => (hasExpired(subscription) ? 'unauthenticated' : null))
    for (const stream of this.#all())
      if (!stream.heartbeat(UNREAD_HEARTBEATS * this.#deps.heartbeat)) stream.disconnect()
  }

  #endEach(streams: readonly EventStream[], reasonFor: (stream: EventStream) => EndReason | null): void {
    for (const stream of streams) {
      const reason = reasonFor(stream)
      if (reason === null) continue
      this.leave(stream)
      stream.end(reason)
    }
  }
}

const userOf = ({ subscription }: EventStream): string => subscription.principal.userId

class Notifier {
  #isRung = false
  #wake: (() => void) | null = null

  notify(): void {
    this.#isRung = true
    this.#wake?.()
  }

  async notified(milliseconds: number): Promise<void> {
    if (!this.#isRung)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = null
    this.#isRung = false
  }
}

/** Only a JWT ends by the clock. */
const hasExpired = ({ principal }: Subscription): boolean =>
  principal.expiresAt !== null && principal.expiresAt.getTime() <= Date.now()

function isStillAuthorized(
  { principal, lists }: Subscription,
  { sessionIds, tokens }: ValidCredentials,
): boolean {
  if (principal.sessionId !== null) return sessionIds.has(principal.sessionId)
  const token = tokens.get(principal.tokenId!)
  return (
    token !== undefined &&
    isCoveredByPlan(token) &&
    lists.every((list) => token.scopes.includes(WATCHABLE[list].scope))
  )
}
