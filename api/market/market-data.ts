import type { AccountConnection } from '#db/account/sync.ts'
import { connectTo, type BrokerAccess, askBroker, KeptAnswers } from '../broker/asked.ts'
import { Upstream, type LiveQuote, type QuoteListener, type UpstreamTimes } from '#brokers/upstream.ts'
import type { BarQuery, Bars, Quote } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import { ageOf } from '#domain/exit/acting-price.ts'
import { CALENDAR_REACH_DAYS, type TradingSession } from '#domain/time/session.ts'
import { addDays } from '#domain/time/wall-time.ts'

export interface Following {
  /** False where the keys have changed: follow again. */
  isOf(connection: AccountConnection): boolean
  change(symbols: readonly string[]): void
  end(): void
}

/** A single upstream per followed connection. */
export class QuoteHub {
  readonly #access: BrokerAccess
  readonly #times: Partial<UpstreamTimes>
  readonly #upstreams = new Map<string, Upstream>()

  /** Requests of `access` do not count as trading. */
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

  /** At most as old as polled prices; null without a price. */
  known({ brokerId, sealedCredentials }: AccountConnection, symbol: string): LiveQuote | null {
    return this.#upstreams.get(`${brokerId} ${sealedCredentials}`)?.known(symbol) ?? null
  }
}

/** Milliseconds for which callers share an answer. */
const QUOTE_LIFE = 1_000
const BARS_LIFE = 15_000
const SESSIONS_LIFE = 3_600_000
const SESSION_DAYS_BACK = 7

export interface QuotesNow {
  quotes: Quote[]
  asOf: Date
}

/** Each connection asks for a symbol at most once a second; due symbols share a request. */
export class MarketData {
  readonly hub: QuoteHub
  readonly #access: BrokerAccess
  readonly #now: () => number
  readonly #quotes: KeptAnswers
  readonly #bars: KeptAnswers
  readonly #sessions: KeptAnswers

  /** Requests of `access` do not count as trading. */
  constructor(access: BrokerAccess, now: () => number = Date.now) {
    this.hub = new QuoteHub(access)
    this.#access = access
    this.#now = now
    this.#quotes = new KeptAnswers({ life: QUOTE_LIFE, now })
    this.#bars = new KeptAnswers({ life: BARS_LIFE, now })
    this.#sessions = new KeptAnswers({ life: SESSIONS_LIFE, now })
  }

  /** Unknown symbols are absent. Throws BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT, BROKER_ERROR. */
  quotes(connection: AccountConnection, symbols: readonly string[]): Promise<QuotesNow> {
    return askBroker(() => this.told(connection, symbols))
  }

  /** As {@link MarketData.quotes}, but throws the broker's errors. */
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
    // Callers share a range.
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
