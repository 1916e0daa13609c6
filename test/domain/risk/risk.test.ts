import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  add,
  compare,
  decimal,
  divideDown,
  magnitude,
  multiply,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import { HALT_LEVELS, HALT_SCOPES, type HaltLevel } from '#domain/risk/halt.ts'
import { isReducing, ORDER_SIDES, ORDER_TYPES, TIMES_IN_FORCE, type OrderSide } from '#domain/order/order.ts'
import {
  DEFAULT_RISK_LIMITS,
  RISK_LIMIT_DESCRIPTIONS,
  riskLimits,
  type RiskLimits,
} from '#domain/risk/limits.ts'
import {
  checkRisk,
  firstDenial,
  holdOf,
  needsLastPrice,
  needsMarketPhase,
  type RiskContext,
  type RiskOrder,
  type RiskRule,
} from '#domain/risk/risk.ts'
import { cases } from '#test/support/generators.ts'

const orderOf = (fields: Partial<RiskOrder> = {}): RiskOrder => ({
  symbol: 'AAPL',
  side: 'BUY',
  quantity: '10',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  extendedHours: false,
  ...fields,
})
const contextOf = (fields: Partial<RiskContext> = {}): RiskContext => ({
  halt: null,
  isManual: false,
  isApproved: false,
  lastPrice: '100',
  priceBeforeApproval: null,
  heldQuantity: '0',
  workingQuantity: '0',
  ordersThisMinute: 0,
  ordersToday: 0,
  equity: '100000',
  dayStartEquity: '100000',
  equityRecord: null,
  marketPhase: 'regular',
  secondsSinceTwin: null,
  ...fields,
})
const NO_LIMITS: RiskLimits = {
  maxOrderShares: null,
  maxOrderValue: null,
  maxPositionShares: null,
  maxPositionValue: null,
  maxOrdersPerMinute: null,
  maxOrdersPerDay: null,
  maxDailyLoss: null,
  maxDailyLossPercent: null,
  priceCollarPercent: null,
  maxApprovalDriftPercent: null,
  approvalAboveValue: null,
  duplicateWindowSeconds: null,
  duplicatePolicy: 'deny',
  allowedSymbols: null,
  forbiddenSymbols: [],
  marketHours: 'any',
}

interface Case {
  limits?: Partial<RiskLimits>
  order?: Partial<RiskOrder>
  context?: Partial<RiskContext>
}
/** A signal that began to wait at 100 dollars. */
const drift = (lastPrice: Decimal | null): Partial<RiskContext> => ({ priceBeforeApproval: '100', lastPrice })

/** The verdict of one rule, no other limit being set. */
function verdictOf(rule: RiskRule, { limits = {}, order = {}, context = {} }: Case) {
  const verdicts = checkRisk(orderOf(order), contextOf(context), { ...NO_LIMITS, ...limits })
  const verdict = verdicts.find((candidate) => candidate.rule === rule)
  assert.ok(verdict)
  return verdict
}
const outcomeOf = (rule: RiskRule, told: Case): string => {
  const verdict = verdictOf(rule, told)
  return verdict.outcome === 'denied' ? verdict.code : verdict.outcome
}

describe('checkRisk', () => {
  it('passes an ordinary order under the default limits', () => {
    const verdicts = checkRisk(orderOf(), contextOf(), DEFAULT_RISK_LIMITS)
    assert.equal(firstDenial(verdicts), null)
    assert.deepEqual(
      verdicts.filter(({ outcome }) => outcome === 'warned'),
      [],
    )
  })

  it('shows the verdict of every limit, the halt first, in words', () => {
    const verdicts = checkRisk(orderOf(), contextOf(), DEFAULT_RISK_LIMITS)
    const limits = Object.keys(DEFAULT_RISK_LIMITS).filter((name) => name !== 'duplicatePolicy')
    assert.equal(verdicts[0]!.rule, 'tradingHalt')
    assert.deepEqual(new Set(verdicts.map(({ rule }) => rule)), new Set(['tradingHalt', ...limits]))
    for (const { message } of verdicts) assert.match(message, /^[A-Z$0-9].{9,}/)
  })

  it('reports several broken rules and denies with the first', () => {
    const verdicts = checkRisk(orderOf(), contextOf({ heldQuantity: '5' }), {
      ...NO_LIMITS,
      maxOrderShares: '9',
      maxPositionShares: '14',
    })
    const broken = verdicts.filter(({ outcome }) => outcome === 'denied')
    assert.deepEqual(
      broken.map(({ rule, message }) => [rule, message]),
      [
        ['maxOrderShares', 'The order is for 10 shares, the limit is 9 shares'],
        ['maxPositionShares', 'The position would be 15 shares, the limit is 14 shares'],
      ],
    )
    assert.deepEqual(firstDenial(verdicts), { code: 'ORDER_TOO_LARGE', detail: broken[0]!.message })
  })

  type Row = [
    title: string,
    outcome: string,
    order?: Partial<RiskOrder>,
    context?: Partial<RiskContext>,
    limits?: Partial<RiskLimits>,
  ]
  /** Of each rule the limit that its orders meet, unless a row says another. */
  const TABLE: [rule: RiskRule, limits: Partial<RiskLimits>, rows: Row[]][] = [
    [
      'maxOrderShares',
      { maxOrderShares: '10' },
      [
        ['exactly at the limit', 'passed'],
        ['a billionth of a share beyond it', 'ORDER_TOO_LARGE', { quantity: '10.000000001' }],
        ['without a limit', 'skipped', {}, {}, { maxOrderShares: null }],
      ],
    ],
    [
      'maxOrderValue',
      { maxOrderValue: '1000' },
      [
        ['at market, by the last price', 'passed'],
        ['at market, a cent too dear', 'ORDER_TOO_LARGE', {}, { lastPrice: '100.01' }],
        ['to buy at a limit, by the limit', 'passed', { limitPrice: '90' }, { lastPrice: '200' }],
        [
          'to sell short at a limit below the last price, by the last price',
          'ORDER_TOO_LARGE',
          { side: 'SELL_SHORT', limitPrice: '90' },
          { lastPrice: '101' },
        ],
        [
          'to sell short at a limit above the last price, by the limit',
          'ORDER_TOO_LARGE',
          { side: 'SELL_SHORT', limitPrice: '101' },
        ],
        ['by a stop above the last price, by the stop', 'ORDER_TOO_LARGE', { stopPrice: '101' }],
        ['at a limit, the last price being unknown', 'passed', { limitPrice: '100' }, { lastPrice: null }],
        ['at market, the last price being unknown', 'PRICE_UNKNOWN', {}, { lastPrice: null }],
      ],
    ],
    [
      'maxPositionShares',
      { maxPositionShares: '30' },
      [
        ['with what is held and works', 'passed', {}, { heldQuantity: '12', workingQuantity: '8' }],
        [
          'with one share too many held',
          'POSITION_TOO_LARGE',
          {},
          { heldQuantity: '13', workingQuantity: '8' },
        ],
      ],
    ],
    [
      'maxPositionValue',
      { maxPositionValue: '3000' },
      [
        ['with what is held and works', 'passed', {}, { heldQuantity: '12', workingQuantity: '8' }],
        [
          'with one share too many working',
          'POSITION_TOO_LARGE',
          {},
          { heldQuantity: '12', workingQuantity: '9' },
        ],
        ['the last price being unknown', 'PRICE_UNKNOWN', {}, { lastPrice: null }],
      ],
    ],
    [
      'maxOrdersPerMinute',
      { maxOrdersPerMinute: 5 },
      [
        ['as the last one allowed', 'passed', {}, { ordersThisMinute: 4 }],
        ['as one too many', 'ORDER_RATE_EXCEEDED', {}, { ordersThisMinute: 5 }],
        ['where none are allowed', 'ORDER_RATE_EXCEEDED', {}, {}, { maxOrdersPerMinute: 0 }],
      ],
    ],
    [
      'maxOrdersPerDay',
      { maxOrdersPerDay: 5 },
      [
        ['as the last one allowed', 'passed', {}, { ordersToday: 4 }],
        ['as one too many', 'ORDER_RATE_EXCEEDED', {}, { ordersToday: 5 }],
      ],
    ],
    [
      'maxDailyLoss',
      { maxDailyLoss: '500' },
      [
        ['after a smaller loss', 'passed', {}, { equity: '99500.01' }],
        ['once it is lost', 'DAILY_LOSS_REACHED', {}, { equity: '99500' }],
        ['after a gain', 'passed', {}, { equity: '120000' }],
        ['when the start of the day is unknown', 'skipped', {}, { dayStartEquity: null }],
      ],
    ],
    [
      'maxDailyLossPercent',
      { maxDailyLossPercent: '2' },
      [
        ['after a smaller loss', 'passed', {}, { equity: '98000.01' }],
        ['once it is lost', 'DAILY_LOSS_REACHED', {}, { equity: '98000' }],
        ['when the day began with nothing', 'skipped', {}, { dayStartEquity: '0', equity: '0' }],
      ],
    ],
    [
      'priceCollarPercent',
      { priceCollarPercent: '5' },
      [
        ['at its upper edge', 'passed', { limitPrice: '105' }],
        ['beyond its upper edge', 'PRICE_OUTSIDE_COLLAR', { limitPrice: '105.01' }],
        ['at its lower edge', 'passed', { stopPrice: '95' }],
        [
          'with the farther of two prices beyond it',
          'PRICE_OUTSIDE_COLLAR',
          { stopPrice: '101', limitPrice: '94.99' },
        ],
        ['at market', 'skipped'],
        ['the last price being unknown', 'PRICE_UNKNOWN', { limitPrice: '100' }, { lastPrice: null }],
        ['to close, beyond it', 'PRICE_OUTSIDE_COLLAR', { side: 'SELL', limitPrice: '10' }],
        [
          'to close, the last price being unknown',
          'skipped',
          { side: 'SELL', limitPrice: '10' },
          { lastPrice: null },
        ],
      ],
    ],
    [
      'maxApprovalDriftPercent',
      { maxApprovalDriftPercent: '5' },
      [
        ['that waited for no person', 'skipped', {}, { lastPrice: '1' }],
        ['approved at the highest allowed price', 'passed', {}, drift('105')],
        ['approved right above it', 'PRICE_DRIFTED', {}, drift('105.01')],
        ['approved at the lowest allowed price', 'passed', {}, drift('95')],
        ['approved right below it', 'PRICE_DRIFTED', {}, drift('94.99')],
        ['approved at a price that is not known', 'PRICE_UNKNOWN', {}, drift(null)],
        ['that closes, approved at any price', 'skipped', { side: 'SELL' }, drift('1')],
      ],
    ],
    [
      'approvalAboveValue',
      { approvalAboveValue: '5000' },
      [
        ['worth just what needs no person', 'passed', { quantity: '50' }],
        ['worth a cent more', 'held', { quantity: '50.0001' }],
        ['worth more, approved', 'passed', { quantity: '51' }, { isApproved: true }],
        ['of an unknown price', 'held', {}, { lastPrice: null }],
        ['that closes a large position', 'skipped', { side: 'SELL', quantity: '999' }],
        ['at a limit of its own', 'held', { quantity: '50', orderType: 'limit', limitPrice: '101' }],
        ['where every one waits', 'held', {}, {}, { approvalAboveValue: '0' }],
        ['where none waits', 'skipped', { quantity: '999' }, {}, { approvalAboveValue: null }],
      ],
    ],
    [
      'duplicateWindowSeconds',
      { duplicateWindowSeconds: 2 },
      [
        ['after another order', 'passed'],
        ['at the end of the window', 'DUPLICATE_SUSPECTED', {}, { secondsSinceTwin: 2 }],
        ['when only a warning is wanted', 'warned', {}, { secondsSinceTwin: 2 }, { duplicatePolicy: 'warn' }],
        ['after the window', 'passed', {}, { secondsSinceTwin: 2.001 }],
      ],
    ],
    [
      'allowedSymbols',
      { allowedSymbols: ['MSFT', 'AAPL'] },
      [
        ['of an allowed symbol', 'passed'],
        ['of another symbol', 'SYMBOL_NOT_ALLOWED', { symbol: 'KO' }],
        ['where none is allowed', 'SYMBOL_NOT_ALLOWED', {}, {}, { allowedSymbols: [] }],
      ],
    ],
    [
      'forbiddenSymbols',
      { forbiddenSymbols: ['AAPL'] },
      [
        ['of a forbidden symbol', 'SYMBOL_NOT_ALLOWED'],
        ['of another symbol', 'passed', { symbol: 'MSFT' }],
      ],
    ],
    [
      'marketHours',
      { marketHours: 'regular' },
      [
        ['in a session, in regular hours only', 'passed'],
        ['before a session, in regular hours only', 'OUTSIDE_MARKET_HOURS', {}, { marketPhase: 'extended' }],
        [
          'that may trade after hours, in regular hours only',
          'OUTSIDE_MARKET_HOURS',
          { extendedHours: true },
        ],
        [
          'for the opening auction, before the session',
          'passed',
          { timeInForce: 'opg' },
          { marketPhase: 'closed' },
        ],
      ],
    ],
    [
      'marketHours',
      { marketHours: 'extended' },
      [
        ['before a session, in extended hours', 'passed', {}, { marketPhase: 'extended' }],
        ['at night, in extended hours', 'OUTSIDE_MARKET_HOURS', {}, { marketPhase: 'closed' }],
        ['when the calendar is not known', 'OUTSIDE_MARKET_HOURS', {}, { marketPhase: null }],
        ['at any time', 'skipped', {}, { marketPhase: 'closed' }, { marketHours: 'any' }],
      ],
    ],
  ]
  for (const [rule, usual, rows] of TABLE)
    for (const [title, outcome, order = {}, context = {}, limits = {}] of rows)
      it(`checkRisk by ${rule}, an order ${title}: ${outcome}`, () => {
        assert.equal(outcomeOf(rule, { limits: { ...usual, ...limits }, order, context }), outcome)
      })

  const HALTS: Record<HaltLevel, { code: string; closing: string }> = {
    pauseEntries: { code: 'TRADING_PAUSED', closing: 'passed' },
    reduceOnly: { code: 'REDUCE_ONLY', closing: 'passed' },
    fullStop: { code: 'TRADING_STOPPED', closing: 'TRADING_STOPPED' },
  }
  for (const level of HALT_LEVELS)
    for (const side of ORDER_SIDES)
      it(`checkRisk under a halt at ${level} judges a ${side} by its effect on the position`, () => {
        const halt = { level, scope: 'account', reason: 'drill' } as const
        const expected = HALTS[level][isReducing(side) ? 'closing' : 'code']
        assert.equal(outcomeOf('tradingHalt', { order: { side }, context: { halt } }), expected)
      })

  for (const level of HALT_LEVELS)
    it(`checkRisk under a halt at ${level} judges an opening order by hand as one that no signal asked for`, () => {
      const halt = { level, scope: 'account', reason: 'drill' } as const
      const expected = level === 'pauseEntries' ? 'passed' : HALTS[level].code
      assert.equal(outcomeOf('tradingHalt', { context: { halt, isManual: true } }), expected)
    })

  describe('for any order, context and limits', () => {
    const amount = (max: number, places = 2) =>
      fc.integer({ min: 1, max }).map((n) => divideDown(decimal(n), decimal(10 ** places), places))
    const price = amount(100_000)
    const order: fc.Arbitrary<RiskOrder> = fc.record({
      symbol: fc.constantFrom('AAPL', 'MSFT'),
      side: fc.constantFrom(...ORDER_SIDES),
      quantity: amount(1_000_000, 3),
      orderType: fc.constantFrom(...ORDER_TYPES),
      limitPrice: fc.option(price),
      stopPrice: fc.option(price),
      timeInForce: fc.constantFrom(...TIMES_IN_FORCE),
      extendedHours: fc.boolean(),
    })
    const context: fc.Arbitrary<RiskContext> = fc.record({
      halt: fc.option(
        fc.record({
          level: fc.constantFrom(...HALT_LEVELS),
          scope: fc.constantFrom(...HALT_SCOPES),
          reason: fc.constant('drill'),
        }),
        { freq: 1 },
      ),
      isManual: fc.boolean(),
      isApproved: fc.boolean(),
      lastPrice: fc.option(price),
      priceBeforeApproval: fc.option(price),
      heldQuantity: amount(1_000_000, 3),
      workingQuantity: amount(1_000_000, 3),
      ordersThisMinute: fc.nat(20),
      ordersToday: fc.nat(20),
      equity: amount(20_000_000),
      dayStartEquity: fc.option(amount(20_000_000)),
      equityRecord: fc.constant(null),
      marketPhase: fc.constantFrom('regular', 'extended', 'closed', null),
      secondsSinceTwin: fc.option(fc.double({ min: 0, max: 10, noNaN: true })),
    })
    const limits: fc.Arbitrary<RiskLimits> = fc.record({
      maxOrderShares: fc.option(amount(1_000_000, 3)),
      maxOrderValue: fc.option(amount(100_000_000)),
      maxPositionShares: fc.option(amount(1_000_000, 3)),
      maxPositionValue: fc.option(amount(100_000_000)),
      maxOrdersPerMinute: fc.option(fc.nat(20)),
      maxOrdersPerDay: fc.option(fc.nat(20)),
      maxDailyLoss: fc.option(amount(10_000_000)),
      maxDailyLossPercent: fc.option(amount(10_000)),
      priceCollarPercent: fc.option(amount(20_000)),
      maxApprovalDriftPercent: fc.option(amount(20_000)),
      approvalAboveValue: fc.option(fc.oneof(fc.constant('0'), amount(100_000_000))),
      duplicateWindowSeconds: fc.option(fc.nat(10)),
      duplicatePolicy: fc.constantFrom('warn', 'deny'),
      allowedSymbols: fc.option(fc.subarray(['AAPL', 'MSFT'])),
      forbiddenSymbols: fc.subarray(['AAPL', 'MSFT']),
      marketHours: fc.constantFrom('any', 'extended', 'regular'),
    })
    const holds = (
      claim: (order: RiskOrder, context: RiskContext, limits: RiskLimits) => void,
      numRuns = cases(3_000),
    ): void => fc.assert(fc.property(order, context, limits, claim), { numRuns })

    it('an order that passes keeps every limit, computed apart', function () {
      this.timeout(60_000)
      holds((asked, situation, set) => {
        if (firstDenial(checkRisk(asked, situation, set)) || isReducing(asked.side)) return
        const { quantity } = asked
        const after = add(add(situation.heldQuantity, situation.workingQuantity), quantity)
        const within = (value: Decimal, limit: Decimal | null): void =>
          assert.ok(limit === null || compare(value, limit) <= 0, `${value} > ${limit}`)
        within(quantity, set.maxOrderShares)
        within(after, set.maxPositionShares)
        // At the least that the order can cost: what the rule takes may only be dearer.
        const cheapest = asked.limitPrice ?? asked.stopPrice ?? situation.lastPrice
        if (cheapest !== null) {
          within(multiply(quantity, cheapest), set.maxOrderValue)
          within(multiply(after, cheapest), set.maxPositionValue)
        } else assert.deepEqual([set.maxOrderValue, set.maxPositionValue], [null, null])
        const isHeld = holdOf(checkRisk(asked, situation, set)) !== null
        if (!isHeld && !situation.isApproved && set.approvalAboveValue !== null) {
          assert.ok(cheapest !== null)
          within(multiply(quantity, cheapest), set.approvalAboveValue)
        }
        assert.ok(!(isHeld && situation.isApproved))
        assert.ok(situation.ordersThisMinute < (set.maxOrdersPerMinute ?? Infinity))
        assert.ok(situation.ordersToday < (set.maxOrdersPerDay ?? Infinity))
        assert.ok(!set.forbiddenSymbols.includes(asked.symbol))
        assert.ok(set.allowedSymbols?.includes(asked.symbol) ?? true)
        assert.equal(situation.halt, null)
        if (situation.dayStartEquity !== null && set.maxDailyLoss !== null)
          assert.ok(compare(subtract(situation.dayStartEquity, situation.equity), set.maxDailyLoss) < 0)
        const { priceBeforeApproval, lastPrice } = situation
        if (priceBeforeApproval !== null && set.maxApprovalDriftPercent !== null) {
          assert.ok(lastPrice !== null)
          const moved = multiply(magnitude(subtract(lastPrice, priceBeforeApproval)), '100')
          within(moved, multiply(set.maxApprovalDriftPercent, priceBeforeApproval))
        }
        for (const named of [asked.limitPrice, asked.stopPrice]) {
          if (named === null || set.priceCollarPercent === null) continue
          assert.ok(situation.lastPrice !== null)
          const distance = multiply(magnitude(subtract(named, situation.lastPrice)), '100')
          within(distance, multiply(set.priceCollarPercent, situation.lastPrice))
        }
      })
    })

    it('a closing order is denied by nothing but a full stop, its price or a suspected repetition', () => {
      holds((asked, situation, set) => {
        const side: OrderSide = asked.side === 'BUY' || asked.side === 'SELL' ? 'SELL' : 'BUY_TO_COVER'
        for (const verdict of checkRisk({ ...asked, side }, situation, set)) {
          if (verdict.outcome !== 'denied') continue
          assert.ok(
            ['TRADING_STOPPED', 'PRICE_OUTSIDE_COLLAR', 'DUPLICATE_SUSPECTED'].includes(verdict.code),
            verdict.code,
          )
        }
      })
    })

    it('a smaller order is never denied for its size where a larger one passes', () => {
      holds((asked, situation, set) => {
        const half = { ...asked, quantity: divideDown(asked.quantity, '2', 9) }
        if (firstDenial(checkRisk(asked, situation, set)) === null)
          assert.equal(firstDenial(checkRisk(half, situation, set)), null)
      })
    })

    it('checkRisk for any order, context and limits without limits and halts nothing is denied', () => {
      holds((asked, situation) => {
        assert.equal(firstDenial(checkRisk(asked, { ...situation, halt: null }, NO_LIMITS)), null)
      })
    })

    it('a denial carries the code of its limit, or says that the price is unknown', () => {
      holds((asked, situation, set) => {
        for (const verdict of checkRisk(asked, situation, set)) {
          if (verdict.outcome !== 'denied' || verdict.rule === 'tradingHalt') continue
          const own: string = RISK_LIMIT_DESCRIPTIONS[verdict.rule].code
          assert.ok(verdict.code === own || verdict.code === 'PRICE_UNKNOWN', verdict.code)
        }
      })
    })

    it('the last price and the phase of the market change nothing where they are not needed', () => {
      holds((asked, situation, set) => {
        const judged = (changes: Partial<RiskContext>) =>
          firstDenial(checkRisk(asked, { ...situation, ...changes }, set))?.code
        if (!needsLastPrice(asked, set, situation) && asked.limitPrice === null && asked.stopPrice === null)
          assert.equal(judged({ lastPrice: null }), judged({ lastPrice: '100' }))
        if (!needsMarketPhase(asked, set))
          assert.equal(judged({ marketPhase: null }), judged({ marketPhase: 'closed' }))
      })
    })
  })
})

describe('riskLimits', () => {
  it('riskLimits of nothing are the defaults', () => {
    assert.deepEqual(riskLimits({}), DEFAULT_RISK_LIMITS)
  })

  it('distinguish a limit that is lifted from one that is not set', () => {
    assert.equal(riskLimits({ maxOrderValue: null }).maxOrderValue, null)
    assert.equal(riskLimits({ maxOrderShares: '1' }).maxOrderValue, DEFAULT_RISK_LIMITS.maxOrderValue)
  })

  it('leave out limits that were lifted', () => {
    const stored = { maxMoonPhase: 3, maxOrderShares: '5' } as const
    assert.deepEqual(riskLimits(stored), { ...DEFAULT_RISK_LIMITS, maxOrderShares: '5' })
  })
})
