import { setTimeout as pause } from 'node:timers/promises'
import { isTerminal, mergeReport, type OrderReport } from '#domain/order.ts'

/** An attempt is over by then in any case; milliseconds. */
const LONGEST_HOLD = 2_000

/**
 * Orders that this process is sending now. A report of one of them that the broker's stream brings meanwhile goes to the
 * attempt that sends it, so that acceptance and fill are one record and the workflow needs no message for the fill.
 * Nothing depends on it: the feed applies every report in the end, and a comparison finds those that a process took
 * with it.
 */
export class OrdersInFlight {
  readonly #sent = new Map<string, OrderInFlight>()
  /** The number of open streams by account: two while one takes the place of another. */
  readonly #streams = new Map<string, number>()

  /** To be called when a stream of the account's orders is ready; what it returns, when it has ended. */
  streamReady(accountId: string): () => void {
    this.#streams.set(accountId, this.#openStreams(accountId) + 1)
    return () => void this.#streams.set(accountId, this.#openStreams(accountId) - 1)
  }

  /**
   * To be called before the order is sent; {@link OrderInFlight.over} ends it. Null when this process has no stream of the
   * account's orders, as with an account that another worker follows: there is nothing to wait for.
   */
  watch(accountId: string, clientOrderId: string): OrderInFlight | null {
    if (this.#openStreams(accountId) === 0) return null
    const order = new OrderInFlight(() => {
      if (this.#sent.get(clientOrderId) === order) this.#sent.delete(clientOrderId)
    })
    this.#sent.set(clientOrderId, order)
    return order
  }

  /** Gives a report to the attempt that sends the order; resolves when the attempt is over. Null when there is none. */
  tell(report: OrderReport): Promise<unknown> | null {
    return this.#sent.get(report.clientOrderId)?.hear(report) ?? null
  }

  #openStreams(accountId: string): number {
    return this.#streams.get(accountId) ?? 0
  }
}

/** One order, from right before it is sent until its acceptance is recorded. */
export class OrderInFlight {
  readonly #heard: OrderReport[] = []
  readonly #over = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #forget: () => void

  constructor(forget: () => void) {
    this.#forget = forget
  }

  hear(report: OrderReport): Promise<unknown> {
    this.#heard.push(report)
    if (isTerminal(report.status)) this.#ended.resolve()
    return Promise.race([this.#over.promise, pause(LONGEST_HOLD, undefined, { ref: false })])
  }

  /**
   * All that is known of the order, whose end is waited for a little.
   *
   * @param answered the broker's answer
   * @param patience milliseconds
   */
  async end(answered: OrderReport, patience: number): Promise<OrderReport> {
    if (!isTerminal(answered.status))
      await Promise.race([this.#ended.promise, pause(patience, undefined, { ref: false })])
    return this.#heard.reduce((known, report) => {
      const news = mergeReport(known, report, known.quantity)
      return news ? { ...known, ...news } : known
    }, answered)
  }

  /** The acceptance is recorded, or will be without what the stream brings. */
  over(): void {
    this.#forget()
    this.#over.resolve()
  }
}
