import assert from 'node:assert/strict'
import type { Broker } from '#brokers/port.ts'
import { connectAlpaca, json, useScriptedServer, type ScriptedServer } from './scripted-server.ts'

const AT = '2026-03-02T15:00:00Z'
const NOT_SUBSCRIBED = { message: 'subscription does not permit querying recent SIP data' }

describe('Alpaca adapter: the feed of prices', () => {
  let server: ScriptedServer
  useScriptedServer((given) => {
    server = given
  })
  /** The snapshots tell the feed by their trade: sip 100, iex 103.5. */
  const answerWith = (paysForAll: boolean) =>
    server.answerBy(({ path }) => {
      const { pathname, searchParams } = new URL(path, server.url)
      const isSip = searchParams.get('feed') !== 'iex'
      if (pathname.startsWith('/v2/sip') || pathname.startsWith('/v2/iex')) return json(404, {})
      if (isSip && !paysForAll) return json(403, NOT_SUBSCRIBED)
      const latestTrade = { t: AT, p: isSip ? 100 : 103.5 }
      return pathname.endsWith('/snapshots')
        ? json(200, { AAPL: { latestTrade, latestQuote: { t: AT, bp: 99, ap: 101 } } })
        : json(200, { symbol: 'AAPL', trade: latestTrade })
    })
  const read = async (broker: Broker) => {
    const [quote] = await broker.getQuotes(['AAPL'])
    const last = await broker.getLastPrice('AAPL')
    const handlers = { onReady() {}, onFollowing() {}, onPrice() {} }
    await broker.streamQuotes!(handlers, new AbortController().signal).catch(() => {})
    const stream = server.received.findLast(({ headers }) => headers.upgrade !== undefined)
    return { feed: quote!.feed, prices: [quote!.last, last!.price], stream: stream?.path }
  }

  it('the feed of prices is the one of all exchanges for prices and stream, where the keys may use it', async () => {
    answerWith(true)
    const expected = { feed: 'sip', prices: ['100', '100'], stream: '/v2/sip' }
    assert.deepEqual(await read(connectAlpaca(server.url)), expected)
  })

  it('the feed of prices is the one of one exchange for both, where the keys may not; which is asked once for all connections', async () => {
    answerWith(false)
    const expected = { feed: 'iex', prices: ['103.5', '103.5'], stream: '/v2/iex' }
    assert.deepEqual(await read(connectAlpaca(server.url)), expected)
    assert.deepEqual(await read(connectAlpaca(server.url)), expected)
    assert.equal(server.received.filter(({ path }) => path.includes('feed=sip')).length, 1)
  })

  it('the feed of prices is found before the stream begins', async () => {
    answerWith(false)
    const handlers = { onReady() {}, onFollowing() {}, onPrice() {} }
    const ends = connectAlpaca(server.url).streamQuotes!(handlers, new AbortController().signal)
    await assert.rejects(ends)
    assert.equal(server.received.at(-1)!.path, '/v2/iex')
  })

  it('the feed of prices is the smaller one from when the keys may not use the large one any more', async () => {
    answerWith(true)
    const broker = connectAlpaca(server.url)
    assert.equal((await broker.getQuotes(['AAPL']))[0]!.feed, 'sip')
    answerWith(false)
    assert.equal((await read(broker)).feed, 'iex')
  })
})
