import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { venueForSuite, type Json } from './venue-client.ts'

describe('the portfolio history of the venue', () => {
  let now = Date.parse('2026-03-02T10:00:00-05:00')
  const venue = venueForSuite({ VENUE_HOURS: 'nyse' }, { now: () => now })
  const history = async (query: string): Promise<Json> =>
    await venue.client.get(`/v2/account/portfolio/history?${query}`)
  const seconds = (local: string) => Date.parse(`${local}:00-05:00`) / 1_000

  it('the portfolio history of the venue is the equity that was noted each minute, with its gain on the day', async () => {
    await venue.client.pin('ZTHIST', '100')
    await venue.client.submitAndAwait({ symbol: 'ZTHIST', qty: '10' })
    /** Goes on to a minute, and lets the venue look at its clock. */
    const at = async (local: string, price: string) => {
      await venue.client.pin('ZTHIST', price)
      now = Date.parse(`${local}:00-05:00`)
      await sleep(350)
    }
    await at('2026-03-02T10:31', '110')
    await at('2026-03-02T15:59', '90')
    await at('2026-03-03T09:31', '105')
    now = Date.parse('2026-03-03T09:45:00-05:00')

    const days = await history('period=1M&timeframe=1D')
    assert.deepEqual(days, {
      timestamp: [seconds('2026-03-02T09:30'), seconds('2026-03-03T09:30')],
      equity: [999_900, 1_000_050],
      profit_loss: [-100, 50],
      profit_loss_pct: [-0.0001, 0.00005],
      base_value: 1_000_000,
      base_value_asof: '2026-02-27',
      timeframe: '1D',
      cashflow: {},
    })
    const hours = await history('period=2D&timeframe=1H')
    assert.deepEqual(
      hours.equity,
      [1_000_000, 1_000_100, 1_000_100, 1_000_100, 1_000_100, 1_000_100, 999_900, 1_000_050],
    )
    assert.equal(hours.profit_loss.at(-1), 150)
    assert.equal((await history('period=2D&timeframe=1H&pnl_reset=no_reset')).profit_loss.at(-1), 50)
  })

  it('the portfolio history of the venue begins with the account, and is bounded', async () => {
    assert.deepEqual((await history('start=2026-02-02&end=2026-02-10')).equity, [])
    for (const query of [
      'period=1A&timeframe=1Min',
      'period=0D',
      'period=1D&start=2026-03-01&end=2026-03-02',
    ])
      assert.equal(
        (await venue.client.call('GET', `/v2/account/portfolio/history?${query}`)).status,
        422,
        query,
      )
  })
})
