import assert from 'node:assert/strict'
import { clientOrderIdFor } from '#domain/order/order.ts'
import fc from 'fast-check'
import { pino } from 'pino'
import type { Broker, OrderChange, Quote } from '#brokers/port.ts'
import { withNews } from '#brokers/upstream.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { TrackedProtection } from '#db/exit/protections.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import { restingOrder, type CrossedLevel, type Protection } from '#domain/exit/protection.ts'
import { cases } from '#test/support/generators.ts'
import { WatchedPosition } from '#worker/feed/watched-position.ts'

const NOTHING: Protection = { stop: null, target: null, trail: null, breakEven: null, until: 'closed' }
const PLANS: Protection[] = [
  { ...NOTHING, stop: { percent: '2' } },
  { ...NOTHING, stop: { percent: '5' }, trail: { percent: '1' } },
  { ...NOTHING, stop: { amount: '3' }, trail: { amount: '2' }, breakEven: { percent: '1' } },
]
const FILLED = Date.parse('2026-03-02T15:00:00.000Z')
const FRESH_MS = 30_000
const TICK = 1
/** Seconds in which a level that is really passed is told, once prices say so each second. */
const TOLD_WITHIN = 5

/** What a feed says, in cents away from the fill; `ago`: seconds by which it is dated back. */
interface Word {
  wait: number
  kind: 'market' | 'wide' | 'crossed' | 'trade' | 'oddPrint' | 'silence' | 'otherFeed'
  step: number
  width: number
  ago: number
}
const aWord: fc.Arbitrary<Word> = fc.record({
  wait: fc.integer({ min: 1, max: 9 }),
  kind: fc.constantFrom('market', 'market', 'wide', 'crossed', 'trade', 'oddPrint', 'silence', 'otherFeed'),
  step: fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -400, max: 400 })),
  width: fc.integer({ min: 1, max: 1_500 }),
  ago: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 90 })),
})

/** A quote or trade as it was told, in cents, whatever became of it. */
interface Notified {
  at: number
  feed: string
  bid?: number
  ask?: number
  last?: number
}

class Play {
  now = FILLED + 1_000
  readonly crossed: CrossedLevel[] = []
  readonly asked: { stop: number; isBeyondMarket: boolean }[] = []
  readonly told: Notified[] = []
  readonly #up: 1 | -1
  readonly #tracked: TrackedProtection
  readonly #position: WatchedPosition
  #known: Quote | undefined
  #noted: CrossedLevel | null = null

  constructor(plan: Protection, side: 'LONG' | 'SHORT', isAtBroker: boolean) {
    this.#up = side === 'LONG' ? 1 : -1
    const position = { side, average: '100', fees: '0' } as const
    const abilities = { oco: false, trailing: false }
    const resting = isAtBroker ? restingOrder(plan, position, '100', { quantity: '10', abilities }) : null
    this.#tracked = {
      signalId: 'signal',
      userId: 'user',
      accountId: 'account',
      symbol: 'THIN',
      protection: plan,
      position,
      filledAt: new Date(FILLED).toISOString(),
      best: '100',
      price: null,
      resting,
      noted: resting,
      kept: resting,
      crossed: null,
      quantity: '10',
      entryWorks: !isAtBroker,
      revision: 0,
      restingRevision: 0,
      exit: resting && {
        orderId: 'order',
        clientOrderId: clientOrderIdFor('7f1b2c34-0000-4000-8000-000000000009', 'plan', 1),
        brokerOrderId: 'broker-order',
        purpose: 'plan',
        open: '10',
        moves: 0,
        limitPrice: null,
        stopPrice: resting.stopPrice,
        stopLimitPrice: null,
        orderType: 'stop',
        timeInForce: 'gtc',
      },
    }
    const broker: Pick<Broker, 'changeOrder' | 'getOrder'> = {
      changeOrder: async (_, { stopPrice }: OrderChange) => {
        const stop = this.#cents(stopPrice!)
        this.asked.push({ stop, isBeyondMarket: this.#isBeyondMarket(stop) })
        const { exit, resting: lies } = this.#tracked
        const moved = { ...lies!, stopPrice: stopPrice! }
        Object.assign(this.#tracked, {
          resting: moved,
          noted: moved,
          kept: moved,
          exit: { ...exit, stopPrice },
        })
        return 'requested'
      },
      getOrder: async () => null,
    }
    const em = {
      execute: async (sql: string, parameters: unknown[]) => {
        if (sql.includes('set crossed = ?')) this.#noted = JSON.parse(parameters[0] as string) as CrossedLevel
        return sql.includes('from protections p join') ? [this.#row] : sql.startsWith('select') ? [] : [{}]
      },
    } as unknown as EntityManager
    const announcer = {
      exitNews: async () => {
        if (this.#noted) this.crossed.push(this.#noted)
      },
    }
    const log = pino({ level: 'silent' })
    const deps = { em, broker, announcer, abilities, now: () => this.now, log }
    this.#position = new WatchedPosition(deps, this.#tracked)
  }

  /** As the ledger tells it. */
  get #row(): object {
    const { exit, ...row } = this.#tracked
    return { ...row, exit: exit && { ...exit, ids: 1 } }
  }

  /** Above the fill in profit, for both sides. */
  #cents(price: Decimal): number {
    return Math.round((Number(price) - 100) * 100) * this.#up
  }
  #price(cents: number): Decimal {
    return decimal((10_000 + cents * this.#up) / 100)
  }

  /** `bid` and `ask`: of the near and the far side. */
  async say(news: { near: number; far: number } | { last: number } | null, at: number, feed = 'sip') {
    if (news !== null) {
      const iso = new Date(at).toISOString()
      const empty = { bid: null, ask: null, last: null, at: null, quotedAt: null }
      const before = this.#known?.feed === feed ? this.#known : empty
      const sides =
        'last' in news
          ? { last: this.#price(news.last), at: iso }
          : {
              [this.#up === 1 ? 'bid' : 'ask']: this.#price(news.near),
              [this.#up === 1 ? 'ask' : 'bid']: this.#price(news.far),
              quotedAt: iso,
            }
      const quote: Quote = { previousClose: null, ...before, symbol: 'THIN', feed, ...sides }
      this.#known = withNews(this.#known, quote)
      this.told.push(
        'last' in news ? { at, feed, last: news.last } : { at, feed, bid: news.near, ask: news.far },
      )
    }
    await this.listen()
  }

  async listen(): Promise<void> {
    if (this.#known) this.#position.hear(this.#known, FILLED - 1_800_000)
    await this.#position.work()
    await this.#position.moveOn()
  }

  get best(): number {
    const [seen] = this.#position.takeSeen()
    return seen ? this.#cents(seen.best) : 0
  }

  #recent(): Notified[] {
    return this.told.filter(({ at }) => at >= FILLED && at <= this.now)
  }

  /** By the newest quote since the feed was another one. */
  #isBeyondMarket(stop: number): boolean {
    const { feed } = this.#known!
    const since = this.told.findLastIndex((one) => one.feed !== feed) + 1
    const quotes = this.#recent().filter((one) => one.bid !== undefined && this.told.indexOf(one) >= since)
    const newest = quotes.reduce<Notified | null>(
      (last, one) => (last && last.at > one.at ? last : one),
      null,
    )
    return newest !== null && newest.bid! - stop >= TICK
  }

  /** What the market must have said, by a look of its own at all that was told. */
  assertSupported({ level, at }: CrossedLevel): void {
    const stop = this.#cents(at)
    assert.equal(level, 'stop')
    const young = this.#recent().filter((one) => one.at >= this.now - 2 * FRESH_MS)
    const byQuote = young.some(
      ({ bid, ask }) =>
        bid !== undefined && bid <= ask! && bid <= stop && (ask! <= stop || ask! - bid <= 110),
    )
    const trades = young.filter(({ last }) => last !== undefined && last <= stop)
    const byTrades = trades.some((one) => trades.some((other) => other.at - one.at >= 3_000))
    assert.ok(byQuote || byTrades, `sold at ${stop}, told ${JSON.stringify(young)}`)
  }

  assertBestSupported(): void {
    const { best } = this
    if (best <= 0) return
    const quotes = this.#recent().filter(
      ({ bid, ask, feed }) => feed === 'sip' && bid !== undefined && ask! - bid <= 110,
    )
    const isTraded = this.#recent().some(({ last }) => last === best)
    const isQuoted = quotes.some(({ bid, ask }) => bid! <= best && best <= ask!)
    assert.ok(isTraded && isQuoted, `best ${best}, told ${JSON.stringify(this.#recent())}`)
  }
}

describe('exits over thin books', () => {
  const aPlay = fc.record({
    plan: fc.constantFrom(...PLANS),
    side: fc.constantFrom('LONG', 'SHORT'),
    isAtBroker: fc.boolean(),
    words: fc.array(aWord, { minLength: 5, maxLength: 30 }),
    fall: fc.constantFrom('quotes', 'trades'),
  })

  it('exits over thin books ask for no stop on the wrong side, sell at nothing that is not supported, and learn of a real fall in time', async () => {
    let [moves, early] = [0, 0]
    await fc.assert(
      fc.asyncProperty(aPlay, async ({ plan, side, isAtBroker, words, fall }) => {
        const play = new Play(plan, side, isAtBroker)
        let market = 0
        for (const { wait, kind, step, width, ago } of words) {
          play.now += wait * 1_000
          market = Math.max(-900, market + step)
          const at = play.now - ago * 1_000
          const half = Math.ceil(width / 2)
          if (kind === 'market') {
            await play.say({ near: market - 2, far: market + 2 }, at)
            await play.say({ last: market }, at)
          } else if (kind === 'wide') await play.say({ near: market - half, far: market + half }, at)
          else if (kind === 'crossed') await play.say({ near: market + 3, far: market - 3 }, at)
          else if (kind === 'trade') await play.say({ last: market }, at)
          else if (kind === 'oddPrint') await play.say({ last: market + step * 3 }, at)
          else if (kind === 'otherFeed')
            await play.say({ near: market - half, far: market + half }, at, 'iex')
          else await play.listen()
          play.assertBestSupported()
          if (play.crossed.length > 0) break
        }
        moves += play.asked.length
        assert.deepEqual(
          play.asked.filter(({ isBeyondMarket }) => !isBeyondMarket),
          [],
        )
        early += play.crossed.length
        // A stop at the broker that lies where it belongs is the broker's.
        const seconds = isAtBroker ? 0 : TOLD_WITHIN
        for (let second = 0; second < seconds && play.crossed.length === 0; second++) {
          play.now += 1_000
          const price = -1_000 - second * 200
          if (fall === 'quotes') await play.say({ near: price - 2, far: price + 2 }, play.now)
          else await play.say({ last: price }, play.now)
        }
        assert.ok(isAtBroker || play.crossed.length > 0, 'nobody was told')
        for (const level of play.crossed.slice(0, 1)) play.assertSupported(level)
      }),
      { numRuns: cases(3_000) },
    )
    assert.ok(moves > 100 && early > 100, `${moves} moves, ${early} levels in ordinary trading`)
  })
})
