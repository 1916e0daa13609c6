import { DEFAULT_RISK_LIMITS, riskLimits, type RiskLimits, type RiskSettings } from '#domain/risk-limits.ts'
import { loosenedLimits } from '#domain/risk-loosening.ts'
import assert from 'node:assert/strict'

/** For each limit a tighter setting and a looser one. */
const PAIRS: { [Name in keyof RiskLimits]: [tighter: RiskLimits[Name], looser: RiskLimits[Name]][] } = {
  maxOrderShares: [
    ['9', '10'],
    ['10', null],
  ],
  maxOrderValue: [
    ['9.99', '10'],
    ['10', null],
  ],
  maxPositionShares: [
    ['9', '10'],
    ['10', null],
  ],
  maxPositionValue: [
    ['9', '10'],
    ['10', null],
  ],
  maxOrdersPerMinute: [
    [0, 1],
    [9, 10],
    [10, null],
  ],
  maxOrdersPerDay: [
    [9, 10],
    [10, null],
  ],
  maxDailyLoss: [
    ['9', '10'],
    ['10', null],
  ],
  maxDailyLossPercent: [
    ['9', '10'],
    ['10', null],
  ],
  priceCollarPercent: [
    ['9', '10'],
    ['10', null],
  ],
  maxApprovalDriftPercent: [
    ['9', '10'],
    ['10', null],
  ],
  approvalAboveValue: [
    ['0', '10'],
    ['9', '10'],
    ['10', null],
    ['0', null],
  ],
  duplicateWindowSeconds: [
    [10, 9],
    [9, null],
  ],
  duplicatePolicy: [['deny', 'warn']],
  allowedSymbols: [
    [['A'], ['A', 'B']],
    [['A'], ['B']],
    [['A'], null],
    [[], ['A']],
  ],
  forbiddenSymbols: [
    [['A', 'B'], ['A']],
    [['A'], ['B']],
    [['A'], []],
  ],
  marketHours: [
    ['regular', 'extended'],
    ['extended', 'any'],
    ['regular', 'any'],
  ],
}
const limits = (settings: RiskSettings): RiskLimits => riskLimits(settings)

describe('loosened risk limits', () => {
  for (const [name, pairs] of Object.entries(PAIRS)) {
    for (const [tighter, looser] of pairs as [unknown, unknown][]) {
      it(`loosened risk limits are told of ${name} from ${JSON.stringify(tighter)} to ${JSON.stringify(looser)}`, () => {
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

  it('loosened risk limits are told of every one, though others are tightened with them', () => {
    const before = limits({ maxOrderShares: '1', maxDailyLoss: '100', marketHours: 'regular' })
    const after = limits({ maxOrderShares: '2', maxDailyLoss: '50' })
    assert.deepEqual(loosenedLimits(before, after), ['maxOrderShares', 'marketHours'])
  })
})
