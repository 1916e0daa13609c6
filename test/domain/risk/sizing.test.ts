import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compare, decimalPlaces, multiply, type Decimal } from '#domain/money/decimal.ts'
import { TIMES_IN_FORCE } from '#domain/order/order.ts'
import { ACTIONS, isOpening } from '#domain/signal/signal.ts'
import { sizeEntry, type SizingFacts } from '#domain/risk/sizing.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { cases } from '#test/support/generators.ts'

type Terms = Parameters<typeof sizeEntry>[0]

const terms = (changes: Partial<Terms> = {}): Terms => ({
  action: 'openLong',
  symbol: 'AAPL',
  quantity: '10',
  quantityType: 'fixed',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  exit: null,
  ...changes,
})
const facts = (changes: Partial<SizingFacts> = {}): SizingFacts => ({
  equity: '100000',
  lastPrice: '150',
  buyAt: changes.lastPrice === undefined ? '150' : changes.lastPrice,
  sellAt: changes.lastPrice === undefined ? '150' : changes.lastPrice,
  buyingPower: null,
  orderCosts: ORDER_COSTS,
  closableQuantity: '0',
  position: null,
  fractionable: true,
  ...changes,
})

const dollars = (quantity: Decimal, changes: Partial<Terms> = {}): Partial<Terms> => ({
  quantityType: 'dollarAmount',
  quantity,
  ...changes,
})
const percent = (quantity: Decimal, changes: Partial<Terms> = {}): Partial<Terms> => ({
  ...dollars(quantity, changes),
  quantityType: 'percentEquity',
})
const ORDER_COSTS = { leastPartialOrder: '1', shortAboveAsk: '3', room: '0.5' } as const
const closingExit = { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } as const

describe('the size of an entry', () => {
  const sized: [name: string, terms: Partial<Terms>, facts: Partial<SizingFacts>, quantity: Decimal][] = [
    ['fixed: as asked for', {}, {}, '10'],
    ['fixed, a part of a share', { quantity: '0.5' }, {}, '0.5'],
    ['fixed, a whole share worth less than a dollar', { quantity: '1' }, { lastPrice: '0.5' }, '1'],
    ['fixed, a part of a share worth a dollar', { quantity: '0.02' }, { lastPrice: '50' }, '0.02'],
    ['fixed, whole, where only whole shares trade', {}, { fractionable: false }, '10'],
    ['dollars at the limit', dollars('1000', { limitPrice: '125' }), {}, '8'],
    ['dollars at the stop, when there is no limit', dollars('1000', { stopPrice: '200' }), {}, '5'],
    ['dollars, whole shares only: rounded down', dollars('1000'), { fractionable: false }, '6'],
    ['dollars, good till cancelled: whole shares', dollars('1000', { timeInForce: 'gtc' }), {}, '6'],
    ['dollars, sold short: whole shares', dollars('1000', { action: 'openShort' }), {}, '6'],
    [
      'dollars, with an exit in the closing auction: whole shares',
      dollars('1000', { exit: closingExit }),
      {},
      '6',
    ],
    [
      'dollars at the ask, which a buyer pays, and not at the last price',
      dollars('1000'),
      { buyAt: '160' },
      '6.25',
    ],
    [
      'dollars of a sale at the last price, for any ask',
      dollars('1000', { action: 'openShort' }),
      { buyAt: '160' },
      '6',
    ],
    [
      'dollars at the ask, when the market has passed the stop of a buyer',
      dollars('1000', { stopPrice: '120' }),
      { buyAt: '160' },
      '6.25',
    ],
    [
      'dollars of a short position bought back: at the ask',
      dollars('1000', { action: 'closeShort' }),
      { buyAt: '160', closableQuantity: '10' },
      '6.25',
    ],
    ['fixed: as asked for, for any buying power', {}, { buyingPower: '5' }, '10'],
    [
      'dollars, where the buying power pays for them with room to spare',
      dollars('1500'),
      { buyingPower: '1507.50' },
      '10',
    ],
    [
      'dollars at a limit, where the buying power just pays for them',
      dollars('1000', { limitPrice: '125' }),
      { buyingPower: '1000' },
      '8',
    ],
    ['percent of equity', percent('1.5'), {}, '10'],
    ['percent of equity, whole shares only', percent('1'), { fractionable: false }, '6'],
    ['closing all that is held', { action: 'closeLong' }, { closableQuantity: '10' }, '10'],
    ['closing a part of what is held', { action: 'closeShort' }, { closableQuantity: '25' }, '10'],
  ]
  for (const [name, wanted, standing, quantity] of sized)
    it(`${name}: ${quantity}`, () => {
      assert.deepEqual(sizeEntry(terms(wanted), facts(standing)), { quantity, advisories: [] })
    })

  it('closing more than is held: the held shares, with an advisory', () => {
    const result = sizeEntry(terms({ action: 'closeLong' }), facts({ closableQuantity: '4' }))
    assert.ok('quantity' in result)
    assert.equal(result.quantity, '4')
    assert.deepEqual(
      result.advisories.map(({ code }) => code),
      ['quantity_reduced_to_position'],
    )
  })

  const reduced: [name: string, terms: Partial<Terms>, facts: Partial<SizingFacts>, quantity: Decimal][] = [
    [
      'all the equity of a cash account, at market',
      percent('100'),
      { equity: '10000', buyingPower: '10000', buyAt: '150.02' },
      '66.326148221',
    ],
    [
      'twice the equity of a margin account, whole shares',
      percent('200', { timeInForce: 'gtc' }),
      { equity: '10000', buyingPower: '20000' },
      '132',
    ],
    [
      'dollars at a limit: without room, since no more can be paid',
      dollars('2000', { limitPrice: '125' }),
      { buyingPower: '1000' },
      '8',
    ],
    [
      'dollars sold short: at 3 % above the ask, and the room',
      dollars('20000', { action: 'openShort' }),
      { buyingPower: '10000', buyAt: '100' },
      '96',
    ],
    [
      'the one share that the buying power just pays for',
      dollars('450', { timeInForce: 'gtc' }),
      { buyingPower: '150' },
      '1',
    ],
  ]
  for (const [name, wanted, standing, quantity] of reduced)
    it(`the size of an entry is cut to the buying power, with an advisory, ${name}: ${quantity}`, () => {
      const result = sizeEntry(terms(wanted), facts(standing))
      assert.ok('quantity' in result, JSON.stringify(result))
      assert.equal(result.quantity, quantity)
      assert.deepEqual(
        result.advisories.map(({ code }) => code),
        ['quantity_reduced_to_buying_power'],
      )
    })

  for (const [action, side, words] of [
    ['closeShort', 'LONG', '10 AAPL are held LONG: use closeLong to sell'],
    ['closeLong', 'SHORT', '10 AAPL are held SHORT: use closeShort to buy to cover'],
    [
      'closeLong',
      'LONG',
      'No shares of AAPL are held that closeLong could close and no open order holds already',
    ],
  ] as const)
    it(`${action} of 10 shares held ${side} that it could not close: says that`, () => {
      const standing = facts({ position: { side, quantity: '10' } })
      assert.deepEqual(sizeEntry(terms({ action }), standing), {
        denied: 'NO_POSITION_TO_CLOSE',
        detail: words,
      })
    })

  const denied: [name: string, terms: Partial<Terms>, facts: Partial<SizingFacts>, code: string][] = [
    ['nothing is held to close', { action: 'closeLong' }, {}, 'NO_POSITION_TO_CLOSE'],
    [
      'a part of a share where only whole ones trade',
      { quantity: '0.5' },
      { fractionable: false },
      'INVALID_ORDER',
    ],
    [
      'a part of a share that is not a day order',
      { quantity: '0.5', timeInForce: 'gtc' },
      {},
      'INVALID_ORDER',
    ],
    ['a part of a share sold short', { quantity: '0.5', action: 'openShort' }, {}, 'INVALID_ORDER'],
    [
      'a part of a share for the closing auction',
      { quantity: '0.5', exit: closingExit },
      {},
      'INVALID_ORDER',
    ],
    ['no price is known', dollars('1000'), { lastPrice: null }, 'INVALID_ORDER'],
    ['the amount buys no whole share', dollars('149.99'), { fractionable: false }, 'QUANTITY_ROUNDS_TO_ZERO'],
    [
      'the buying power pays for no share of the amount',
      dollars('1000', { timeInForce: 'gtc' }),
      { buyingPower: '149.99' },
      'INSUFFICIENT_FUNDS',
    ],
    [
      'a part of a share is worth less than a dollar',
      { quantity: '0.0000001' },
      { lastPrice: '50' },
      'ORDER_TOO_SMALL',
    ],
    ['the amount is less than a dollar', dollars('0.99'), {}, 'ORDER_TOO_SMALL'],
    ['there is no equity', percent('5'), { equity: '0' }, 'QUANTITY_ROUNDS_TO_ZERO'],
    ['the equity is negative', percent('5'), { equity: '-1000' }, 'QUANTITY_ROUNDS_TO_ZERO'],
  ]
  for (const [name, wanted, standing, code] of denied)
    it(`the size of an entry is denied when ${name}: ${code}`, () => {
      const result = sizeEntry(terms(wanted), facts(standing))
      assert.equal('denied' in result && result.denied, code)
    })

  it('the size of an entry never flips a position, never exceeds the amount, and is never zero, negative or finer than may be traded', () => {
    const amount = (max: number, places: number): fc.Arbitrary<Decimal> =>
      fc.nat({ max: max * 10 ** places }).map((units) => `${units / 10 ** places}` as const)
    const price = fc.option(amount(5_000, 2), { nil: null })
    const anyTerms: fc.Arbitrary<Terms> = fc.record({
      action: fc.constantFrom(...ACTIONS),
      symbol: fc.constant('AAPL'),
      quantity: amount(10_000, 3).filter((quantity) => quantity !== '0'),
      quantityType: fc.constantFrom('fixed', 'percentEquity', 'dollarAmount'),
      limitPrice: price,
      stopPrice: price,
      timeInForce: fc.constantFrom(...TIMES_IN_FORCE),
      exit: fc.constantFrom(null, exitAtOnce, closingExit),
    })
    const anyFacts: fc.Arbitrary<SizingFacts> = fc.record({
      equity: amount(1_000_000, 2),
      lastPrice: price,
      buyAt: price,
      sellAt: price,
      buyingPower: fc.option(amount(20_000, 2), { nil: null }),
      orderCosts: fc.constant(ORDER_COSTS),
      closableQuantity: amount(1_000, 3),
      position: fc.constant(null),
      fractionable: fc.boolean(),
    })
    fc.assert(
      fc.property(anyTerms, anyFacts, (wanted, standing) => {
        const result = sizeEntry(wanted, standing)
        if ('denied' in result) return
        const { quantity } = result
        assert.ok(compare(quantity, '0') > 0, quantity)
        if (!isOpening(wanted.action)) assert.ok(compare(quantity, standing.closableQuantity) <= 0)
        if (wanted.quantityType === 'fixed') assert.ok(compare(quantity, wanted.quantity) <= 0)
        else {
          const buys = wanted.action === 'openLong' || wanted.action === 'closeShort'
          const at = wanted.limitPrice ?? wanted.stopPrice ?? (buys ? standing.buyAt : standing.lastPrice)!
          const most =
            wanted.quantityType === 'dollarAmount'
              ? wanted.quantity
              : multiply(multiply(standing.equity, wanted.quantity), '0.01')
          assert.ok(compare(multiply(quantity, at), most) <= 0, `${quantity} at ${at} is more than ${most}`)
          const { buyingPower } = standing
          if (isOpening(wanted.action) && wanted.action !== 'openShort' && buyingPower !== null)
            assert.ok(
              compare(multiply(quantity, at), buyingPower) <= 0,
              `${quantity} at ${at}: ${buyingPower}`,
            )
        }
        const mayBePart =
          standing.fractionable && wanted.timeInForce === 'day' && wanted.action !== 'openShort'
        if (!mayBePart && isOpening(wanted.action)) assert.equal(decimalPlaces(quantity), 0)
        assert.ok(decimalPlaces(quantity) <= 9)
      }),
      { numRuns: cases(10_000) },
    )
  })
})
