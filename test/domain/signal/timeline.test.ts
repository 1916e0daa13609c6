import assert from 'node:assert/strict'
import { endedEarlyMessage, endedUnfilledMessage, filledMessage } from '#domain/order/entry-order.ts'
import type { OrderSide } from '#domain/order/order.ts'
import {
  acknowledgedEntry,
  cancelRequestedEntry,
  cancelledForEntry,
  progressEntry,
} from '#domain/signal/timeline.ts'
import { reportOf } from '#test/support/sample-signal.ts'

const ID = '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'
const AT = '2026-03-02T15:00:00.000Z'

const order = (side: OrderSide, clientOrderId = `${ID}-e1`) =>
  reportOf(
    {
      clientOrderId,
      symbol: 'AAPL',
      side,
      quantity: '10',
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
      extendedHours: false,
    },
    AT,
  )

describe('the words of a timeline', () => {
  for (const [side, name] of [
    ['BUY', 'entry order'],
    ['SELL_SHORT', 'entry order'],
    ['SELL', 'closing order'],
    ['BUY_TO_COVER', 'closing order'],
  ] as const)
    it(`call the first order of a signal that is ${side} its ${name}`, () => {
      const report = order(side)
      assert.ok(acknowledgedEntry(report).message.startsWith(`The broker accepted the ${name}: ${side} 10`))
      const cancelled = { ...report, status: 'CANCELLED' as const }
      assert.equal(progressEntry(cancelled, AT).message, `The ${name} is cancelled, nothing filled`)
      assert.equal(endedUnfilledMessage(cancelled), `The ${name} ended CANCELLED without a fill`)
      const early = { ...cancelled, filledQuantity: '4' as const }
      assert.equal(endedEarlyMessage(early), `The ${name} ended CANCELLED with 4 of 10 shares filled`)
    })

  it('call no fill of an order that closes a position an entry', () => {
    const fill = { filledQuantity: '10', avgFillPrice: '100' } as const
    assert.match(filledMessage({ ...order('BUY'), ...fill }), /^The entry is filled: 10 of 10 shares/)
    assert.match(
      filledMessage({ ...order('SELL'), ...fill }),
      /^The closing order is filled: 10 of 10 shares/,
    )
  })

  it('call an exit order so on any side', () => {
    assert.match(acknowledgedEntry(order('SELL', `${ID}-x1`)).message, /accepted the exit order: SELL 10/)
  })

  it('say of an order that is replaced why it is cancelled, and of one that a person cancels who wanted that', () => {
    const { message, data } = cancelledForEntry(AT, `${ID}-x1`, 'other-e1')
    assert.equal(
      message,
      'The exit order is cancelled so that another order can be sent; it may fill until the broker confirms',
    )
    assert.deepEqual(data, { clientOrderId: `${ID}-x1`, closer: 'other-e1' })
    assert.match(
      cancelRequestedEntry(AT, `${ID}-x1`, 'ann').message,
      /^ann requested to cancel the exit order;/,
    )
  })
})
