import type { BarQuery, Bars, Quote } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import type { AccountConnection } from '#db/accounts/sync.ts'
import { ageOf } from '#domain/acting-price.ts'
import { CALENDAR_REACH_DAYS, type TradingSession } from '#domain/session.ts'
import { addDays } from '#domain/wall-time.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'
import { KeptAnswers } from '../brokers/kept-answers.ts'
import { QuoteHub } from './quote-hub.ts'

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
