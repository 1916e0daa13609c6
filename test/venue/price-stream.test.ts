import assert from 'node:assert/strict'
import { connectBroker } from '#brokers/registry.ts'
import { BrokerCredentialsError, type PriceNews } from '#brokers/port.ts'
import { eventually } from '#test/support/eventually.ts'
import { venueForSuite } from './venue-client.ts'

describe('the price stream of the venue, by the adapter', () => {
  const venue = venueForSuite()
  const stop = new AbortController()
  after(() => stop.abort())
  const brokerWith = (secretKey: string) =>
    connectBroker({
      brokerType: 'paper',
      baseUrl: venue.client.url,
      credentials: { keyId: 'PAPER-DEMO-KEY', secretKey },
    })

  it('reports trades and quotes of the symbols that are followed, as they change, and of no others', async () => {
    await venue.client.pin('ZTPRCA', '12.5')
    await venue.client.pin('ZTPRCB', '7')
    const news: PriceNews[] = []
    let following: readonly string[] = []
    let follow: (symbols: readonly string[]) => void = () => {}
    const ended = brokerWith('paper-demo-secret').streamQuotes!(
      {
        onReady: (given) => {
          follow = given
          follow(['ZTPRCA'])
        },
        onFollowing: (symbols) => {
          following = symbols
        },
        onPrice: (one) => news.push(one),
      },
      stop.signal,
    )
    const pricesOf = (symbol: string) =>
      news.flatMap((one) => (one.symbol === symbol && 'last' in one ? [one.last] : []))
    await eventually(() => assert.deepEqual(pricesOf('ZTPRCA'), ['12.5']))
    await venue.client.pin('ZTPRCA', '12.75')
    await eventually(() => assert.deepEqual(pricesOf('ZTPRCA'), ['12.5', '12.75']))
    assert.ok(news.some((one) => 'bid' in one && one.bid === '12.75' && one.ask === '12.75'))
    follow(['ZTPRCB'])
    await eventually(() => assert.deepEqual([following, pricesOf('ZTPRCB')], [['ZTPRCB'], ['7']]))
    stop.abort()
    await ended
  })

  it('the price stream of the venue does not send prices to wrong keys', async () => {
    const handlers = { onReady() {}, onFollowing() {}, onPrice() {} }
    await assert.rejects(
      brokerWith('wrong').streamQuotes!(handlers, new AbortController().signal),
      BrokerCredentialsError,
    )
  })
})
