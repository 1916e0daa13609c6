import { setTimeout as pause } from 'node:timers/promises'
import { isTerminal, mergeReport, type OrderReport } from '#domain/order.ts'

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
   * Gives a report to the attempt that sends the order; resolves when the attempt is over, with the order as it has
   * recorded it. Null when there is none.
   */
  tell(accountId: string, report: OrderReport): Promise<OrderReport | null> | null {
    return this.#sent.get(keyOf(accountId, report.clientOrderId))?.hear(report) ?? null
  }

  #openStreams(accountId: string): number {
    return this.#streams.get(accountId) ?? 0
  }
}

/** Orders of other accounts may bear the same id: whoever sends an order names it. */
const keyOf = (accountId: string, clientOrderId: string): string => `${accountId} ${clientOrderId}`

/** One order, from right before it is sent until its acceptance is recorded. */
export class OrderInFlight {
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
