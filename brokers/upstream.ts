import { setTimeout as pause } from 'node:timers/promises'
import { BrokerBusy, BrokerCredentialsError, BrokerPricesUnavailable } from './port.ts'
import type { Broker, PriceNews, Quote } from './port.ts'

interface Known {
  quote: Quote
  asOf: number
}

export interface LiveQuote extends Known {
  isStreamed: boolean
}
export type QuoteListener = (changed: readonly LiveQuote[]) => void

export interface UpstreamTimes {
  askEvery: number
  /** While the stream reports a symbol, without its previous close. */
  compareEvery: number
  /** Each failure in a row doubles it. */
  reconnectAfter: number
}
const TIMES: UpstreamTimes = { askEvery: 5_000, compareEvery: 60_000, reconnectAfter: 1_000 }
const MAX_UPSTREAM_PAUSE_MS = 60_000
const REFUSED_PAUSE_MS = 300_000
/** Milliseconds beyond the pace of questions after which a price is too old. */
const LATE_MS = 1_000
/** Symbols of one request, and of one connection. */
export const MOST_FOLLOWED = 100

export interface Follower {
  symbols: readonly string[]
  readonly listener: QuoteListener
}

/** Prices of one connection: streamed where possible, else asked for in one request. */
export class Upstream {
  readonly #broker: Broker
  readonly #times: UpstreamTimes
  readonly #followers = new Set<Follower>()
  readonly #latest = new Map<string, Known>()
  readonly #heardAt = new Map<string, number>()
  readonly #askedAt = new Map<string, number>()
  #streamed: ReadonlySet<string> = new Set()
  #reportStream: ((symbols: readonly string[]) => void) | null = null
  /** Aborted when other symbols are wanted, or fewer are streamed. */
  #changed = new AbortController()
  readonly #end = new AbortController()

  constructor(broker: Broker, times: Partial<UpstreamTimes> = {}) {
    this.#broker = broker
    this.#times = { ...TIMES, ...times }
  }

  join(symbols: readonly string[], listener: QuoteListener): Follower {
    const follower = { symbols: [], listener }
    this.#followers.add(follower)
    this.change(follower, symbols)
    if (this.#followers.size === 1) {
      void this.#ask()
      if (this.#broker.streamQuotes) void this.#stream()
    }
    return follower
  }

  change(follower: Follower, symbols: readonly string[]): void {
    const added = symbols.filter((symbol) => !follower.symbols.includes(symbol))
    follower.symbols = symbols
    const wanted = this.#symbols()
    for (const symbol of this.#latest.keys()) if (!wanted.includes(symbol)) this.#latest.delete(symbol)
    this.#reportStream?.(wanted)
    const known = added.flatMap((symbol) => this.known(symbol) ?? [])
    if (known.length > 0) follower.listener(known)
    this.#changed.abort()
  }

  /** Returns the number of followers left; after the last no follower may join again. */
  leave(follower: Follower): number {
    this.#followers.delete(follower)
    if (this.#followers.size === 0) this.#end.abort()
    this.#changed.abort()
    return this.#followers.size
  }

  known(symbol: string): LiveQuote | null {
    const known = this.#latest.get(symbol)
    const isGood = known && Date.now() - known.asOf <= this.#times.askEvery + LATE_MS
    return isGood ? { ...known, isStreamed: this.#isStreamed(symbol) } : null
  }

  /** A silent stream says nothing of a symbol, like a broken one. */
  #isStreamed(symbol: string): boolean {
    return this.#streamed.has(symbol) && Date.now() < this.#silentAt(symbol)
  }

  #silentAt(symbol: string): number {
    return (this.#heardAt.get(symbol) ?? 0) + this.#times.askEvery
  }

  /** Each follower's first symbol comes first. */
  #symbols(): string[] {
    const lists = [...this.#followers].map(({ symbols }) => symbols)
    const ranked = Array.from({ length: MOST_FOLLOWED }, (_, rank) =>
      lists.flatMap((list) => list[rank] ?? []),
    )
    return [...new Set(ranked.flat())].slice(0, MOST_FOLLOWED)
  }

  get #hasEnded(): boolean {
    return this.#end.signal.aborted
  }

  async #ask(): Promise<void> {
    while (!this.#hasEnded) {
      // Symbols that are due soon join.
      const due = this.#symbols().some((symbol) => this.#isDue(symbol, 1))
        ? this.#symbols().filter((symbol) => this.#isDue(symbol, 0.5))
        : []
      let wait = 0
      if (due.length > 0)
        try {
          const asOf = Date.now()
          this.#takeOver(await this.#broker.getQuotes(due), due, asOf)
        } catch (error) {
          wait = waitAfter(error, this.#times.askEvery)
        }
      if (this.#hasEnded) return
      if (wait > 0) await pause(wait, undefined, { signal: this.#end.signal }).catch(() => {})
      else await this.#nextQuestion()
    }
  }

  async #nextQuestion(): Promise<void> {
    const { signal } = this.#changed
    await pause(this.#untilNext(), undefined, { signal }).catch(() => {})
    if (signal.aborted) this.#changed = new AbortController()
  }

  /** @param part of the time between two questions */
  #isDue(symbol: string, part: number): boolean {
    return Date.now() - (this.#askedAt.get(symbol) ?? 0) >= this.#paceOf(symbol) * part
  }

  #paceOf(symbol: string): number {
    return this.#isStreamed(symbol) ? this.#times.compareEvery : this.#times.askEvery
  }

  #untilNext(): number {
    const times = this.#symbols().map((symbol) => {
      const dueAt = (this.#askedAt.get(symbol) ?? 0) + this.#paceOf(symbol)
      return (this.#isStreamed(symbol) ? Math.min(dueAt, this.#silentAt(symbol)) : dueAt) - Date.now()
    })
    return Math.max(1, Math.min(this.#times.compareEvery, ...times))
  }

  #takeOver(told: readonly Quote[], asked: readonly string[], asOf: number): void {
    for (const symbol of asked) this.#askedAt.set(symbol, asOf)
    const wanted = this.#symbols()
    for (const times of [this.#askedAt, this.#heardAt])
      for (const symbol of times.keys()) if (!wanted.includes(symbol)) times.delete(symbol)
    for (const quote of told)
      this.#latest.set(quote.symbol, { quote: withNews(this.#latest.get(quote.symbol)?.quote, quote), asOf })
    this.#publish(told.map(({ symbol }) => symbol))
  }

  async #stream(): Promise<void> {
    let failures = 0
    while (!this.#hasEnded) {
      let wait = 0
      try {
        await this.#broker.streamQuotes!(
          {
            onReady: (follow) => {
              failures = 0
              this.#reportStream = follow
              follow(this.#symbols())
            },
            onFollowing: (symbols) => {
              this.#streamed = new Set(symbols)
            },
            onPrice: (news) => this.#hear(news),
          },
          this.#end.signal,
        )
      } catch (error) {
        wait = isRefusal(error) ? REFUSED_PAUSE_MS : 0
      }
      this.#reportStream = null
      this.#streamed = new Set()
      this.#changed.abort()
      wait ||= Math.min(this.#times.reconnectAfter * 2 ** failures++, MAX_UPSTREAM_PAUSE_MS)
      await pause(wait, undefined, { signal: this.#end.signal, ref: false }).catch(() => {})
    }
  }

  /** Ignores news of another feed, which has different prices. */
  #hear(news: PriceNews): void {
    const { symbol } = news
    const known = this.#latest.get(symbol)?.quote
    if (!known || known.feed !== news.feed) return
    this.#heardAt.set(symbol, Date.now())
    this.#latest.set(symbol, { quote: withNews(known, { ...known, ...news }), asOf: Date.now() })
    this.#publish([symbol])
  }

  #publish(symbols: readonly string[]): void {
    for (const { symbols: followed, listener } of this.#followers) {
      const changed = symbols.filter((symbol) => followed.includes(symbol))
      if (changed.length > 0) listener(changed.flatMap((symbol) => this.known(symbol) ?? []))
    }
  }
}

/** Trade and quote are each the newest of one feed. */
export function withNews(known: Quote | undefined, news: Quote): Quote {
  if (known === undefined || known.feed !== news.feed) return news
  const { last, at, bid, ask, quotedAt } = known
  return {
    ...news,
    ...((at ?? '') > (news.at ?? '') && { last, at }),
    ...((quotedAt ?? '') > (news.quotedAt ?? '') && { bid, ask, quotedAt }),
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof BrokerCredentialsError || error instanceof BrokerPricesUnavailable

const waitAfter = (error: unknown, ordinary: number): number =>
  isRefusal(error)
    ? REFUSED_PAUSE_MS
    : Math.max(error instanceof BrokerBusy ? error.retryAfterMs : 0, ordinary * 2)
