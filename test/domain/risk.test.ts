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
} from '#domain/decimal.ts'
import { HALT_LEVELS, HALT_SCOPES, type HaltLevel } from '#domain/halt.ts'
import { isReducing, ORDER_SIDES, ORDER_TYPES, TIMES_IN_FORCE, type OrderSide } from '#domain/order.ts'
import {
  DEFAULT_RISK_LIMITS,
  RISK_LIMIT_DESCRIPTIONS,
  riskLimits,
  type RiskLimits,
} from '#domain/risk-limits.ts'
import {
  checkRisk,
  firstDenial,
  holdOf,
  needsLastPrice,
  needsMarketPhase,
  type RiskContext,
  type RiskOrder,
  type RiskRule,
} from '#domain/risk.ts'
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

  it('tells the verdict of every limit, the halt first, in words', () => {
    const verdicts = checkRisk(orderOf(), contextOf(), DEFAULT_RISK_LIMITS)
    const limits = Object.keys(DEFAULT_RISK_LIMITS).filter((name) => name !== 'duplicatePolicy')
    assert.equal(verdicts[0]!.rule, 'tradingHalt')
    assert.deepEqual(new Set(verdicts.map(({ rule }) => rule)), new Set(['tradingHalt', ...limits]))
    for (const { message } of verdicts) assert.match(message, /^[A-Z$0-9].{9,}/)
  })

  it('tells of several broken rules and denies with the first', () => {
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

  const table: [rule: RiskRule, title: string, told: Case, outcome: string][] = [
    ['maxOrderShares', 'exactly at the limit', { limits: { maxOrderShares: '10' } }, 'passed'],
    [
      'maxOrderShares',
      'a billionth of a share beyond it',
      { limits: { maxOrderShares: '10' }, order: { quantity: '10.000000001' } },
      'ORDER_TOO_LARGE',
    ],
    ['maxOrderShares', 'without a limit', {}, 'skipped'],
    ['maxOrderValue', 'at market, by the last price', { limits: { maxOrderValue: '1000' } }, 'passed'],
    [
      'maxOrderValue',
      'at market, a cent too dear',
      { limits: { maxOrderValue: '1000' }, context: { lastPrice: '100.01' } },
      'ORDER_TOO_LARGE',
    ],
    [
      'maxOrderValue',
      'to buy at a limit, by the limit',
      { limits: { maxOrderValue: '1000' }, order: { limitPrice: '90' }, context: { lastPrice: '200' } },
      'passed',
    ],
    [
      'maxOrderValue',
      'to sell short at a limit below the last price, by the last price',
      {
        limits: { maxOrderValue: '1000' },
        order: { side: 'SELL_SHORT', limitPrice: '90' },
        context: { lastPrice: '101' },
      },
      'ORDER_TOO_LARGE',
    ],
    [
      'maxOrderValue',
      'to sell short at a limit above the last price, by the limit',
      { limits: { maxOrderValue: '1000' }, order: { side: 'SELL_SHORT', limitPrice: '101' } },
      'ORDER_TOO_LARGE',
    ],
    [
      'maxOrderValue',
      'by a stop above the last price, by the stop',
      { limits: { maxOrderValue: '1000' }, order: { stopPrice: '101' } },
      'ORDER_TOO_LARGE',
    ],
    [
      'maxOrderValue',
      'at a limit, the last price being unknown',
      { limits: { maxOrderValue: '1000' }, order: { limitPrice: '100' }, context: { lastPrice: null } },
      'passed',
    ],
    [
      'maxOrderValue',
      'at market, the last price being unknown',
      { limits: { maxOrderValue: '1000' }, context: { lastPrice: null } },
      'PRICE_UNKNOWN',
    ],
    [
      'maxPositionShares',
      'with what is held and works',
      { limits: { maxPositionShares: '30' }, context: { heldQuantity: '12', workingQuantity: '8' } },
      'passed',
    ],
    [
      'maxPositionShares',
      'with one share too many held',
      { limits: { maxPositionShares: '30' }, context: { heldQuantity: '13', workingQuantity: '8' } },
      'POSITION_TOO_LARGE',
    ],
    [
      'maxPositionValue',
      'with what is held and works',
      { limits: { maxPositionValue: '3000' }, context: { heldQuantity: '12', workingQuantity: '8' } },
      'passed',
    ],
    [
      'maxPositionValue',
      'with one share too many working',
      { limits: { maxPositionValue: '3000' }, context: { heldQuantity: '12', workingQuantity: '9' } },
      'POSITION_TOO_LARGE',
    ],
    [
      'maxPositionValue',
      'the last price being unknown',
      { limits: { maxPositionValue: '3000' }, context: { lastPrice: null } },
      'PRICE_UNKNOWN',
    ],
    [
      'maxOrdersPerMinute',
      'as the last one allowed',
      { limits: { maxOrdersPerMinute: 5 }, context: { ordersThisMinute: 4 } },
      'passed',
    ],
    [
      'maxOrdersPerMinute',
      'as one too many',
      { limits: { maxOrdersPerMinute: 5 }, context: { ordersThisMinute: 5 } },
      'ORDER_RATE_EXCEEDED',
    ],
    [
      'maxOrdersPerMinute',
      'where none are allowed',
      { limits: { maxOrdersPerMinute: 0 } },
      'ORDER_RATE_EXCEEDED',
    ],
    [
      'maxOrdersPerDay',
      'as the last one allowed',
      { limits: { maxOrdersPerDay: 5 }, context: { ordersToday: 4 } },
      'passed',
    ],
    [
      'maxOrdersPerDay',
      'as one too many',
      { limits: { maxOrdersPerDay: 5 }, context: { ordersToday: 5 } },
      'ORDER_RATE_EXCEEDED',
    ],
    [
      'maxDailyLoss',
      'after a smaller loss',
      { limits: { maxDailyLoss: '500' }, context: { equity: '99500.01' } },
      'passed',
    ],
    [
      'maxDailyLoss',
      'once it is lost',
      { limits: { maxDailyLoss: '500' }, context: { equity: '99500' } },
      'DAILY_LOSS_REACHED',
    ],
    [
      'maxDailyLoss',
      'after a gain',
      { limits: { maxDailyLoss: '500' }, context: { equity: '120000' } },
      'passed',
    ],
    [
      'maxDailyLoss',
      'when nobody knows how the day began',
      { limits: { maxDailyLoss: '500' }, context: { dayStartEquity: null } },
      'skipped',
    ],
    [
      'maxDailyLossPercent',
      'after a smaller loss',
      { limits: { maxDailyLossPercent: '2' }, context: { equity: '98000.01' } },
      'passed',
    ],
    [
      'maxDailyLossPercent',
      'once it is lost',
      { limits: { maxDailyLossPercent: '2' }, context: { equity: '98000' } },
      'DAILY_LOSS_REACHED',
    ],
    [
      'maxDailyLossPercent',
      'when the day began with nothing',
      { limits: { maxDailyLossPercent: '2' }, context: { dayStartEquity: '0', equity: '0' } },
      'skipped',
    ],
    [
      'priceCollarPercent',
      'at its upper edge',
      { limits: { priceCollarPercent: '5' }, order: { limitPrice: '105' } },
      'passed',
    ],
    [
      'priceCollarPercent',
      'beyond its upper edge',
      { limits: { priceCollarPercent: '5' }, order: { limitPrice: '105.01' } },
      'PRICE_OUTSIDE_COLLAR',
    ],
    [
      'priceCollarPercent',
      'at its lower edge',
      { limits: { priceCollarPercent: '5' }, order: { stopPrice: '95' } },
      'passed',
    ],
    [
      'priceCollarPercent',
      'with the farther of two prices beyond it',
      { limits: { priceCollarPercent: '5' }, order: { stopPrice: '101', limitPrice: '94.99' } },
      'PRICE_OUTSIDE_COLLAR',
    ],
    ['priceCollarPercent', 'at market', { limits: { priceCollarPercent: '5' } }, 'skipped'],
    [
      'priceCollarPercent',
      'the last price being unknown',
      { limits: { priceCollarPercent: '5' }, order: { limitPrice: '100' }, context: { lastPrice: null } },
      'PRICE_UNKNOWN',
    ],
    [
      'priceCollarPercent',
      'to close, beyond it',
      { limits: { priceCollarPercent: '5' }, order: { side: 'SELL', limitPrice: '10' } },
      'PRICE_OUTSIDE_COLLAR',
    ],
    [
      'priceCollarPercent',
      'to close, the last price being unknown',
      {
        limits: { priceCollarPercent: '5' },
        order: { side: 'SELL', limitPrice: '10' },
        context: { lastPrice: null },
      },
      'skipped',
    ],
    ...(
      [
        ['that waited for nobody', { context: { lastPrice: '1' } }, 'skipped'],
        ['approved at the highest allowed price', { context: drift('105') }, 'passed'],
        ['approved right above it', { context: drift('105.01') }, 'PRICE_DRIFTED'],
        ['approved at the lowest allowed price', { context: drift('95') }, 'passed'],
        ['approved right below it', { context: drift('94.99') }, 'PRICE_DRIFTED'],
        ['approved at a price that is not known', { context: drift(null) }, 'PRICE_UNKNOWN'],
        ['that closes, approved at any price', { order: { side: 'SELL' }, context: drift('1') }, 'skipped'],
      ] as const
    ).map(([title, told, outcome]): [RiskRule, string, Case, string] => [
      'maxApprovalDriftPercent',
      title,
      { limits: { maxApprovalDriftPercent: '5' }, ...told },
      outcome,
    ]),
    ...(
      [
        ['worth as much as needs nobody', { order: { quantity: '50' } }, 'passed'],
        ['worth a cent more', { order: { quantity: '50.0001' } }, 'held'],
        ['worth more, approved', { order: { quantity: '51' }, context: { isApproved: true } }, 'passed'],
        ['of an unknown price', { context: { lastPrice: null } }, 'held'],
        ['that closes a large position', { order: { side: 'SELL', quantity: '999' } }, 'skipped'],
        [
          'at a limit of its own',
          { order: { quantity: '50', orderType: 'limit', limitPrice: '101' } },
          'held',
        ],
        ['where every one waits', { limits: { approvalAboveValue: '0' } }, 'held'],
        ['where none waits', { limits: {}, order: { quantity: '999' } }, 'skipped'],
      ] as const
    ).map(([title, told, outcome]): [RiskRule, string, Case, string] => [
      'approvalAboveValue',
      title,
      { limits: { approvalAboveValue: '5000' }, ...told },
      outcome,
    ]),
    ['duplicateWindowSeconds', 'after another order', { limits: { duplicateWindowSeconds: 2 } }, 'passed'],
    [
      'duplicateWindowSeconds',
      'at the end of the window',
      { limits: { duplicateWindowSeconds: 2 }, context: { secondsSinceTwin: 2 } },
      'DUPLICATE_SUSPECTED',
    ],
    [
      'duplicateWindowSeconds',
      'when only a warning is wanted',
      { limits: { duplicateWindowSeconds: 2, duplicatePolicy: 'warn' }, context: { secondsSinceTwin: 2 } },
      'warned',
    ],
    [
      'duplicateWindowSeconds',
      'after the window',
      { limits: { duplicateWindowSeconds: 2 }, context: { secondsSinceTwin: 2.001 } },
      'passed',
    ],
    ['allowedSymbols', 'of an allowed symbol', { limits: { allowedSymbols: ['MSFT', 'AAPL'] } }, 'passed'],
    ['allowedSymbols', 'of another symbol', { limits: { allowedSymbols: ['MSFT'] } }, 'SYMBOL_NOT_ALLOWED'],
    ['allowedSymbols', 'where none is allowed', { limits: { allowedSymbols: [] } }, 'SYMBOL_NOT_ALLOWED'],
    [
      'forbiddenSymbols',
      'of a forbidden symbol',
      { limits: { forbiddenSymbols: ['AAPL'] } },
      'SYMBOL_NOT_ALLOWED',
    ],
    ['forbiddenSymbols', 'of another symbol', { limits: { forbiddenSymbols: ['MSFT'] } }, 'passed'],
    ['marketHours', 'in a session, in regular hours only', { limits: { marketHours: 'regular' } }, 'passed'],
    [
      'marketHours',
      'before a session, in regular hours only',
      { limits: { marketHours: 'regular' }, context: { marketPhase: 'extended' } },
      'OUTSIDE_MARKET_HOURS',
    ],
    [
      'marketHours',
      'that may trade after hours, in regular hours only',
      { limits: { marketHours: 'regular' }, order: { extendedHours: true } },
      'OUTSIDE_MARKET_HOURS',
    ],
    [
      'marketHours',
      'for the opening auction, before the session',
      {
        limits: { marketHours: 'regular' },
        order: { timeInForce: 'opg' },
        context: { marketPhase: 'closed' },
      },
      'passed',
    ],
    [
      'marketHours',
      'before a session, in extended hours',
      { limits: { marketHours: 'extended' }, context: { marketPhase: 'extended' } },
      'passed',
    ],
    [
      'marketHours',
      'at night, in extended hours',
      { limits: { marketHours: 'extended' }, context: { marketPhase: 'closed' } },
      'OUTSIDE_MARKET_HOURS',
    ],
    [
      'marketHours',
      'when the calendar is not known',
      { limits: { marketHours: 'extended' }, context: { marketPhase: null } },
      'OUTSIDE_MARKET_HOURS',
    ],
    ['marketHours', 'at any time', { context: { marketPhase: 'closed' } }, 'skipped'],
  ]
  for (const [rule, title, told, outcome] of table)
    it(`checkRisk by ${rule}, an order ${title}: ${outcome}`, () => {
      assert.equal(outcomeOf(rule, told), outcome)
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
    it(`checkRisk under a halt at ${level} judges an opening manual order as one that no signal asked for`, () => {
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

  it('tell a limit that is lifted from one that is not set', () => {
    assert.equal(riskLimits({ maxOrderValue: null }).maxOrderValue, null)
    assert.equal(riskLimits({ maxOrderShares: '1' }).maxOrderValue, DEFAULT_RISK_LIMITS.maxOrderValue)
  })

  it('leave out limits that were lifted', () => {
    const stored = { maxMoonPhase: 3, maxOrderShares: '5' } as const
    assert.deepEqual(riskLimits(stored), { ...DEFAULT_RISK_LIMITS, maxOrderShares: '5' })
  })
})
