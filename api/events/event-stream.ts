import { type LiveChange, type LiveTopic, LIVE_TOPICS } from '#db/live/events.ts'
import type { ServerResponse } from 'node:http'
import type { Principal } from '../http/principal.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { type WatchedList, eventText, heartbeatText, retryText } from '#contract/events.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { liveIdOfHalt } from '#db/risk/halts.ts'
import { findLiveRecords } from '#db/live/records.ts'
import { presentAccount } from '../account/present.ts'
import { presentGroup } from '../group/present.ts'
import { presentAlert } from '../alert/routes.ts'
import { presentBroker } from '../broker/routes.ts'
import { presentHalt } from '../risk/present.ts'
import { presentOrder } from '../order/present.ts'
import { readCovers, presentPosition } from '../position/present.ts'
import { presentSignal, readOutcomes } from '../signal/present.ts'
import { presentTrade } from '../trade/routes.ts'

/** Changed records due to a slow client; beyond, it reads its lists again. */
export const MAX_DUE = 1_000
/** Bytes due in a connection before writing pauses. */
const MAX_BUFFERED = 512 * 1024
const STREAM_RETRY_MS = { least: 1_000, spread: 2_000 }

export interface Subscription {
  principal: Principal
  lists: readonly WatchedList[]
  topics: ReadonlySet<LiveTopic>
  accountId: string | null
  symbols: readonly string[]
  since: string | null
}

export type EndReason = 'unauthenticated' | 'shutdown'

/** Owes each changed record once, and writes as the client reads: memory is bounded. */
export class EventStream {
  readonly subscription: Subscription
  events = 0
  readonly #response: ServerResponse
  readonly #due = new Map<string, LiveChange>()
  #told: string | null
  #read: string | null = null
  #mustReset = false
  #size = 1_024
  /** By `performance.now()`. */
  #stalledSince: number | null = null

  constructor(response: ServerResponse, subscription: Subscription, drained: () => void) {
    this.#response = response
    this.subscription = subscription
    this.#told = subscription.since
    response.on('drain', () => {
      this.#stalledSince = null
      drained()
    })
    this.#write(retryText(STREAM_RETRY_MS.least + Math.floor(Math.random() * STREAM_RETRY_MS.spread)))
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded
  }

  begin(position: string): void {
    const { lists, accountId, since } = this.subscription
    this.#told ??= position
    this.#read = position
    const data = { topics: lists, accountId, isResumed: since !== null, at: toIsoInstant(new Date()) }
    this.#write(eventText('ready', data, this.#told))
  }

  enqueue(changes: readonly LiveChange[], position: string): void {
    this.#read = position
    if (this.#mustReset) return
    const { topics, accountId } = this.subscription
    for (const change of changes) {
      if (!topics.has(change.topic) || isOfAnother(change, accountId)) continue
      const key = keyOf(change)
      this.#due.delete(key)
      this.#due.set(key, change)
    }
    if (this.#due.size > MAX_DUE) this.requireReset(position)
  }

  requireReset(position: string): void {
    this.#read = position
    this.#due.clear()
    this.#mustReset = true
  }

  next(most: number): LiveChange[] {
    if (!this.#isReading()) return []
    if (this.#mustReset) {
      this.#mustReset = false
      this.#told = this.#read
      this.#write(eventText('reset', { at: toIsoInstant(new Date()) }, this.#told))
    }
    if (!this.#isReading()) return []
    const room = Math.ceil((MAX_BUFFERED - this.#response.writableLength) / this.#size)
    return [...this.#due.values()].slice(0, Math.min(most, room))
  }

  get hasMore(): boolean {
    return this.#isReading() && (this.#mustReset || this.#due.size > 0)
  }

  /**
   * False: still owed, as the client takes nothing now.
   * @param record null when it is gone
   */
  send(change: LiveChange, record: object | null): boolean {
    if (!this.#isReading()) return false
    this.#due.delete(keyOf(change))
    // A client continuing from an id must get due records.
    if (this.#due.size === 0) this.#told = this.#read
    const { subjectId: id, accountId, topic } = change
    const data = { ...(record ?? { id, accountId, isRemoved: true }), at: toIsoInstant(change.at) }
    const text = eventText(topic, data, this.#told)
    this.#size = text.length
    this.#write(text)
    this.events += 1
    return true
  }

  tell(event: string, data: object): boolean {
    if (!this.#isReading() || this.#read === null) return false
    this.#write(eventText(event, data, null))
    return true
  }

  /** False after `patience` milliseconds without reading. */
  heartbeat(patience: number): boolean {
    if (this.#stalledSince !== null) return performance.now() - this.#stalledSince < patience
    if (this.#read !== null && this.#due.size === 0 && !this.#mustReset) this.#told = this.#read
    this.#write(heartbeatText(this.#told))
    return true
  }

  end(reason: EndReason): void {
    if (!this.isOpen) return
    this.#write(eventText('end', { reason, at: toIsoInstant(new Date()) }, null))
    this.#response.end()
  }

  disconnect(): void {
    this.#response.destroy()
  }

  #isReading(): boolean {
    return this.isOpen && this.#stalledSince === null
  }

  #write(text: string): void {
    if (!this.isOpen) return
    this.#response.write(text)
    if (this.#response.writableLength > MAX_BUFFERED) this.#stalledSince ??= performance.now()
  }
}

const isOfAnother = ({ accountId }: LiveChange, followed: string | null): boolean =>
  followed !== null && accountId !== null && accountId !== followed

export const keyOf = ({ topic, subjectId }: Pick<LiveChange, 'topic' | 'subjectId'>): string =>
  `${topic} ${subjectId}`

export async function presentedRecords(
  em: EntityManager,
  userId: string,
  changes: readonly LiveChange[],
  temporalUi: string | null,
): Promise<Map<string, object>> {
  const ids = Object.fromEntries(
    LIVE_TOPICS.map((topic) => [
      topic,
      changes.filter((change) => change.topic === topic).map(({ subjectId }) => subjectId),
    ]),
  ) as Record<LiveTopic, string[]>
  const records = await findLiveRecords(em, userId, ids)
  const outcomes = await readOutcomes(em, userId, records.signal)
  const covers = records.position.length > 0 ? await readCovers(em, userId) : undefined
  const presented: Record<LiveTopic, object[]> = {
    signal: records.signal.map((signal) => presentSignal(signal, outcomes)),
    group: records.group.map(presentGroup),
    order: records.order.map(presentOrder),
    position: records.position.map((position) => presentPosition(position, covers)),
    account: records.account.map(presentAccount),
    alert: records.alert.map((alert) => presentAlert(alert, temporalUi)),
    trade: records.trade.map(presentTrade),
    halt: records.halt.map(presentHalt),
    broker: records.broker.map(presentBroker),
    user: records.user.map(({ id, tradingMode, role, plan }) => ({ id, tradingMode, role, plan })),
  }
  const byKey = new Map<string, object>()
  for (const topic of LIVE_TOPICS)
    for (const record of presented[topic])
      byKey.set(keyOf({ topic, subjectId: subjectIdOf(topic, record as { id: string }) }), record)
  return byKey
}

const subjectIdOf = (topic: LiveTopic, { id }: { id: string }): string =>
  topic === 'halt' ? liveIdOfHalt(id) : id
