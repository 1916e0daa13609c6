import type { AccountConnection } from '#db/account/sync.ts'
import { connectTo, type BrokerAccess, askBroker, KeptAnswers } from '../broker/asked.ts'
import { Upstream, type LiveQuote, type QuoteListener, type UpstreamTimes } from '#brokers/upstream.ts'
import type { BarQuery, Bars, Quote } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import { ageOf } from '#domain/exit/acting-price.ts'
import { CALENDAR_REACH_DAYS, type TradingSession } from '#domain/time/session.ts'
import { addDays } from '#domain/time/wall-time.ts'

export interface Following {
  /** False where the connection has got other keys since: follow it anew. */
  isOf(connection: AccountConnection): boolean
  change(symbols: readonly string[]): void
  end(): void
}

/** One upstream for each connection that somebody follows, from the first follower to the last one. */
export class QuoteHub {
  readonly #access: BrokerAccess
  readonly #times: Partial<UpstreamTimes>
  readonly #upstreams = new Map<string, Upstream>()

  /** Every request of `access` counts as one beside trading. */
  constructor(access: BrokerAccess, times: Partial<UpstreamTimes> = {}) {
    this.#access = access
    this.#times = times
  }

  follow(connection: AccountConnection, symbols: readonly string[], listener: QuoteListener): Following {
    const { brokerId, sealedCredentials } = connection
    const key = `${brokerId} ${sealedCredentials}`
    const upstream =
      this.#upstreams.get(key) ?? new Upstream(connectTo(this.#access, connection), this.#times)
    this.#upstreams.set(key, upstream)
    const follower = upstream.join(symbols, listener)
    return {
      isOf: (other) => other.brokerId === brokerId && other.sealedCredentials === sealedCredentials,
      change: (changed) => upstream.change(follower, changed),
      end: () => {
        if (upstream.leave(follower) === 0) this.#upstreams.delete(key)
      },
    }
  }

  /** Of this moment, or at most as old as prices that are asked for; null without one. */
  known({ brokerId, sealedCredentials }: AccountConnection, symbol: string): LiveQuote | null {
    return this.#upstreams.get(`${brokerId} ${sealedCredentials}`)?.known(symbol) ?? null
  }
}

/** Milliseconds for which an answer of the broker is good for everybody who asks the same. */
const QUOTE_LIFE = 1_000
const BARS_LIFE = 15_000
const SESSIONS_LIFE = 3_600_000
const SESSION_DAYS_BACK = 7

export interface QuotesNow {
  quotes: Quote[]
  asOf: Date
}

/** Of every connection a symbol is asked for at most once a second; all symbols that are due go into one request. */
export class MarketData {
  readonly hub: QuoteHub
  readonly #access: BrokerAccess
  readonly #now: () => number
  readonly #quotes: KeptAnswers
  readonly #bars: KeptAnswers
  readonly #sessions: KeptAnswers

  /** Every request of `access` counts as one beside trading. */
  constructor(access: BrokerAccess, now: () => number = Date.now) {
    this.hub = new QuoteHub(access)
    this.#access = access
    this.#now = now
    this.#quotes = new KeptAnswers({ life: QUOTE_LIFE, now })
    this.#bars = new KeptAnswers({ life: BARS_LIFE, now })
    this.#sessions = new KeptAnswers({ life: SESSIONS_LIFE, now })
  }

  /** Unknown symbols are absent. Throws {@link ApiError} BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT, BROKER_ERROR. */
  quotes(connection: AccountConnection, symbols: readonly string[]): Promise<QuotesNow> {
    return askBroker(() => this.told(connection, symbols))
  }

  /** As {@link MarketData.quotes}, and throws as the broker does. */
  async told(connection: AccountConnection, symbols: readonly string[]): Promise<QuotesNow> {
    const keyOf = (symbol: string) => `${connection.brokerId} ${symbol}`
    type Answer = Promise<{ quote: Quote | null; at: number }>
    const answers = new Map<string, Answer>()
    for (const symbol of symbols) {
      const known = this.hub.known(connection, symbol)
      const isGood = known !== null && ageOf(known.quote, this.#now()) < QUOTE_LIFE
      const kept: Answer | undefined = isGood
        ? Promise.resolve({ quote: known.quote, at: known.asOf })
        : this.#quotes.find(keyOf(symbol))
      if (kept) answers.set(symbol, kept)
    }
    const due = symbols.filter((symbol) => !answers.has(symbol))
    if (due.length > 0) {
      const at = this.#now()
      const asked = connectTo(this.#access, connection).getQuotes(due)
      for (const symbol of due) {
        const answer: Answer = asked.then((quotes) => ({
          quote: quotes.find((quote) => quote.symbol === symbol) ?? null,
          at,
        }))
        this.#quotes.keep(keyOf(symbol), answer)
        answers.set(symbol, answer)
      }
    }
    const all = await Promise.all(answers.values())
    return {
      quotes: all.flatMap(({ quote }) => quote ?? []),
      asOf: new Date(Math.min(...all.map(({ at }) => at))),
    }
  }

  bars(connection: AccountConnection, query: BarQuery): Promise<Bars> {
    return this.#bars.ask(`${connection.brokerId} ${JSON.stringify(query)}`, () =>
      askBroker(() => connectTo(this.#access, connection).listBars(query)),
    )
  }

  /** Local dates, both included. Throws as {@link readSessions}. */
  async sessions(connection: AccountConnection, from: string, to: string): Promise<TradingSession[]> {
    // The same days for everybody, of which each takes those that it wants.
    const today = new Date(this.#now()).toISOString().slice(0, 10)
    const first = [addDays(today, -SESSION_DAYS_BACK), from].toSorted()[0]!
    const last = [addDays(today, CALENDAR_REACH_DAYS), to].toSorted()[1]!
    const after = new Date(this.#now()).toISOString()
    const sessions = await this.#sessions.ask(`${connection.brokerId} ${first} ${last}`, () =>
      readSessions(connectTo(this.#access, connection), { from: first, to: last, after }),
    )
    return sessions.filter(({ date }) => date >= from && date <= to)
  }
}
