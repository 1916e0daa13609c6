import type { BarQuery, Bars, Broker, Quote } from '#brokers/port.ts'
import type { AccountConnection } from '#db/accounts/sync.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'

/** Milliseconds for which an answer of the broker is good for everybody who asks the same. */
const QUOTE_LIFE = 1_000
const BARS_LIFE = 15_000
/** Answers that are kept at most, the oldest of which go first. */
const MAX_ANSWERS_KEPT = 2_000

interface Kept<T> {
  until: number
  answer: Promise<T>
}

/** Prices of one moment. */
export interface QuotesNow {
  quotes: Quote[]
  /** The oldest moment at which the broker was asked for one of them. */
  asOf: Date
}

/**
 * Asks brokers for prices, once for all who want to know the same at the same time: of every connection a symbol is
 * asked for at most once a second, and all symbols that are due go into one request. What goes wrong is kept by nobody.
 */
export class MarketData {
  readonly #access: BrokerAccess
  readonly #now: () => number
  readonly #quotes = new Map<string, Kept<{ quote: Quote | null; at: number }>>()
  readonly #bars = new Map<string, Kept<Bars>>()

  /** @param access of which every request counts as one beside trading */
  constructor(access: BrokerAccess, now: () => number = Date.now) {
    this.#access = access
    this.#now = now
  }

  /**
   * Prices of symbols at the broker of an account; those that it does not know are absent. Throws {@link ApiError}
   * BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT, BROKER_ERROR.
   */
  async quotes(connection: AccountConnection, symbols: readonly string[]): Promise<QuotesNow> {
    const keyOf = (symbol: string) => `${connection.brokerId} ${symbol}`
    const due = symbols.filter((symbol) => !isGood(this.#quotes.get(keyOf(symbol)), this.#now()))
    if (due.length > 0) {
      const at = this.#now()
      const asked = this.#ask(connection, (broker) => broker.getQuotes(due))
      for (const symbol of due) {
        const answer = asked.then((quotes) => ({
          quote: quotes.find((quote) => quote.symbol === symbol) ?? null,
          at,
        }))
        keep(this.#quotes, keyOf(symbol), { until: at + QUOTE_LIFE, answer })
      }
    }
    const answers = await Promise.all(symbols.map((symbol) => this.#quotes.get(keyOf(symbol))!.answer))
    return {
      quotes: answers.flatMap(({ quote }) => quote ?? []),
      asOf: new Date(Math.min(...answers.map(({ at }) => at))),
    }
  }

  /** The bars of a period. Throws as {@link MarketData.quotes}. */
  bars(connection: AccountConnection, query: BarQuery): Promise<Bars> {
    const key = `${connection.brokerId} ${JSON.stringify(query)}`
    const kept = this.#bars.get(key)
    if (isGood(kept, this.#now())) return kept.answer
    const answer = this.#ask(connection, (broker) => broker.listBars(query))
    keep(this.#bars, key, { until: this.#now() + BARS_LIFE, answer })
    return answer
  }

  #ask<T>(connection: AccountConnection, ask: (broker: Broker) => Promise<T>): Promise<T> {
    return askBroker(() => ask(connectTo(this.#access, connection)))
  }
}

const isGood = <T>(kept: Kept<T> | undefined, now: number): kept is Kept<T> =>
  kept !== undefined && now < kept.until

function keep<T>(all: Map<string, Kept<T>>, key: string, kept: Kept<T>): void {
  all.delete(key)
  all.set(key, kept)
  // The next caller asks anew; the error itself is for those who wait for this answer.
  kept.answer.catch(() => {
    if (all.get(key) === kept) all.delete(key)
  })
  for (const oldest of all.keys()) {
    if (all.size <= MAX_ANSWERS_KEPT) break
    all.delete(oldest)
  }
}
