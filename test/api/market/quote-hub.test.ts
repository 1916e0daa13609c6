import assert from 'node:assert/strict'
import { MarketData, QuoteHub } from '#api/market/market-data.ts'
import type { LiveQuote } from '#brokers/upstream.ts'
import { QuoteOutlet } from '#api/events/live-quotes.ts'
import { BrokerOutcomeUnknown, type Broker, type Quote, type QuoteStreamHandlers } from '#brokers/port.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import { eventually } from '../../support/eventually.ts'
import { secretKeys } from '../../support/secret-keys.ts'

const quoteOf = (symbol: string, last: Decimal = '100'): Quote => ({
  symbol,
  bid: last,
  ask: last,
  last,
  at: '2026-03-02T15:00:00.000Z',
  quotedAt: '2026-03-02T15:00:00.000Z',
  previousClose: '96',
})
const connection = {
  accountId: 'account',
  userId: 'user',
  brokerId: 'broker',
  brokerType: 'paper',
  baseUrl: 'http://127.0.0.1:1',
  isActive: true,
  sealedCredentials: sealCredentials(secretKeys, { brokerId: 'broker', userId: 'user' }, {}),
}

describe('live prices', () => {
  /** Symbols of each question. */
  let asked: string[][]
  /** The streams that were opened, with the symbols that each is to tell of. */
  let streams: { handlers: QuoteStreamHandlers; signal: AbortSignal; symbols: string[]; cut: () => void }[]
  const times = { askEvery: 40, compareEvery: 10_000, reconnectAfter: 10 }
  beforeEach(() => {
    asked = []
    streams = []
  })

  const hubOn = (streams: boolean) => {
    const broker: Partial<Broker> = {
      async getQuotes(symbols) {
        asked.push([...symbols])
        return symbols.map((symbol) => quoteOf(symbol))
      },
      ...(streams && { streamQuotes }),
    }
    return new QuoteHub({ connectBroker: () => broker as Broker, secretKeys, brokerTimeout: 1_000 }, times)
  }
  const streamQuotes = (handlers: QuoteStreamHandlers, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const stream = {
        handlers,
        signal,
        symbols: [] as string[],
        cut: () => reject(new BrokerOutcomeUnknown('cut')),
      }
      streams.push(stream)
      signal.addEventListener('abort', () => resolve())
      handlers.onReady((symbols) => {
        stream.symbols = [...symbols]
        handlers.onFollowing(symbols)
      })
    })
  const follower = (hub: QuoteHub, ...symbols: string[]) => {
    const told: LiveQuote[] = []
    const following = hub.follow(connection, symbols, (changed) => told.push(...changed))
    const last = (symbol: string) => told.findLast(({ quote }) => quote.symbol === symbol)?.quote.last
    return { told, last, ...following }
  }

  it('live prices come by one stream for all who follow, and end with the last of them', async () => {
    const hub = hubOn(true)
    const [one, two] = [follower(hub, 'AAPL'), follower(hub, 'AAPL', 'MSFT')]
    await eventually(() => assert.deepEqual([one.last('AAPL'), two.last('MSFT')], ['100', '100']))
    assert.equal(streams.length, 1)
    streams[0]!.handlers.onPrice({ symbol: 'AAPL', last: '101', at: '2026-03-02T15:00:01.000Z' })
    assert.deepEqual([one.last('AAPL'), two.last('AAPL'), one.last('MSFT')], ['101', '101', undefined])
    assert.equal(one.told.at(-1)!.isStreamed, true)
    one.end()
    assert.deepEqual(streams[0]!.symbols.toSorted(), ['AAPL', 'MSFT'])
    two.end()
    assert.equal(streams[0]!.signal.aborted, true)
    const three = follower(hub, 'AAPL')
    await eventually(() => assert.equal(streams.length, 2))
    three.end()
  })

  it('live prices are asked for in one request for all symbols where nothing is streamed, and say their age', async () => {
    const hub = hubOn(false)
    const one = follower(hub, 'AAPL', 'MSFT')
    await eventually(() => assert.ok(asked.length >= 3))
    assert.deepEqual(asked[0], ['AAPL', 'MSFT'])
    assert.equal(one.told.at(-1)!.isStreamed, false)
    one.end()
    const before = asked.length
    await new Promise((resolve) => setTimeout(resolve, times.askEvery * 3))
    assert.equal(asked.length, before)
  })

  for (const [words, stream] of [
    ['that are asked for', {}],
    ['whose stream is silent', { streamQuotes }],
  ] as const)
    it(`live prices ${words} are no answer to a question for prices of now, once they have not changed for a second`, async () => {
      let asked = 0
      const getQuotes: Broker['getQuotes'] = async (symbols) => {
        asked += 1
        return symbols.map((symbol) => ({ ...quoteOf(symbol), at: new Date().toISOString() }))
      }
      const connectBroker = () => ({ getQuotes, ...stream }) as Partial<Broker> as Broker
      let later = 0
      const market = new MarketData(
        { connectBroker, secretKeys, brokerTimeout: 1_000 },
        () => Date.now() + later,
      )
      let isReported = false
      const following = market.hub.follow(connection, ['AAPL'], () => (isReported = true))
      await eventually(() => assert.ok(isReported))
      await market.told(connection, ['AAPL'])
      assert.equal(asked, 1)
      later = 1_000
      await market.told(connection, ['AAPL'])
      assert.equal(asked, 2)
      following.end()
    })

  it('a stream of prices that breaks is opened again, and the prices are asked for meanwhile', async () => {
    const hub = hubOn(true)
    const one = follower(hub, 'AAPL')
    await eventually(() => assert.equal(one.last('AAPL'), '100'))
    streams[0]!.cut()
    await eventually(() => assert.deepEqual(streams[1]?.symbols, ['AAPL']))
    streams[1]!.handlers.onPrice({ symbol: 'AAPL', last: '102', at: '2026-03-02T15:00:02.000Z' })
    assert.equal(one.last('AAPL'), '102')
    one.end()
  })

  it('a client that does not read is owed the newest price of each symbol, and nothing else', async () => {
    const sent: string[][] = []
    let isReading = false
    const outlet = new QuoteOutlet((quotes) => {
      if (isReading) sent.push(quotes.map(({ symbol, last }) => `${symbol} ${last}`))
      return isReading
    })
    const offer = (symbol: string, last: Decimal) =>
      outlet.offer([{ quote: quoteOf(symbol, last), asOf: Date.now(), isStreamed: true }])
    for (let price = 1; price <= 1_000; price++) offer('AAPL', decimal(price))
    offer('MSFT', '7')
    isReading = true
    await eventually(() => assert.deepEqual(sent, [['AAPL 1000', 'MSFT 7']]))
    outlet.stop()
  })
})
