import assert from 'node:assert/strict'
import fc from 'fast-check'
import { add, decimal, multiply, negate, type Decimal } from '#domain/money/decimal.ts'
import { performanceOf, sharpeRatio, tradeFigures, type EquityPoint } from '#domain/account/performance.ts'

/** Consecutive days with these equities. */
const days = (...equities: Decimal[]): EquityPoint[] =>
  equities.map((equity, day) => ({ date: `2026-03-${String(day + 1).padStart(2, '0')}`, equity }))
const trades = (...results: Decimal[]) => results.map((realisedPnl, index) => ({ index, realisedPnl }))

describe('performance by daily equity', () => {
  it('performance by daily equity is the change from the first day to the last', () => {
    // 10,000 -> 10,500: 500 / 10,000 = 5 %. The day between does not matter: 1.02 x 1.0294... = 1.05.
    assert.equal(performanceOf(days('10000', '10200', '10500')).returnPercent, '5')
  })

  it('performance by daily equity is exact to four places', () => {
    // 3 -> 4: 1 / 3 = 33.333333... %
    assert.equal(performanceOf(days('3', '4')).returnPercent, '33.3333')
    // 60,000.01 -> 60,000.02: 0.01 / 60,000.01 = 0.00001666... %, rounded 0.
    assert.equal(performanceOf(days('60000.01', '60000.02')).returnPercent, '0')
    // 3 -> 5: 2 / 3 = 66.666666... %, rounded up.
    assert.equal(performanceOf(days('3', '5')).returnPercent, '66.6667')
  })

  it('falls from the high before, not from the first day', () => {
    // High 120, then 90: (120 - 90) / 120 = 25 %. The later fall from 130 to 117 is 10 %.
    const { returnPercent, maxDrawdownPercent } = performanceOf(days('100', '120', '90', '130', '117'))
    assert.equal(maxDrawdownPercent, '25')
    // 117 / 100 - 1
    assert.equal(returnPercent, '17')
  })

  it('performance by daily equity has no drawdown while it only rises', () => {
    assert.equal(performanceOf(days('100', '100', '101')).maxDrawdownPercent, '0')
  })

  it('performance by daily equity can lose more than everything on margin', () => {
    // 100 -> -20: (100 - -20) / 100 = 120 %, and -120 / 100 = -120 %.
    const { returnPercent, maxDrawdownPercent } = performanceOf(days('100', '-20'))
    assert.deepEqual([returnPercent, maxDrawdownPercent], ['-120', '120'])
  })

  it('annualises the Sharpe ratio of the daily returns', () => {
    // 100 -> 101 -> 99.99 -> 102.9897: returns 0.01, -0.01, 0.03.
    // Mean 0.01; squares of the distances 0, 0.0004, 0.0004; deviation sqrt(0.0008 / 2) = 0.02.
    // 0.01 / 0.02 x sqrt(252) = 0.5 x 15.8745 = 7.9373.
    assert.equal(performanceOf(days('100', '101', '99.99', '102.9897')).sharpe, 7.9373)
    // -0.01 and 0.005: mean -0.0025, deviation sqrt((0.0075² + 0.0075²) / 1) = 0.0106066;
    // -0.0025 / 0.0106066 x 15.8745 = -3.7417.
    assert.equal(sharpeRatio([-0.01, 0.005]), -3.7417)
  })

  it('performance by daily equity has no Sharpe ratio with fewer than two returns, or when they do not deviate', () => {
    assert.equal(performanceOf(days('100', '101')).sharpe, null)
    assert.equal(performanceOf(days('100', '100', '100')).sharpe, null)
    // One percent a day: the quotients of floating-point numbers differ in the last digits only.
    assert.equal(performanceOf(days('100', '101', '102.01', '103.0301', '104.060401')).sharpe, null)
  })

  it('performance by daily equity is unknown with fewer than two days, and before anything was paid in', () => {
    const unknown = { returnPercent: null, maxDrawdownPercent: null, sharpe: null }
    for (const known of [days(), days('100'), days('0', '0', '0'), days('0', '0', '100'), days('-5', '100')])
      assert.deepEqual(performanceOf(known), unknown)
    // Counted from the 100 on.
    assert.equal(performanceOf(days('0', '100', '110')).returnPercent, '10')
  })

  it('goes on after a day that ended with nothing', () => {
    // 100 -> 0 -> 50: -50 %; fallen by 100 %. The return from 0 to 50 has no value and is left out.
    const { returnPercent, maxDrawdownPercent, sharpe } = performanceOf(days('100', '0', '50'))
    assert.deepEqual([returnPercent, maxDrawdownPercent, sharpe], ['-50', '100', null])
  })

  const amount = fc.integer({ min: -1_000_000, max: 1_000_000_000 }).map((cents) => decimal(cents / 100))
  const course = fc.array(amount, { maxLength: 40 })

  it('performance by daily equity is never half known, never not a number, and has no negative drawdown', () => {
    fc.assert(
      fc.property(course, (equities) => {
        const { returnPercent, maxDrawdownPercent, sharpe } = performanceOf(days(...equities))
        assert.equal(returnPercent === null, maxDrawdownPercent === null)
        for (const figure of [returnPercent, maxDrawdownPercent, sharpe])
          assert.ok(figure === null || Number.isFinite(Number(figure)), `${figure}`)
        assert.ok(Number(maxDrawdownPercent) >= 0)
        if (sharpe !== null) assert.notEqual(returnPercent, null)
      }),
    )
  })

  it('performance by daily equity does not depend on the size of the account', () => {
    fc.assert(
      fc.property(course, fc.integer({ min: 2, max: 1_000 }), (equities, times) => {
        const larger = equities.map((equity) => multiply(equity, `${times}`))
        const { sharpe, ...exact } = performanceOf(days(...equities))
        const { sharpe: ofLarger, ...exactOfLarger } = performanceOf(days(...larger))
        assert.deepEqual(exactOfLarger, exact)
        if (sharpe !== null && ofLarger !== null) assert.ok(Math.abs(sharpe - ofLarger) <= 0.0002)
      }),
    )
  })

  it('performance by daily equity that a day is repeated changes neither return nor drawdown', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 40 }), fc.nat(), (equities, at) => {
        const index = at % equities.length
        const repeated = [...equities.slice(0, index + 1), ...equities.slice(index)]
        const once = performanceOf(days(...equities))
        const twice = performanceOf(days(...repeated))
        if (once.returnPercent === null) return
        assert.equal(twice.returnPercent, once.returnPercent)
        assert.equal(twice.maxDrawdownPercent, once.maxDrawdownPercent)
      }),
    )
  })
})

describe('figures of closed trades', () => {
  it('sum, rate and compare them', () => {
    // Won 100 + 50.25 = 150.25, lost 40 + 10.25 = 50.25; the trade that brought nothing is no win.
    const { best, worst, ...figures } = tradeFigures(trades('100', '-40', '0', '50.25', '-10.25'))
    assert.deepEqual(figures, {
      trades: 5,
      // 150.25 - 50.25
      realisedPnl: '100',
      // 2 of 5
      winRate: '40',
      // 150.25 / 50.25 = 2.99004975...
      profitFactor: '2.99',
    })
    assert.deepEqual([best?.index, worst?.index], [0, 1])
  })

  it('figures of closed trades of one trade are its own', () => {
    const { best, worst, ...figures } = tradeFigures(trades('-12.5'))
    assert.deepEqual(figures, { trades: 1, realisedPnl: '-12.5', winRate: '0', profitFactor: '0' })
    assert.deepEqual([best?.index, worst?.index], [0, 0])
  })

  it('figures of closed trades have no profit factor where nothing was lost', () => {
    const { profitFactor, winRate } = tradeFigures(trades('1', '0', '2'))
    // 2 of 3
    assert.deepEqual([profitFactor, winRate], [null, '66.6667'])
  })

  it('figures of closed trades are empty without any', () => {
    assert.deepEqual(tradeFigures([]), {
      trades: 0,
      realisedPnl: '0',
      winRate: null,
      profitFactor: null,
      best: null,
      worst: null,
    })
  })

  it('name the first of several that brought the same', () => {
    const { best, worst } = tradeFigures(trades('5', '-5', '5', '-5'))
    assert.deepEqual([best?.index, worst?.index], [0, 1])
  })

  const results = fc.array(
    fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => decimal(cents / 100)),
    { maxLength: 40 },
  )

  it('keep their rates when every trade is doubled', () => {
    fc.assert(
      fc.property(results, (once) => {
        const figures = tradeFigures(trades(...once))
        const doubled = tradeFigures(trades(...once, ...once))
        assert.equal(doubled.winRate, figures.winRate)
        assert.equal(doubled.profitFactor, figures.profitFactor)
        assert.equal(doubled.realisedPnl, add(figures.realisedPnl, figures.realisedPnl))
        assert.equal(doubled.best?.index, figures.best?.index)
      }),
    )
  })

  it('figures of closed trades do not depend on the order, and turn over with every sign', () => {
    fc.assert(
      fc.property(results, (some) => {
        const { best, worst, ...figures } = tradeFigures(trades(...some))
        const {
          best: bestBackwards,
          worst: worstBackwards,
          ...backwards
        } = tradeFigures(trades(...some.toReversed()))
        assert.deepEqual(backwards, figures)
        assert.equal(bestBackwards?.realisedPnl, best?.realisedPnl)
        assert.equal(worstBackwards?.realisedPnl, worst?.realisedPnl)
        const turned = tradeFigures(trades(...some.map(negate)))
        assert.equal(turned.realisedPnl, negate(figures.realisedPnl))
        assert.equal(turned.best?.realisedPnl, worst ? negate(worst.realisedPnl) : undefined)
        assert.ok(
          figures.winRate === null || (Number(figures.winRate) >= 0 && Number(figures.winRate) <= 100),
        )
      }),
    )
  })
})
