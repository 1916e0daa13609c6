import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import { DEFAULT_RISK_LIMITS, riskLimits, type RiskLimits, type RiskSettings } from '#domain/risk/limits.ts'
import { loosenedLimits } from '#domain/risk/loosening.ts'

/** Neighbours of a list from the tightest setting to the loosest. */
const rising = <T>(...settings: T[]): [tighter: T, looser: T][] =>
  settings.slice(1).map((looser, index) => [settings[index]!, looser])
type MarketHours = RiskLimits['marketHours']
const DECIMALS = rising<Decimal | null>('9.99', '10', null)

/** For each limit tighter settings, each with a looser one. */
const PAIRS: { [Name in keyof RiskLimits]: [tighter: RiskLimits[Name], looser: RiskLimits[Name]][] } = {
  maxOrderShares: DECIMALS,
  maxOrderValue: DECIMALS,
  maxPositionShares: DECIMALS,
  maxPositionValue: DECIMALS,
  maxOrdersPerMinute: rising(0, 1, 9, 10, null),
  maxOrdersPerDay: rising(9, 10, null),
  maxDailyLoss: DECIMALS,
  maxDailyLossPercent: DECIMALS,
  priceCollarPercent: DECIMALS,
  maxApprovalDriftPercent: DECIMALS,
  approvalAboveValue: [...rising<Decimal | null>('0', '9', '10', null), ...rising<Decimal | null>('0', null)],
  duplicateWindowSeconds: rising(10, 9, null),
  duplicatePolicy: [['deny', 'warn']],
  allowedSymbols: [...rising([], ['A'], ['A', 'B'], null), ...rising(['A'], ['B']), ...rising(['A'], null)],
  forbiddenSymbols: [...rising(['A', 'B'], ['A'], []), ...rising(['A'], ['B'])],
  marketHours: [
    ...rising<MarketHours>('regular', 'extended', 'any'),
    ...rising<MarketHours>('regular', 'any'),
  ],
}
const limits = (settings: RiskSettings): RiskLimits => riskLimits(settings)

describe('loosened risk limits', () => {
  for (const [name, pairs] of Object.entries(PAIRS)) {
    for (const [tighter, looser] of pairs as [unknown, unknown][]) {
      it(`loosened risk limits are reported for ${name} from ${JSON.stringify(tighter)} to ${JSON.stringify(looser)}`, () => {
        const [from, to] = [limits({ [name]: tighter }), limits({ [name]: looser })]
        assert.deepEqual(loosenedLimits(from, to), [name])
        assert.deepEqual(loosenedLimits(from, from), [])
        assert.deepEqual(loosenedLimits(to, to), [])
      })
    }
  }

  it('loosened risk limits are none when limits are tightened only', () => {
    const tight = limits({
      maxOrderShares: '1',
      maxDailyLoss: '100',
      allowedSymbols: ['A'],
      forbiddenSymbols: ['B'],
    })
    assert.deepEqual(loosenedLimits(DEFAULT_RISK_LIMITS, tight), [])
  })

  it('loosened risk limits are reported for every one, though others are tightened with them', () => {
    const before = limits({ maxOrderShares: '1', maxDailyLoss: '100', marketHours: 'regular' })
    const after = limits({ maxOrderShares: '2', maxDailyLoss: '50' })
    assert.deepEqual(loosenedLimits(before, after), ['maxOrderShares', 'marketHours'])
  })
})
