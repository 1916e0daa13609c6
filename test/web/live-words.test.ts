import assert from 'node:assert/strict'
import type { Position } from '#client/types.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { atLivePrice, sumsAtLivePrices, withPrices, type LivePrice } from '#web/records/at-prices.ts'
import { marketState } from '#web/words/market.ts'

const priceOf = (last: number, asOf = '2026-03-02T15:00:05.000Z'): LivePrice => ({
  symbol: 'AAPL',
  bid: last,
  ask: last,
  last,
  at: asOf,
  previousClose: 90,
  dayChange: last - 90,
  dayChangePercent: ((last - 90) / 90) * 100,
  asOf,
  isStreamed: true,
})
const pricesAt = (last: number, asOf?: string) =>
  withPrices(new Map(), { accountIds: ['account'], quotes: [priceOf(last, asOf)] })
const positionOf = (side: Position['side']): Position => ({
  id: 'position',
  accountId: 'account',
  symbol: 'AAPL',
  side,
  quantity: 10,
  avgCost: 100,
  currentPrice: 110,
  marketValue: side === 'LONG' ? 1_100 : -1_100,
  unrealisedPnl: side === 'LONG' ? 100 : -100,
  unrealisedPnlPercent: side === 'LONG' ? 10 : -10,
  dayChange: 20,
  dayChangePercent: 22.22,
  lastUpdated: '2026-03-02T15:00:00.000Z',
})

describe('figures at live prices', () => {
  it('a long position gains and a short one loses what the price rises', () => {
    const long = atLivePrice(positionOf('LONG'), pricesAt(112))
    assert.deepEqual(
      [long.currentPrice, long.marketValue, long.unrealisedPnl, long.unrealisedPnlPercent, long.dayChange],
      [112, 1_120, 120, 12, 22],
    )
    const short = atLivePrice(positionOf('SHORT'), pricesAt(112))
    assert.deepEqual([short.marketValue, short.unrealisedPnl], [-1_120, -120])
  })

  it('a price that is older than the position, or another account’s, changes nothing', () => {
    const position = positionOf('LONG')
    assert.equal(atLivePrice(position, pricesAt(112, '2026-03-02T14:59:59.000Z')), position)
    assert.equal(atLivePrice({ ...position, accountId: 'other' }, pricesAt(112)).currentPrice, 110)
  })

  it('the sums of an account move by what its positions gain', () => {
    const sums = { equity: 10_000, marketValue: 1_100, dayPnl: 200, dayPnlPercent: 2.04, unrealisedPnl: 100 }
    assert.deepEqual(sumsAtLivePrices(sums, [positionOf('LONG')], pricesAt(112)), {
      equity: 10_020,
      marketValue: 1_120,
      dayPnl: 220,
      dayPnlPercent: (220 / 9_800) * 100,
      unrealisedPnl: 120,
    })
  })
})

describe('the market in words', () => {
  const sessions = nyseSessions('2026-11-25', '2026-12-04')
  const at = (instant: string) => marketState(sessions, Date.parse(instant))?.words

  it('the market says when it closes, also early, and when it opens again', () => {
    assert.equal(at('2026-11-25T20:59:00.000Z'), 'Market open, closes in 1:00')
    assert.equal(at('2026-11-26T15:00:00.000Z'), 'Market closed, opens in 23:30:00, closes early at 13:00')
    assert.equal(at('2026-11-27T17:00:00.000Z'), 'Market open, closes early, at 13:00, in 1:00:00')
    assert.equal(at('2026-11-28T12:00:00.000Z'), 'Market closed, opens Mon 30 Nov, 09:30')
  })
})
