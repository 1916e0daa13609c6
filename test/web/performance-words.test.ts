import assert from 'node:assert/strict'
import { besides, costWords } from '#web/performance/words.ts'
import { marksOf } from '#web/symbol/marks.ts'
import { closedDays, sortOf } from '#web/trades/search.ts'

describe('the words of performance', () => {
  it('the words of performance say what exits have cost, and count what is not known as unknown', () => {
    const cost = { exitFees: 0.42, slippage: 3.2, compared: 12, trades: 12 }
    assert.deepEqual(costWords(cost), { sum: '$3.62', parts: 'fees $0.42, slippage $3.20 of 12' })
    assert.equal(costWords({ ...cost, trades: 16 }).sum, '$3.62 · 4 unknown')
    assert.deepEqual(costWords({ ...cost, slippage: null, compared: 0 }), {
      sum: '$0.42 · 12 unknown',
      parts: 'fees $0.42, slippage unknown',
    })
  })

  it('the words of performance put the benchmark at the equity of the first day that both have', () => {
    const day = (date: string, equity: number) => ({ date, equity })
    assert.deepEqual(
      besides(
        [day('2026-03-02', 90), day('2026-03-03', 100), day('2026-03-04', 101)],
        [
          { at: '2026-03-03T05:00:00Z', close: 500 },
          { at: '2026-03-04T05:00:00Z', close: 510 },
        ],
      ),
      [
        { date: '2026-03-03', value: 100 },
        { date: '2026-03-04', value: 102 },
      ],
    )
    assert.deepEqual(besides([day('2026-03-02', 90)], []), [])
  })

  it('marks of a chart are one a bar and side, with what the trades brought that they closed', () => {
    const bars = ['10:00', '10:05', '10:10'].map((time) => ({ at: `2026-03-02T${time}:00Z` }))
    const at = (time: string) => `2026-03-02T${time}Z`
    assert.deepEqual(
      marksOf(
        bars,
        [
          { at: at('10:05:01'), isBuy: false, shares: 20 },
          { at: at('10:05:59'), isBuy: false, shares: 100 },
          { at: at('10:05:30'), isBuy: true, shares: 40 },
          { at: at('09:59:59'), isBuy: true, shares: 7 },
          { at: at('23:00:00'), isBuy: true, shares: 1 },
        ],
        [{ at: at('10:05:59'), isBuy: false, amount: 40 }],
      ),
      [
        { bar: 1, isBuy: false, text: '2 sells, 120 shares, +$40.00' },
        { bar: 1, isBuy: true, text: 'buy 40' },
        { bar: 2, isBuy: true, text: 'buy 1' },
      ],
    )
  })

  it('days in which trades were closed are those of the exchange: today, since Monday, since the first, or one', () => {
    assert.deepEqual(closedDays('today', '2026-03-08'), { closedFrom: '2026-03-08' })
    assert.deepEqual(closedDays('week', '2026-03-08'), { closedFrom: '2026-03-02' })
    assert.deepEqual(closedDays('week', '2026-03-09'), { closedFrom: '2026-03-09' })
    assert.deepEqual(closedDays('month', '2026-03-08'), { closedFrom: '2026-03-01' })
    assert.deepEqual(closedDays('2026-02-27', '2026-03-08'), {
      closedFrom: '2026-02-27',
      closedTo: '2026-02-27',
    })
    assert.deepEqual(sortOf(undefined), { sort: 'entryAt', direction: 'desc' })
    assert.deepEqual(sortOf('realisedPnl.asc'), { sort: 'realisedPnl', direction: 'asc' })
  })
})
