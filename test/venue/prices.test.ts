import assert from 'node:assert/strict'
import fc from 'fast-check'
import { quoteAt } from '#venue/prices.ts'

const NOON = Date.parse('2026-03-02T17:00:00Z')
const symbol = fc.stringMatching(/^[A-Z]{1,5}$/)
const instant = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2035-01-01') })

describe('the price path', () => {
  it('shows the same quote for the same seed, symbol and instant', () => {
    assert.deepEqual(quoteAt(1, 'AAPL', NOON), quoteAt(1, 'AAPL', NOON))
    assert.deepEqual(quoteAt(1, 'AAPL', NOON), { bid: '216.38', ask: '216.4', last: '216.39' })
  })

  it('the price path is near the real price of a known name, and for any other in a range in which many shares trade', () => {
    const last = (name: string) => Number(quoteAt(1, name, NOON).last)
    for (const [name, about] of [
      ['GE', 180],
      ['F', 11],
      ['KO', 63],
      ['NFLX', 850],
      ['MSFT', 430],
    ] as const)
      assert.ok(Math.abs(last(name) / about - 1) < 0.12, `${name} at ${last(name)}`)
    fc.assert(fc.property(fc.stringMatching(/^[A-Z]{5}$/), (name) => last(name) > 17 && last(name) < 360))
  })

  it('keeps the bid under the ask, in whole cents, with the last price between them', () => {
    fc.assert(
      fc.property(symbol, instant, (name, at) => {
        const quote = quoteAt(1, name, at)
        assert.ok(Number(quote.bid) < Number(quote.last) && Number(quote.last) < Number(quote.ask))
        for (const price of Object.values(quote)) assert.match(price, /^\d+(\.\d{1,2})?$/)
      }),
    )
  })

  it('the price path does not jump: in a hundred milliseconds it moves by no more than two cents and 0.001 %', () => {
    fc.assert(
      fc.property(symbol, instant, (name, at) => {
        const here = Number(quoteAt(1, name, at).last)
        const next = Number(quoteAt(1, name, at + 100).last)
        assert.ok(Math.abs(next - here) <= 0.020_001 + here * 0.000_01, `${here} -> ${next}`)
      }),
    )
  })

  it('moves within a minute and stays near its level over years', () => {
    const minute = new Set(
      Array.from({ length: 60 }, (_, step) => quoteAt(1, 'SPY', NOON + step * 1_000).last),
    )
    assert.ok(minute.size > 3)
    const years = Array.from({ length: 2_000 }, (_, day) =>
      Number(quoteAt(1, 'SPY', NOON + day * 86_400_000).last),
    )
    assert.ok(Math.min(...years) > 590 * 0.88 && Math.max(...years) < 590 * 1.12)
  })
})
