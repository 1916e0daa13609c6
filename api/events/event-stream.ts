import type { LiveChange, LiveTopic } from '#db/live/events.ts'
import type { ServerResponse } from 'node:http'
import type { Principal } from '../http/principal.ts'
import { toIsoInstant } from '../http/presentation.ts'
import type { WatchedList } from './topics.ts'
import { eventText, heartbeatText, retryText } from './wire.ts'

/** Records that may wait for a client that reads slowly; with more it reads its lists anew. */
export const MAX_DUE = 1_000
/** Bytes that may wait in a connection before nothing more is written, until the client has read them. */
const MAX_BUFFERED = 512 * 1024
/** Clients that lost their streams together come back spread over this many milliseconds, beginning with the second. */
const STREAM_RETRY_MS = { least: 1_000, spread: 2_000 }

/** The lists and the place from which a client follows. */
export interface Subscription {
  principal: Principal
  lists: readonly WatchedList[]
  topics: ReadonlySet<LiveTopic>
  /** Null for all accounts. */
  accountId: string | null
  /** Whose prices are followed beside those of what is held and waits. */
  symbols: readonly string[]
  /** The last event that it has, from which to go on; null for one that begins. */
  since: string | null
}

/** Why a stream was ended by us, as its client is told. */
export type EndReason = 'unauthenticated' | 'shutdown'

/**
 * One client's stream. It owes the client records that have changed, each once however often it did, and writes no
 * more than the client reads: memory is bounded by the ids of the records owed and by what the connection buffers.
 */
export class EventStream {
  readonly subscription: Subscription
  /** Records that were told, for the log. */
  events = 0
  readonly #response: ServerResponse
  readonly #due = new Map<string, LiveChange>()
  /** The last id that was sent. */
  #told: string | null
  /** How far one has read with what is due. */
  #read: string | null = null
  #mustReset = false
  /** Length of the last event in bytes, by which the next ones are judged. */
  #size = 1_024
  /** Since when the connection is full, by `performance.now()`; null while it is not. */
  #stalledSince: number | null = null

  /** @param drained the client has read what was written, and more may be */
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

  /** Says that the stream follows from here on. */
  begin(position: string): void {
    const { lists, accountId, since } = this.subscription
    this.#told ??= position
    this.#read = position
    const data = { topics: lists, accountId, isResumed: since !== null, at: toIsoInstant(new Date()) }
    this.#write(eventText('ready', data, this.#told))
  }

  /**
   * Owes the client what has changed of what it follows.
   *
   * @param position how far one has read with that
   */
  enqueue(changes: readonly LiveChange[], position: string): void {
    this.#read = position
    if (this.#mustReset) return
    const { topics, accountId } = this.subscription
    for (const change of changes) {
      if (!topics.has(change.topic) || isOfAnother(change, accountId)) continue
      const key = keyOf(change)
      // Behind the others, in the order of the last changes.
      this.#due.delete(key)
      this.#due.set(key, change)
    }
    if (this.#due.size > MAX_DUE) this.requireReset(position)
  }

  /** Owes the client that it reads its lists anew, in place of the single records. */
  requireReset(position: string): void {
    this.#read = position
    this.#due.clear()
    this.#mustReset = true
  }

  /** The events to be told next: about as many as the connection takes. */
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

  /** Something is owed, and the client takes it. */
  get hasMore(): boolean {
    return this.#isReading() && (this.#mustReset || this.#due.size > 0)
  }

  /**
   * Tells of a record that {@link next} has named. False when the client does not take it now; it is owed still.
   *
   * @param record as lists show it; null when it is not there any more
   */
  send(change: LiveChange, record: object | null): boolean {
    if (!this.#isReading()) return false
    this.#due.delete(keyOf(change))
    // A client that goes on from an id must get what is still owed.
    if (this.#due.size === 0) this.#told = this.#read
    const { subjectId: id, accountId, topic } = change
    const data = { ...(record ?? { id, accountId, isRemoved: true }), at: toIsoInstant(change.at) }
    const text = eventText(topic, data, this.#told)
    this.#size = text.length
    this.#write(text)
    this.events += 1
    return true
  }

  /** Tells of what is not kept for a client that does not read: false when it does not take it now. */
  tell(event: string, data: object): boolean {
    if (!this.#isReading() || this.#read === null) return false
    this.#write(eventText(event, data, null))
    return true
  }

  /** Shows that the stream is alive. False when the client has not read for longer than `patience` milliseconds. */
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

  /** Lets go of a client that does not read. */
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

/** Records of no account, such as a halt of all, are news to those who follow one account, too. */
const isOfAnother = ({ accountId }: LiveChange, followed: string | null): boolean =>
  followed !== null && accountId !== null && accountId !== followed

/** Names a record among all topics. */
export const keyOf = ({ topic, subjectId }: Pick<LiveChange, 'topic' | 'subjectId'>): string =>
  `${topic} ${subjectId}`
