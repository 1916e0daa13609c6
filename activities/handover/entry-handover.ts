import { setTimeout as pause } from 'node:timers/promises'
import { ATTEMPT_KEPT_FOR } from '#domain/entry-times.ts'
import { isTerminal, mergeReport, type OrderReport } from '#domain/order.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import type { OrderAttempt, PreparedEntry } from '../contract.ts'

type Attempt = Promise<OrderAttempt<PreparedEntry>>

export interface AwaitedEntry {
  /** The recorded outcome; null when the attempt ended without one. */
  answer: Promise<EntryAnswer | null>
  over(): void
}

export interface Waiting {
  readonly isAwaited: boolean
  tell(answer: EntryAnswer | null): void
}

const NO_WAITER: Waiting = { isAwaited: false, tell() {} }

/**
 * Where a process's request, attempt, workflow and feed meet about an order that is being sent. The request
 * waits before the workflow starts; the attempt begins with the answer to that start, because the workflow's
 * first task takes longer, and the workflow takes it over. The request is answered with the recorded acceptance,
 * and reports of the stream become part of that record.
 * Nothing depends on it: the request can ask the workflow, the workflow makes its own attempt (same decision and
 * client order id), and the feed applies every report.
 */
export class EntryHandover {
  readonly #entries = new Map<string, HandedEntry>()
  readonly #sent = new Map<string, OrderInFlight>()
  /** By account: two while one stream takes over from another. */
  readonly #streams = new Map<string, number>()

  /** Before the workflow of the signal is started. */
  wait(signalId: string): AwaitedEntry {
    const entry = this.#entries.get(signalId) ?? new HandedEntry()
    this.#entries.set(signalId, entry)
    const over = entry.wait()
    return {
      answer: entry.answer,
      over: () => {
        over()
        if (!entry.isAwaited && entry.attempt === null) this.#forget(signalId, entry)
      },
    }
  }

  /** After the start of the workflow, which takes the attempt over; none where the workflow was faster. */
  begin(signalId: string, make: (request: Waiting) => Attempt): Attempt {
    const entry = this.#entries.get(signalId)
    return entry?.attempt ?? this.#make(signalId, entry, make)
  }

  /** The begun attempt once, else its own: the first task was lost, or the first attempt had to wait. */
  attempt(signalId: string, make: (request: Waiting) => Attempt): Attempt {
    const entry = this.#entries.get(signalId)
    const begun = entry?.isTaken ? null : entry?.attempt
    if (entry) entry.isTaken = true
    return begun ?? this.#make(signalId, entry, make)
  }

  #make(signalId: string, entry: HandedEntry | undefined, make: (request: Waiting) => Attempt): Attempt {
    const attempt = make(entry ?? NO_WAITER).finally(() => entry?.tell(null))
    if (entry) {
      entry.attempt = attempt
      setTimeout(() => this.#forget(signalId, entry), ATTEMPT_KEPT_FOR).unref()
    }
    return attempt
  }

  streamReady(accountId: string): () => void {
    this.#streams.set(accountId, this.#openStreams(accountId) + 1)
    return () => void this.#streams.set(accountId, this.#openStreams(accountId) - 1)
  }

  /**
   * Before the order is sent; {@link OrderInFlight.over} ends it, and so does the time: a lost attempt must not
   * hold reports back. Null when this process has no stream of the account's orders.
   * @param longest milliseconds
   */
  watch(accountId: string, clientOrderId: string, longest: number): OrderInFlight | null {
    if (this.#openStreams(accountId) === 0) return null
    const key = keyOf(accountId, clientOrderId)
    const order = new OrderInFlight(longest, () => {
      if (this.#sent.get(key) === order) this.#sent.delete(key)
    })
    this.#sent.set(key, order)
    return order
  }

  /** Resolves with the recorded order when the attempt is over; null without one. */
  report(accountId: string, report: OrderReport): Promise<OrderReport | null> | null {
    return this.#sent.get(keyOf(accountId, report.clientOrderId))?.hear(report) ?? null
  }

  #forget(signalId: string, entry: HandedEntry): void {
    if (this.#entries.get(signalId) === entry) this.#entries.delete(signalId)
  }

  #openStreams(accountId: string): number {
    return this.#streams.get(accountId) ?? 0
  }
}

class HandedEntry implements Waiting {
  readonly #told = Promise.withResolvers<EntryAnswer | null>()
  #requests = 0
  attempt: Attempt | null = null
  isTaken = false

  get answer(): Promise<EntryAnswer | null> {
    return this.#told.promise
  }

  get isAwaited(): boolean {
    return this.#requests > 0
  }

  wait(): () => void {
    this.#requests += 1
    return () => void (this.#requests -= 1)
  }

  tell(answer: EntryAnswer | null): void {
    this.#told.resolve(answer)
  }
}

/** Orders of other accounts may have the same id. */
const keyOf = (accountId: string, clientOrderId: string): string => `${accountId} ${clientOrderId}`
/** From right before it is sent until its acceptance is recorded. */
class OrderInFlight {
  readonly #heard: OrderReport[] = []
  readonly #over = Promise.withResolvers<OrderReport | null>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #forget: () => void
  readonly #timer: NodeJS.Timeout
  #isOver = false
  #recorded: OrderReport | null = null

  constructor(longest: number, forget: () => void) {
    this.#forget = forget
    this.#timer = setTimeout(() => this.over(), longest).unref()
  }

  hear(report: OrderReport): Promise<OrderReport | null> {
    this.#heard.push(report)
    if (isTerminal(report.status)) this.#ended.resolve()
    return this.#over.promise
  }

  /**
   * The merged reports, after a short wait for the end; only the answer once the attempt's time is over, because
   * the feed applies the rest then.
   * @param patience milliseconds
   */
  async end(answered: OrderReport, patience: number): Promise<OrderReport> {
    if (!isTerminal(answered.status))
      await Promise.race([
        this.#ended.promise,
        this.#over.promise,
        pause(patience, undefined, { ref: false }),
      ])
    if (this.#isOver) return answered
    return this.#heard.reduce((known, report) => {
      const news = mergeReport(known, report, known.quantity)
      return news ? { ...known, ...news } : known
    }, answered)
  }

  record(report: OrderReport): void {
    this.#recorded = report
  }

  /** Recorded, or to be recorded without the stream's reports. */
  over(): void {
    clearTimeout(this.#timer)
    this.#isOver = true
    this.#forget()
    this.#over.resolve(this.#recorded)
  }
}
