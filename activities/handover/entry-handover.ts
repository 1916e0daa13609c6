import { setTimeout as pause } from 'node:timers/promises'
import { ATTEMPT_KEPT_FOR } from '#domain/entry-times.ts'
import { isTerminal, mergeReport, type OrderReport } from '#domain/order.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import type { OrderAttempt, PreparedEntry } from '../contract.ts'

type Attempt = Promise<OrderAttempt<PreparedEntry>>

/** A request that waits for the outcome of an entry. */
export interface AwaitedEntry {
  /** The outcome, once it is recorded; null when the attempt to send the entry ended without one to tell. */
  answer: Promise<EntryAnswer | null>
  /** Nothing is waited for any more. */
  over(): void
}

/** The request that waits for the outcome of an entry, as the attempt that sends the entry sees it. */
export interface Waiting {
  readonly isAwaited: boolean
  /** Tells the outcome, the first time; the request waits no more. */
  tell(answer: EntryAnswer | null): void
}

const NO_WAITER: Waiting = { isAwaited: false, tell() {} }

/**
 * Where those of this process meet who have to do with an order that is being sent: the request that waits for its outcome, the
 * attempt that sends it, the workflow that asks for the attempt, and the feed, which hears of the order by the broker's stream.
 *
 * A request waits before the workflow is started. The attempt begins with the answer to that start, because the first task of the
 * workflow takes longer to come as far; the workflow then takes the attempt that was begun in place of one of its own. The request
 * is told as soon as the acceptance is recorded, and a report that the stream brings meanwhile becomes part of that record.
 *
 * Nothing depends on it: who is not told asks the workflow, a workflow that finds no attempt makes one, as after a crash, under
 * the decision that is kept and the same client order id, and the feed applies every report in the end.
 */
export class EntryHandover {
  /** By signal, from the request on. */
  readonly #entries = new Map<string, HandedEntry>()
  readonly #sent = new Map<string, OrderInFlight>()
  /** The number of open streams by account: two while one takes the place of another. */
  readonly #streams = new Map<string, number>()

  /** To be called by a request before the workflow of the signal is started. */
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

  /**
   * Begins the attempt to send an entry, once Temporal has started its workflow, for the workflow to take; none where the workflow was
   * faster.
   */
  begin(signalId: string, make: (request: Waiting) => Attempt): Attempt {
    const entry = this.#entries.get(signalId)
    return entry?.attempt ?? this.#make(signalId, entry, make)
  }

  /**
   * The attempt that a workflow asks for: the one that was begun, which it is given once, or its own. A workflow that asks again has
   * another one made, because its first task was lost or because the first attempt had to wait.
   */
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

  /** To be called when a stream of the account's orders is ready; what it returns, when it has ended. */
  streamReady(accountId: string): () => void {
    this.#streams.set(accountId, this.#openStreams(accountId) + 1)
    return () => void this.#streams.set(accountId, this.#openStreams(accountId) - 1)
  }

  /**
   * To be called before the order is sent; {@link OrderInFlight.over} ends it, and so does the time: an attempt of which
   * the workflow does not hear any more must not keep what the workflow has to be told of.
   *
   * Null when this process has no stream of the account's orders, as with an account that another worker follows: there
   * is nothing to wait for.
   *
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

  /**
   * Gives a report of the broker's stream to the attempt that sends the order; resolves when the attempt is over, with the order
   * as it has recorded it. Null when there is none.
   */
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

/** An entry on the way from its request to its workflow. */
class HandedEntry implements Waiting {
  readonly #told = Promise.withResolvers<EntryAnswer | null>()
  #requests = 0
  /** Null until it has begun. */
  attempt: Attempt | null = null
  /** The workflow has it. */
  isTaken = false

  get answer(): Promise<EntryAnswer | null> {
    return this.#told.promise
  }

  get isAwaited(): boolean {
    return this.#requests > 0
  }

  /** @returns to be called when the request waits no more */
  wait(): () => void {
    this.#requests += 1
    return () => void (this.#requests -= 1)
  }

  tell(answer: EntryAnswer | null): void {
    this.#told.resolve(answer)
  }
}

/** Orders of other accounts may bear the same id: whoever sends an order names it. */
const keyOf = (accountId: string, clientOrderId: string): string => `${accountId} ${clientOrderId}`
/** One order, from right before it is sent until its acceptance is recorded. */
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
   * All that is known of the order, whose end is waited for a little; only the answer when the time of the attempt is
   * over, because the feed applies what it has heard then.
   *
   * @param answered the broker's answer
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

  /** The ledger has the order like this. */
  record(report: OrderReport): void {
    this.#recorded = report
  }

  /** The acceptance is recorded, or will be without what the stream brings. */
  over(): void {
    clearTimeout(this.#timer)
    this.#isOver = true
    this.#forget()
    this.#over.resolve(this.#recorded)
  }
}
