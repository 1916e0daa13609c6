import assert from 'node:assert/strict'
import type { Broker, PriceNews, Quote, QuoteStreamHandlers } from '#brokers/port.ts'
import { Upstream, type LiveQuote } from '#brokers/upstream.ts'
import { ageOf } from '#domain/exit/acting-price.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { eventually } from '#test/support/eventually.ts'

describe('the prices of a connection', () => {
  const times = { askEvery: 60, compareEvery: 60_000, reconnectAfter: 10 }
  let upstream: Upstream
  let handlers: QuoteStreamHandlers
  let asked: number[]
  /** What snapshots tell. */
  let snapshot: Partial<Quote>
  let told: LiveQuote[]
  const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString()
  const begin = () => {
    const broker: Partial<Broker> = {
      async getQuotes(symbols) {
        asked.push(Date.now())
        const none = { bid: null, ask: null, last: null, at: null, quotedAt: null, previousClose: null }
        return symbols.map((symbol) => ({ ...none, ...snapshot, symbol }))
      },
      streamQuotes: (given, signal) => {
        handlers = given
        given.onReady((symbols) => given.onFollowing(symbols))
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      },
    }
    upstream = new Upstream(broker as Broker, times)
    const follower = upstream.join(['AAPL'], (changed) => told.push(...changed))
    stop = () => void upstream.leave(follower)
  }
  let stop: () => void
  beforeEach(() => {
    asked = []
    told = []
    snapshot = { bid: '99.9', ask: '100.1', last: '100', at: ago(0), quotedAt: ago(0), feed: 'sip' }
  })
  afterEach(() => stop())

  const hear = (last: Decimal, feed = 'sip') =>
    handlers.onPrice({ symbol: 'AAPL', feed, last, at: ago(0) } satisfies PriceNews)
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

  it('the prices of a connection whose stream is silent are asked for as those that are not streamed, and are as old as their last change', async () => {
    snapshot = { ...snapshot, at: ago(40_000), quotedAt: ago(40_000) }
    begin()
    await eventually(() => assert.ok(asked.length >= 4))
    const known = upstream.known('AAPL')!
    assert.equal(known.isStreamed, false)
    assert.ok(ageOf(known.quote, Date.now()) >= 40_000, 'told again is not changed')
    snapshot.last = '106'
    snapshot.at = ago(0)
    await eventually(() => assert.equal(told.at(-1)!.quote.last, '106'))
  })

  it('the prices of a connection are asked for rarely while words of their symbol come by the stream', async () => {
    begin()
    await eventually(() => assert.ok(told.length > 0))
    for (let word = 0; word < 10; word++) {
      hear('101')
      await pause(times.askEvery / 3)
    }
    assert.ok(asked.length <= 3, `asked ${asked.length} times`)
    assert.equal(upstream.known('AAPL')!.isStreamed, true)
  })

  it('the prices of a connection are of one feed: a stream of another one is ignored, and a symbol without a stream is asked for', async () => {
    snapshot = { ...snapshot, bid: '99.99', ask: '100.01' }
    begin()
    await eventually(() => assert.ok(told.length > 0))
    const before = asked.length
    for (let word = 0; word < 8; word++) {
      hear('103.5', 'iex')
      await pause(times.askEvery / 3)
    }
    assert.ok(told.every(({ quote }) => quote.last === '100'))
    assert.ok(asked.length > before)
    snapshot = { bid: '96', ask: '108', quotedAt: ago(5_000), last: '103.5', at: ago(5_000), feed: 'iex' }
    await eventually(() => {
      const { bid, last } = upstream.known('AAPL')!.quote
      assert.deepEqual([bid, last], ['96', '103.5'], 'both, although they are older')
    })
  })
})
