import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  actingPrice,
  PRICE_COUNTS_FOR_MS,
  type ActingPrice,
  type ReportedPrices,
} from '#domain/exit/acting-price.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { TradeSide } from '#domain/money/profit.ts'

const NOW = Date.parse('2026-03-02T15:00:00.000Z')
const FILLED = NOW - 600_000
/** Filled at 100: the stop at 98, and it trails by 2 from the best price. */
const PLAN: Protection = {
  stop: { amount: '2' },
  target: { amount: '9' },
  trail: { amount: '2' },
  breakEven: null,
  until: 'closed',
}
const at = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString()
const trade = (last: Decimal, seconds = 0) => ({ last, at: at(seconds) })
const quote = (bid: Decimal | null, ask: Decimal | null, seconds = 0) => ({ bid, ask, quotedAt: at(seconds) })
const NOTHING: ReportedPrices = { last: null, at: null, bid: null, ask: null, quotedAt: null }
/** Nothing of it lies at the broker. */
const heldBy = (side: TradeSide) => ({
  protection: PLAN,
  position: { side, average: '100', fees: '0' } as const,
  best: '100' as const,
  kept: null,
})

describe('the price that may act', () => {
  const acts = (told: Partial<ReportedPrices>, side: TradeSide = 'LONG', since = FILLED) =>
    actingPrice({ ...NOTHING, ...told }, heldBy(side), since, { now: NOW, run: null })
  const words = ({ improves, triggers, why }: ActingPrice) => `${improves} ${triggers} ${why}`

  const CASES: [
    name: string,
    told: Partial<ReportedPrices>,
    improvesTriggersWhy: string,
    side?: TradeSide,
  ][] = [
    [
      'of a trade between narrow bid and ask',
      { ...trade('100'), ...quote('99.95', '100.05') },
      '100 99.95 null',
    ],
    [
      'of a short: the ask triggers',
      { ...trade('100'), ...quote('99.95', '100.05') },
      '100 100.05 null',
      'SHORT',
    ],
    ['of an old trade: bid alone', { ...trade('100', 31), ...quote('99.95', '100.05') }, 'null 99.95 null'],
    [
      'of a trade above the ask: bid alone',
      { ...trade('140', 1), ...quote('99.95', '100.05') },
      'null 99.95 null',
    ],
    ['at the stop: the bid', { ...trade('98.1'), ...quote('98', '98.1') }, '98.1 98 null'],
    ['of bid and ask a tenth of the trail apart', { ...quote('99.9', '100.1') }, 'null 99.9 null'],
    [
      'wider, and no level between: nothing is reached',
      { ...trade('101'), ...quote('99', '103') },
      'null null null',
    ],
    ['wider, around the stop: none', { ...quote('96', '108') }, 'null null tooWide'],
    [
      'wider, and an old trade between: none',
      { ...trade('104', 7_200), ...quote('96', '108') },
      'null null tooWide',
    ],
    [
      'wider, and a trade between: not that trade alone',
      { ...trade('104'), ...quote('96', '108') },
      'null null tradesAlone',
    ],
    ['wider, beyond the stop: the bid', { ...quote('90', '97') }, 'null 90 null'],
    [
      'of a trade elsewhere at the same instant: bid alone',
      { ...trade('90'), ...quote('99.95', '100.05') },
      'null 99.95 null',
    ],
    ['at which bid and ask meet', quote('100', '100'), 'null 100 null'],
    ['of a trade alone: none', { ...trade('90') }, 'null null tradesAlone'],
    [
      'of a trade after bid and ask that it left: none',
      { ...trade('90'), ...quote('99.95', '100.05', 1) },
      'null null tradesAlone',
    ],
    ['of crossed bid and ask: none', { ...quote('99', '98') }, 'null null noPrice'],
    ['without a bid: none', { ...quote(null, '100') }, 'null null noPrice'],
    [
      'from before the fill: none',
      { ...trade('100', 601), ...quote('99.95', '100.05', 601) },
      'null null old',
    ],
    ['of 31 seconds ago: none', { ...quote('90', '90.1', 31) }, 'null null old'],
    [
      'that is old, but for a trade of now',
      { ...trade('100'), ...quote('99.95', '100.05', 500) },
      '100 99.95 null',
    ],
  ]
  for (const [name, told, expected, side] of CASES)
    it(`the price that may act ${name}: ${expected}`, () => assert.equal(words(acts(told, side)), expected))

  it('the price that may act is none of before the fill, reported right after it', () => {
    const after = (told: Partial<ReportedPrices>) => words(acts(told, 'LONG', NOW - 1_000))
    assert.equal(after({ ...trade('100', 5), ...quote('99.95', '100.05', 5) }), 'null null beforeFill')
    assert.equal(after({ ...trade('100', 5), ...quote('99.95', '100.05') }), 'null 99.95 null')
    assert.equal(after({ ...trade('100'), ...quote('99.95', '100.05', 5) }), 'null null tradesAlone')
  })

  /** Prices of trades alone, seconds apart. */
  const triggered = (prices: readonly Decimal[], apart: number): (Decimal | null)[] => {
    let run: ActingPrice['run'] = null
    return prices.map((price, index) => {
      const ago = (prices.length - 1 - index) * apart
      const told = { ...NOTHING, ...trade(price, ago) }
      const found = actingPrice(told, heldBy('LONG'), FILLED, { now: NOW - ago * 1_000, run })
      run = found.run
      return found.triggers
    })
  }

  it('the price that may act without bid and ask is that of trades that say the same of the stop for 3 seconds, however fast they fall', () => {
    assert.deepEqual(triggered(['100', '97', '94', '90', '85'], 1), [null, null, null, null, '85'])
    assert.deepEqual(triggered(['100', '97', '96', '90'], 2), [null, null, null, '90'])
  })

  it('the price that may act without bid and ask is no odd print, and none that others contradict', () => {
    const apart = PRICE_COUNTS_FOR_MS / 1_000 + 1
    const runs = [triggered(['100', '60', '100', '60', '100'], 2), triggered(['97', '97', '97'], apart)]
    assert.ok(runs.flat().every((price) => price === null))
  })

  it('the price that may act lies, for any report, where a trader trades or offers', () => {
    const price = fc.integer({ min: 8_000, max: 12_000 }).map((cents) => decimal(cents / 100))
    const seconds = fc.integer({ min: 0, max: 40 })
    fc.assert(
      fc.property(price, price, price, seconds, seconds, (bid, ask, last, quotedAgo, tradedAgo) => {
        const { improves, triggers } = acts({
          ...trade(last, tradedAgo),
          ...quote(bid, ask, quotedAgo),
        })
        assert.ok(
          improves === null ||
            (improves === last && Number(bid) <= Number(last) && Number(last) <= Number(ask)),
        )
        assert.ok(triggers === null || triggers === bid)
      }),
    )
  })
})
