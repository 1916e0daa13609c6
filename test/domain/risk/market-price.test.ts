import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Decimal } from '#domain/money/decimal.ts'
import { freshQuote, judgePrice, needsRecentSessions, type PriceFacts } from '#domain/risk/market-price.ts'
import type { Action } from '#domain/signal/signal.ts'

const session = (date: string) => ({
  date,
  opensAt: `${date}T14:30:00.000Z`,
  closesAt: `${date}T21:00:00.000Z`,
})
/** A Thursday, a Friday and the Monday after them. */
const SESSIONS = ['2026-02-26', '2026-02-27', '2026-03-02'].map(session)
const MONDAY_NOON = Date.parse('2026-03-02T17:00:00.000Z')
const NOW = new Date(MONDAY_NOON).toISOString()
const DAY_MS = 86_400_000

const quote = (bid: Decimal | null, ask: Decimal | null, at: string | null = NOW) => ({ bid, ask, at })
const facts = (changes: Partial<PriceFacts>): PriceFacts => ({
  last: { price: '40', at: NOW },
  quote: quote('39.99', '40.01'),
  askedAt: MONDAY_NOON,
  sessions: SESSIONS,
  unavailable: null,
  ...changes,
})
const judge = (changes: Partial<PriceFacts>, action: Action = 'openLong', collar: Decimal = '50') => {
  const { outcome, price } = judgePrice(action, 'AAPL', facts(changes), collar)
  return `${outcome} ${price}`
}

describe('the ask at which a buyer is sized', () => {
  const at = (minutes: number) => new Date(MONDAY_NOON - minutes * 60_000).toISOString()
  const cases: [name: string, quote: PriceFacts['quote'], collar: Decimal, ask: string | null][] = [
    ['of this moment', quote('39.99', '40.01'), '50', '40.01'],
    ['of ten minutes ago', quote('39.99', '40.01', at(10)), '50', '40.01'],
    ['of a moment more than ten minutes ago', quote('39.99', '40.01', at(10.0001)), '50', null],
    ['of a broker that reports no instants', quote('39.99', '40.01', null), '50', '40.01'],
    ['of eleven minutes ago, as in the night', quote('39.99', '40.01', at(11)), '50', null],
    ['without a bid', quote(null, '40.01'), '50', null],
    ['below the bid', quote('41', '40'), '50', null],
    ['at the bid', quote('40', '40'), '50', '40'],
    ['with a bid of nothing', quote('0', '40'), '50', null],
    ['as far from the bid as the collar', quote('40', '40.8'), '2', '40.8'],
    ['a cent farther than that', quote('40', '40.81'), '2', null],
    ['farther from the bid than the collar', quote('39', '40.01'), '2', null],
    ['that is missing', null, '50', null],
  ]
  for (const [name, shown, collar, ask] of cases)
    it(`${name}: ${ask ?? 'none'}`, () => {
      assert.equal(freshQuote(shown, MONDAY_NOON, collar)?.ask ?? null, ask)
    })
})

describe('the verdict on a price', () => {
  const last = (price: Decimal, at: string | null): Partial<PriceFacts> => ({ last: { price, at } })
  /** The price of Friday, asked for so many milliseconds before the close of Monday. */
  const atClose = (before: number): Partial<PriceFacts> => ({
    ...last('40', '2026-02-27T20:00:00.000Z'),
    askedAt: Date.parse(SESSIONS[2]!.closesAt) - before,
    quote: quote('39.99', '40.01', SESSIONS[2]!.closesAt),
  })
  const ago = (milliseconds: number) => new Date(MONDAY_NOON - milliseconds).toISOString()
  const august = { price: '10', at: '2025-08-03T15:00:00.000Z' } as const
  const cases: [name: string, changes: Partial<PriceFacts>, is: string][] = [
    ['of this moment, between bid and ask', {}, 'believed 40'],
    ['of the session that ended last', last('40', '2026-02-27T20:00:00.000Z'), 'believed 40'],
    ['of the session before that', last('40', '2026-02-26T20:00:00.000Z'), 'farSide 40.01'],
    ['of August', { last: august }, 'farSide 40.01'],
    [
      'of August, with bid and ask of August',
      { last: august, quote: quote('9', '10', august.at) },
      'stale null',
    ],
    ['of August, without bid and ask', { last: august, quote: null }, 'stale null'],
    ['of August, with an ask alone', { last: august, quote: quote(null, '40') }, 'stale null'],
    ['of August, with bid and ask far apart', { last: august, quote: quote('1', '199') }, 'stale null'],
    ['of August, with bid above ask', { last: august, quote: quote('41', '40') }, 'stale null'],
    ['of August, without a calendar', { last: august, sessions: [] }, 'farSide 40.01'],
    ['of this moment and a quarter of the market', last('10', NOW), 'farSide 40.01'],
    ['of this moment and four times the market', last('160', NOW), 'farSide 40.01'],
    ['outside of bid and ask, within the collar', last('30', NOW), 'believed 30'],
    ['of a broker that reports no instants', last('40', null), 'believed 40'],
    ['without an instant, far from the market', last('10', null), 'farSide 40.01'],
    ['of the opening of that session', last('40', '2026-02-27T14:30:00.000Z'), 'believed 40'],
    ['from right before it', last('40', '2026-02-27T14:29:59.999Z'), 'farSide 40.01'],
    ['of five days ago, without a calendar', { ...last('40', ago(5 * DAY_MS)), sessions: [] }, 'believed 40'],
    ['of a moment more, likewise', { ...last('40', ago(5 * DAY_MS + 1)), sessions: [] }, 'farSide 40.01'],
    ['of Friday, as the session of Monday closes', atClose(0), 'farSide 40.01'],
    ['of Friday, right before that', atClose(1), 'believed 40'],
    ['outside of bid and ask by the collar', { ...last('60', NOW), quote: quote('39', '40') }, 'believed 60'],
    ['outside by a cent more', { ...last('60.01', NOW), quote: quote('39', '40') }, 'farSide 40'],
    ['that is missing', { last: null }, 'unknown null'],
    ['that the data plan lacks', { last: null, unavailable: 'no plan' }, 'unavailable null'],
  ]
  for (const [name, changes, is] of cases)
    it(`a price ${name}: ${is}`, () => assert.equal(judge(changes), is))

  for (const [action, price] of [
    ['openLong', '40.01'],
    ['closeShort', '40.01'],
    ['openShort', '39.99'],
    ['closeLong', '39.99'],
  ] as const)
    it(`an old price is replaced by the side at which ${action} would trade`, () =>
      assert.equal(judge({ last: august }, action), `farSide ${price}`))

  it('the collar is that of the account', () => {
    assert.equal(judge({ last: { price: '30', at: NOW } }, 'openLong', '5'), 'farSide 40.01')
  })

  it('the calendar is asked for only where something is not of this moment', () => {
    assert.equal(needsRecentSessions(facts({})), false)
    assert.equal(needsRecentSessions(facts({ last: august })), true)
    assert.equal(needsRecentSessions(facts({ quote: quote('1', '2', august.at) })), true)
  })

  it('a price that counts is, for any report, of a recent session or of the market, and a doubt is reported', () => {
    const price = fc.constantFrom('0.5', '10', '39.99', '40', '40.01', '160')
    const at = fc.constantFrom(null, NOW, '2026-02-27T20:00:00.000Z', '2026-02-26T20:00:00.000Z', august.at)
    fc.assert(
      fc.property(
        fc.option(fc.record({ price, at })),
        fc.option(fc.record({ bid: fc.option(price), ask: fc.option(price), at })),
        fc.constantFrom<Action>('openLong', 'openShort', 'closeLong', 'closeShort'),
        (last, shown, action) => {
          const judged = judgePrice(action, 'AAPL', facts({ last, quote: shown }), '50')
          if (judged.outcome === 'believed') assert.equal(judged.price, last!.price)
          else assert.ok(judged.detail.length > 0)
          if (judged.outcome === 'farSide')
            assert.ok(judged.price === shown!.bid || judged.price === shown!.ask)
          if (judged.outcome === 'believed' && last!.at !== null)
            assert.ok(last!.at >= '2026-02-27T14:30:00.000Z')
        },
      ),
    )
  })
})
