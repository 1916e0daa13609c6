import assert from 'node:assert/strict'
import fc from 'fast-check'
import { nextPart } from '#domain/time/session.ts'
import {
  add,
  compare,
  decimal,
  decimalPlaces,
  isPositive,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'

const moc = { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } as const
const loc = { ...exitAtOnce, orderType: 'limit', limitPrice: '10', timeInForce: 'cls' } as const

describe('the parts of an exit', () => {
  it('the parts of an exit of 3.33 shares for the auction: 0.33 at market, then 3 in the auction', () => {
    const first = nextPart(moc, '3.33')
    assert.deepEqual([first.quantity, first.isFraction], ['0.33', true])
    assert.deepEqual([first.rule.orderType, first.rule.timeInForce], ['market', 'day'])
    assert.deepEqual(nextPart(moc, '3'), { quantity: '3', rule: moc, isFraction: false })
  })

  it('the parts of an exit of less than a share for the auction, also at a limit: at market', () => {
    for (const rule of [moc, loc]) {
      const { quantity, rule: by } = nextPart(rule, '0.4')
      assert.deepEqual([quantity, by.orderType, by.limitPrice], ['0.4', 'market', null])
    }
  })

  it('the parts of an exit of 3.33 shares whose part the broker does not sell: 3 in the auction first, then the 0.33', () => {
    assert.deepEqual(nextPart(moc, '3.33', true), { quantity: '3', rule: moc, isFraction: false })
    const rest = nextPart(moc, '0.33', true)
    assert.deepEqual([rest.quantity, rest.isFraction], ['0.33', true])
  })

  it('the parts of an exit at market or at a price of the session: all at once', () => {
    assert.deepEqual(nextPart(exitAtOnce, '3.33'), { quantity: '3.33', rule: exitAtOnce, isFraction: false })
  })

  it('sum up to the whole in two orders at most, and only whole shares go to the auction', () => {
    const shares = fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 999_999_999 }))
    fc.assert(
      fc.property(shares, fc.constantFrom(moc, loc, exitAtOnce), ([whole, billionths], rule) => {
        const quantity = add(`${whole}`, decimal(`0.${String(billionths).padStart(9, '0')}`))
        let left: Decimal = quantity
        let orders = 0
        while (isPositive(left)) {
          const part = nextPart(rule, left)
          assert.ok(isPositive(part.quantity) && compare(part.quantity, left) <= 0)
          if (part.rule.timeInForce === 'cls') assert.equal(decimalPlaces(part.quantity), 0)
          left = subtract(left, part.quantity)
          orders += 1
        }
        assert.ok(orders <= 2)
      }),
    )
  })
})
