import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withStopAt } from '#activities/exit/move-stop.ts'
import { add, isPositive, multiply, type Decimal } from '#domain/money/decimal.ts'
import { isInTicks, toNearestTick } from '#domain/money/price-tick.ts'
import {
  breakEvenPrice,
  restingOrder,
  type Distance,
  type Protection,
  type RestingOrder,
} from '#domain/exit/protection.ts'
import { cases } from '#test/support/generators.ts'

/** 0.9 to 1.1, as an average fill or a best price. */
const aroundADollar = fc
  .integer({ min: 0, max: 2_000_000 })
  .map((part): Decimal => add('0.9', multiply(`${part}`, '0.0000001')))
const distance = fc
  .integer({ min: 1, max: 2_000 })
  .chain((size) =>
    fc.constantFrom<Distance>({ percent: `${size / 100}` }, { amount: toNearestTick(`${size / 1e4}`) }),
  )
const stop = fc.tuple(distance, fc.integer({ min: 0, max: 500 })).map(([by, offset]) => ({
  ...by,
  limitOffset: toNearestTick(multiply(`${offset}`, '0.0001')),
}))
const plan = fc.record({
  stop: fc.option(fc.oneof(distance, stop)),
  target: fc.option(distance),
  trail: fc.option(distance),
  breakEven: fc.option(distance),
  until: fc.constant('closed' as const),
}) satisfies fc.Arbitrary<Protection>

describe('prices that brokers take', () => {
  const assertTaken = (order: RestingOrder | null, what: string): void => {
    for (const price of [order?.limitPrice, order?.stopPrice, order?.stopLimitPrice])
      assert.ok(price == null || !isPositive(price) || isInTicks(price), `${what}: ${JSON.stringify(order)}`)
  }

  it('prices of the order of an exit by levels are ones that brokers take, also where it is moved over a dollar', () => {
    fc.assert(
      fc.property(
        plan,
        fc.record({
          side: fc.constantFrom('LONG' as const, 'SHORT' as const),
          average: aroundADollar,
          fees: aroundADollar.map((price) => multiply(price, '0.001')),
        }),
        aroundADollar,
        aroundADollar,
        fc.boolean(),
        (given, position, best, moved, oco) => {
          const abilities = { oco, trailing: true }
          const order = restingOrder(given, position, best, { quantity: '10', abilities })
          assertTaken(order, 'placed')
          if (order?.stopPrice != null) assertTaken(withStopAt(order, toNearestTick(moved)), 'moved')
          assert.ok(isInTicks(breakEvenPrice(position)))
        },
      ),
      { numRuns: cases(2_000) },
    )
  })
})
