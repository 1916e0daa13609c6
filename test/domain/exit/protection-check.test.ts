import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import { levelsPassed, type Protection } from '#domain/exit/protection.ts'
import { likelyFill } from '#domain/risk/market-price.ts'
import { protectionAdvice, protectionVerdict } from '#domain/exit/protection-check.ts'

type Terms = Parameters<typeof protectionAdvice>[0]

const ALPACA = { stops: true, oco: true, trailing: true }
const MARKET = { buyAt: '100.10', sellAt: '99.90' } as const
const plan = (changes: Partial<Protection>): Protection => ({
  stop: null,
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
  ...changes,
})
const terms = (changes: Partial<Terms>): Terms => ({
  symbol: 'AAPL',
  action: 'openLong',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  extendedHours: false,
  ...changes,
})
const planned = (changes: Partial<Protection>, others: Partial<Terms> = {}): Partial<Terms> => ({
  ...others,
  protection: plan(changes),
})
const SENSELESS = 'PROTECTION_SENSELESS'
const NONE = { buyAt: null, sellAt: null }

describe('the levels of an entry, right before it is sent', () => {
  const fills: [string, Partial<Terms>, string | null][] = [
    ['a purchase at market', {}, '100.10'],
    ['a short sale at market', { action: 'openShort' }, '99.90'],
    ['a purchase at a limit below the market', { limitPrice: '98' }, '98'],
    ['a purchase at a limit above it', { limitPrice: '102' }, '100.10'],
    ['a short sale at a limit below it', { action: 'openShort', limitPrice: '98' }, '99.90'],
    ['a purchase by a stop above it', { stopPrice: '105' }, '105'],
    ['a purchase by a stop that is passed', { stopPrice: '95' }, '100.10'],
    ['a short sale by a stop below it', { action: 'openShort', stopPrice: '95' }, '95'],
    ['a purchase by a stop with a limit', { stopPrice: '105', limitPrice: '106' }, '105'],
  ]
  for (const [name, changes, price] of fills)
    it(`the likely fill of ${name} is ${price}`, () =>
      assert.equal(likelyFill(terms(changes), MARKET), price))

  const verdicts: [string, Partial<Terms>, string, typeof MARKET | { buyAt: null; sellAt: null }][] = [
    ['no plan', {}, 'skipped', MARKET],
    ['a plan around the ask', planned({ stop: { price: '99' }, target: { price: '105' } }), 'passed', MARKET],
    ['a stop above the price', planned({ stop: { price: '101' } }), SENSELESS, MARKET],
    ['a target below the price', planned({ target: { price: '99' } }), SENSELESS, MARKET],
    ['a stop between bid and ask', planned({ stop: { price: '99.95' } }), SENSELESS, MARKET],
    ['a stop at the bid', planned({ stop: { amount: '0.20' } }), SENSELESS, MARKET],
    ['a trail within the spread', planned({ trail: { percent: '0.1' } }), SENSELESS, MARKET],
    [
      'a stop between bid and ask of a short sale',
      planned({ stop: { price: '100.05' } }, { action: 'openShort' }),
      SENSELESS,
      MARKET,
    ],
    [
      'a stop above the market of a limit that waits below',
      planned({ stop: { price: '97.99' } }, { limitPrice: '98' }),
      'passed',
      MARKET,
    ],
    [
      'a stop below its limit and above the market, which fills it lower',
      planned({ stop: { price: '103' } }, { limitPrice: '105' }),
      SENSELESS,
      MARKET,
    ],
    ['distances without a price', planned({ stop: { percent: '5' } }), 'skipped', NONE],
    ['a level at a price without a price', planned({ stop: { price: '95' } }), 'PRICE_UNKNOWN', NONE],
  ]
  for (const [name, changes, expected, market] of verdicts)
    it(`an entry with ${name}: ${expected}`, () => {
      const found = protectionVerdict(terms(changes), market, ALPACA)
      assert.equal(found.outcome === 'denied' ? found.code : found.outcome, expected)
    })

  it('an entry with a stop is denied at a broker that takes no stop orders, and one with a target alone is not', () => {
    const none = { stops: false, oco: false, trailing: false }
    const verdict = (protection: Protection) => protectionVerdict(terms({ protection }), MARKET, none)
    const stop = verdict(plan({ stop: { percent: '5' } }))
    assert.equal(stop.outcome === 'denied' && stop.code, 'PROTECTION_UNSUPPORTED')
    assert.equal(verdict(plan({ target: { percent: '5' } })).outcome, 'passed')
  })

  it('an entry with a plan reports its levels, with their distance', () => {
    const protection = plan({ stop: { price: '95' }, target: { amount: '10' } })
    const { message } = protectionVerdict(terms({ protection, limitPrice: '100' }), MARKET, ALPACA)
    assert.equal(message, 'Filled at $100, the stop is at $95 (5 % away) and the target at $110 (10 % away)')
  })

  const stopAndTarget = plan({ stop: { percent: '5' }, target: { percent: '10' } })
  const advice: [string, Partial<Terms>, string, string[]][] = [
    ['all of it at the broker', { protection: stopAndTarget }, '10', []],
    ['a target of parts of a share', { protection: stopAndTarget }, '0.5', ['protection_kept_here']],
    [
      'a trail from a profit on, and break-even',
      {
        protection: plan({
          stop: { percent: '5' },
          trail: { percent: '2', after: { percent: '3' } },
          breakEven: { percent: '1' },
        }),
      },
      '10',
      ['protection_kept_here'],
    ],
    [
      'an entry that rests, outside of the session too',
      {
        protection: stopAndTarget,
        orderType: 'limit',
        limitPrice: '98',
        timeInForce: 'gtc',
        extendedHours: true,
      },
      '10',
      ['stop_in_session_only', 'protection_after_entry'],
    ],
  ]
  for (const [name, changes, quantity, codes] of advice)
    it(`the sender of levels learns of ${name}: ${codes.join(', ') || 'nothing'}`, () => {
      const told = protectionAdvice(terms(changes), quantity as '1', MARKET, ALPACA)
      assert.deepEqual(
        told.map(({ code }) => code),
        codes,
      )
    })

  it('a change of levels is held to the price, with the trail and break-even that follow from the best one', () => {
    const passed = (changes: Partial<Protection>, best: Decimal, price: Decimal) =>
      levelsPassed(plan(changes), { side: 'LONG', average: '100', fees: '0' }, best, price).map(
        ({ part }) => part,
      )
    assert.deepEqual(passed({ stop: { price: '109' } }, '120', '110'), [])
    assert.deepEqual(passed({ trail: { percent: '5' } }, '120', '110'), ['trail'])
    assert.deepEqual(passed({ stop: { price: '95' }, breakEven: { amount: '2' } }, '105', '99.5'), [
      'breakEven',
    ])
    assert.deepEqual(passed({ stop: { price: '111' }, target: { price: '105' } }, '110', '110'), [
      'stop',
      'target',
    ])
  })
})
