import assert from 'node:assert/strict'
import fc from 'fast-check'
import { add, type Decimal } from '#domain/money/decimal.ts'
import { feesOfDay } from '#domain/money/fill-fees.ts'
import type { Execution, Fee } from '#domain/order/fill.ts'
import { cases } from '#test/support/generators.ts'

const fill = (
  executionId: string,
  side: Execution['side'],
  quantity: Decimal,
  price: Decimal,
): Execution => ({
  executionId,
  brokerOrderId: 'order',
  symbol: 'AAPL',
  side,
  quantity,
  price,
  at: '2026-03-02T15:00:00.000000Z',
  orderFilled: quantity,
})
const fee = (amount: Decimal, fields: Partial<Fee> = {}): Fee => ({
  feeId: 'fee',
  executionId: null,
  day: '2026-03-02',
  amount,
  kind: 'trades',
  ...fields,
})

describe('fees of a day', () => {
  it('fees of a day for one execution are that execution’s', () => {
    const charged = feesOfDay(
      [fill('a', 'BUY', '1', '10'), fill('b', 'SELL', '1', '10')],
      [fee('0.02', { executionId: 'b' }), fee('0.01', { executionId: 'b' })],
    )
    assert.deepEqual(
      [...charged],
      [
        ['a', '0'],
        ['b', '0.03'],
      ],
    )
  })

  it('fees of a day for all of them are divided by the worth of each', () => {
    // 300 and 100 dollars: three quarters and one.
    const charged = feesOfDay([fill('a', 'BUY', '3', '100'), fill('b', 'SELL', '1', '100')], [fee('0.04')])
    assert.deepEqual(
      [...charged],
      [
        ['a', '0.03'],
        ['b', '0.01'],
      ],
    )
  })

  it('fees of a day that are charged for sales leave purchases alone', () => {
    const bought = fill('a', 'BUY', '3', '100')
    const sold = fill('b', 'SELL', '1', '100')
    assert.deepEqual(
      [...feesOfDay([bought, sold], [fee('0.04', { kind: 'sales' })])],
      [
        ['a', '0'],
        ['b', '0.04'],
      ],
    )
  })

  it('stay unassigned when there is nothing that they can be for', () => {
    const bought = fill('a', 'BUY', '3', '100')
    assert.deepEqual([...feesOfDay([bought], [fee('0.04', { kind: 'sales' })])], [['a', '0']])
    assert.deepEqual([...feesOfDay([bought], [fee('0.04', { kind: 'other' })])], [['a', '0']])
    assert.deepEqual([...feesOfDay([bought], [fee('0.04', { executionId: 'unknown' })])], [['a', '0']])
    assert.deepEqual([...feesOfDay([], [fee('0.04')])], [])
  })

  it('fees of a day are borne exactly, for any fills', () => {
    const amount = fc.integer({ min: -50, max: 500 }).map((value) => (value / 100).toFixed(2) as Decimal)
    const sold = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 999 })), { minLength: 1 })
      .map((raw) =>
        raw.map(([quantity, price], index) => fill(`x${index}`, 'SELL', `${quantity}`, `${price}`)),
      )
    fc.assert(
      fc.property(sold, fc.array(amount), (fills, amounts) => {
        const charged = feesOfDay(
          fills,
          amounts.map((each) => fee(each)),
        )
        const sum = (values: Iterable<Decimal>) => [...values].reduce(add, '0')
        assert.equal(sum(charged.values()), sum(amounts))
      }),
      { numRuns: cases(10_000, 300) },
    )
  })
})
