import assert from 'node:assert/strict'
import {
  ACTIONS,
  ENTRY_SIDE,
  EXIT_SIDE,
  isOpening,
  workflowIdFor,
  type Action,
} from '#domain/signal/signal.ts'
import { ORDER_SIDES, type OrderSide } from '#domain/order/order.ts'

describe('the side of a signal', () => {
  const table: [action: Action, entry: OrderSide, exit: OrderSide | null][] = [
    ['openLong', 'BUY', 'SELL'],
    ['closeLong', 'SELL', null],
    ['openShort', 'SELL_SHORT', 'BUY_TO_COVER'],
    ['closeShort', 'BUY_TO_COVER', null],
  ]
  for (const [action, entry, exit] of table) {
    it(`${action} enters by ${entry} and ${exit ? `leaves by ${exit}` : 'has no exit'}`, () => {
      assert.equal(ENTRY_SIDE[action], entry)
      assert.equal(isOpening(action) ? EXIT_SIDE[action] : null, exit)
    })
  }

  it('the side of a signal is decided for every action, each in a way of its own', () => {
    assert.deepEqual(
      table.map(([action]) => action),
      [...ACTIONS],
    )
    assert.deepEqual(new Set(Object.values(ENTRY_SIDE)), new Set(ORDER_SIDES))
  })

  it('closes a position by the side opposite to its entry', () => {
    assert.equal(EXIT_SIDE.openLong, ENTRY_SIDE.closeLong)
    assert.equal(EXIT_SIDE.openShort, ENTRY_SIDE.closeShort)
  })
})

describe('the workflow id of a signal', () => {
  it('names the signal', () => {
    const signalId = '0b9e1c1e-6f4e-4d0f-9d3a-6a1d6f1f0a11'
    assert.equal(workflowIdFor(signalId), `signal-${signalId}`)
  })
})
