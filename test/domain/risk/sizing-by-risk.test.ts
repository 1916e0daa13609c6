import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { sizeEntry, type SizingFacts } from '#domain/risk/sizing.ts'
import { cases } from '#test/support/generators.ts'

type Terms = Parameters<typeof sizeEntry>[0]

const plan = (changes: Partial<Protection>): Protection => ({
  stop: null,
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
  ...changes,
})
const terms = (changes: Partial<Terms>): Terms => ({
  action: 'openLong',
  symbol: 'AAPL',
  quantity: '100',
  quantityType: 'riskDollars',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  exit: null,
  protection: plan({ stop: { percent: '5' } }),
  ...changes,
})
const planned = (changes: Partial<Protection>, others: Partial<Terms> = {}): Partial<Terms> => ({
  ...others,
  protection: plan(changes),
})
const SENSELESS = 'PROTECTION_SENSELESS'
const facts = (changes: Partial<SizingFacts> = {}): SizingFacts => ({
  equity: '20000',
  lastPrice: '100',
  buyAt: '100.10',
  sellAt: '100',
  buyingPower: null,
  orderCosts: { leastPartialOrder: '1', shortAboveAsk: '3', room: '0.5' },
  closableQuantity: '0',
  position: null,
  fractionable: false,
  ...changes,
})

describe('the size of an entry by what it risks', () => {
  const sized: [string, Partial<Terms>, Partial<SizingFacts>, Decimal][] = [
    ['to a stop in percent, from the ask: 100 / 5.00', {}, {}, '20'],
    ['in percent of equity', { quantityType: 'riskPercent', quantity: '1', limitPrice: '100' }, {}, '40'],
    [
      'to a stop at a price, at the limit',
      planned({ stop: { price: '98' } }, { limitPrice: '100' }),
      {},
      '50',
    ],
    [
      'to a trail that counts from the fill on',
      planned({ trail: { amount: '4' } }, { limitPrice: '100' }),
      {},
      '25',
    ],
    [
      'to the nearer of stop and trail',
      planned({ stop: { amount: '10' }, trail: { amount: '4' } }, { limitPrice: '100' }),
      {},
      '25',
    ],
    [
      'to the stop, where the trail begins later',
      planned(
        { stop: { amount: '10' }, trail: { amount: '4', after: { amount: '1' } } },
        { limitPrice: '100' },
      ),
      {},
      '10',
    ],
    ['of a short sale, from the bid', planned({ stop: { amount: '3' } }, { action: 'openShort' }), {}, '33'],
    [
      'in parts of a share',
      planned({ stop: { amount: '30' } }, { limitPrice: '100' }),
      { fractionable: true },
      '3.333333333',
    ],
    [
      'to a stop just far enough',
      planned({ stop: { price: '99.9' } }, { limitPrice: '100' }),
      { buyAt: null },
      '1000',
    ],
  ]
  for (const [name, wanted, standing, quantity] of sized)
    it(`the size of an entry by what it risks, ${name}: ${quantity}`, () =>
      assert.deepEqual(sizeEntry(terms(wanted), facts(standing)), { quantity, advisories: [] }))

  const denied: [string, Partial<Terms>, Partial<SizingFacts>, string][] = [
    ['without a stop', planned({ target: { percent: '5' } }), {}, 'INVALID_ORDER'],
    ['without a price', {}, { buyAt: null }, 'INVALID_ORDER'],
    ['with a stop beyond the price', planned({ stop: { price: '101' } }), {}, SENSELESS],
    [
      'with a stop next to the price',
      planned({ stop: { price: '99.91' } }, { limitPrice: '100' }),
      { buyAt: null },
      SENSELESS,
    ],
    [
      'with a stop within the spread',
      planned({ stop: { price: '99.5' } }, { limitPrice: '100' }),
      { buyAt: '100.6' },
      SENSELESS,
    ],
    ['beyond the buying power', { limitPrice: '100' }, { buyingPower: '1000' }, 'INSUFFICIENT_FUNDS'],
    ['where a share risks more', { quantity: '4' }, {}, 'QUANTITY_ROUNDS_TO_ZERO'],
  ]
  for (const [name, wanted, standing, code] of denied)
    it(`the size of an entry by what it risks is denied ${name}: ${code}`, () => {
      const result = sizeEntry(terms(wanted), facts(standing))
      assert.equal('denied' in result && result.denied, code)
    })

  it('the size of an entry by what it risks is what an independent computation says, for any price, stop and amount', () => {
    // In thousandths of a millionth of a dollar, so that nothing has to be rounded but what the rules round.
    const DOLLAR = 1_000_000_000n
    const text = (cents: bigint): Decimal => `${Number(cents) / 100}`
    const cents = (most: number) => fc.bigInt(1n, BigInt(most))
    fc.assert(
      fc.property(
        fc.constantFrom('openLong', 'openShort'),
        cents(200_000),
        cents(5_000_000),
        fc.oneof(
          cents(100_000).map((amount) => ({ amount })),
          cents(9_999).map((percent) => ({ percent })),
          cents(400_000).map((price) => ({ price })),
        ),
        fc.boolean(),
        (action, fill, amount, level, fractionable) => {
          const sign = action === 'openLong' ? 1n : -1n
          const at = (fill * DOLLAR) / 100n
          const away =
            'amount' in level
              ? (level.amount * DOLLAR) / 100n
              : 'percent' in level
                ? (at * level.percent) / 10_000n
                : sign * (at - (level.price * DOLLAR) / 100n)
          const exact = at - sign * away
          const step = exact >= DOLLAR ? DOLLAR / 100n : DOLLAR / 10_000n
          const stop = 'percent' in level ? ((2n * exact + step) / (2n * step)) * step : exact
          // Stops below zero are no stops; whatever is said of them, nothing is bought by them.
          fc.pre(stop > 0n)
          const risk = sign * (at - stop)
          const places = fractionable && action === 'openLong' ? 1_000_000_000n : 1n
          const [[kind, size]] = Object.entries(level) as [[string, bigint]]
          const result = sizeEntry(
            terms({
              action,
              quantity: text(amount),
              limitPrice: text(fill),
              protection: plan({
                stop: { [kind]: text(size) } as unknown as NonNullable<Protection['stop']>,
              }),
            }),
            facts({ fractionable, buyAt: null, sellAt: null }),
          )
          const tick = fill >= 100n ? DOLLAR / 100n : DOLLAR / 10_000n
          const isNear = risk * 1_000n < at || risk < tick
          if (isNear) return assert.equal('denied' in result && result.denied, 'PROTECTION_SENSELESS')
          const shares = (((amount * DOLLAR) / 100n) * places) / risk
          if (shares === 0n)
            return assert.equal('denied' in result && result.denied, 'QUANTITY_ROUNDS_TO_ZERO')
          if ('denied' in result) return assert.equal(result.denied, 'ORDER_TOO_SMALL')
          const [whole, part = ''] = result.quantity.split('.')
          assert.equal(BigInt(whole + part.padEnd(places === 1n ? 0 : 9, '0')), shares)
        },
      ),
      { numRuns: cases(5_000) },
    )
  })
})

describe('the size of a close in percent of the position', () => {
  const held = (quantity: Decimal, closable = quantity): Partial<SizingFacts> => ({
    closableQuantity: closable,
    position: { side: 'LONG', quantity },
  })
  const rows: [string, Partial<Terms>, Partial<SizingFacts>, string][] = [
    ['100 of 7', { quantity: '100' }, held('7'), '7'],
    ['100 of 7.25, a part of a share too', { quantity: '100' }, held('7.25'), '7.25'],
    [
      '100 of 7.25, not by a day order',
      { quantity: '100', timeInForce: 'gtc' },
      held('7.25'),
      '7 part_of_share_left',
    ],
    ['50 of 7', { quantity: '50' }, held('7'), '3'],
    ['50 of 7.9', { quantity: '50' }, held('7.9'), '3'],
    ['10 of 7', { quantity: '10' }, held('7'), 'QUANTITY_ROUNDS_TO_ZERO'],
    ['50 of 10, with 2 free', { quantity: '50' }, held('10', '2'), '2 quantity_reduced_to_position'],
    ['100 of none', { quantity: '100' }, {}, 'NO_POSITION_TO_CLOSE'],
    [
      '100 of a short position by closeLong',
      { quantity: '100' },
      { position: { side: 'SHORT', quantity: '5' } },
      'NO_POSITION_TO_CLOSE',
    ],
  ]
  for (const [name, wanted, standing, expected] of rows)
    it(`the size of a close in percent of the position, ${name}: ${expected}`, () => {
      const close = terms({ action: 'closeLong', quantityType: 'percentPosition', ...wanted })
      const { protection: _, ...asked } = close
      const result = sizeEntry(asked, facts(standing))
      const told =
        'denied' in result
          ? result.denied
          : [result.quantity, ...result.advisories.map(({ code }) => code)].join(' ')
      assert.equal(told, expected)
    })
})
