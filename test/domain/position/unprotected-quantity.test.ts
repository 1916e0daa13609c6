import assert from 'node:assert/strict'
import { EXIT_STATUSES, isExitAhead } from '#domain/exit/exit.ts'
import { ORDER_STATUSES } from '#domain/order/order.ts'
import {
  uncoveredShares,
  type HeldShares,
  type OrderOnShares,
  type SignalWithExit,
} from '#domain/position/ownership.ts'

const LONG: HeldShares = { side: 'LONG', quantity: '50' }
const SHORT: HeldShares = { side: 'SHORT', quantity: '50' }
const signal = (changes: Partial<SignalWithExit> = {}): SignalWithExit => ({
  action: 'openLong',
  filledQuantity: '10',
  exitStatus: 'scheduled',
  ...changes,
})
const order = (changes: Partial<OrderOnShares> = {}): OrderOnShares => ({
  side: 'SELL',
  status: 'OPEN',
  quantity: '20',
  filledQuantity: '0',
  ...changes,
})

describe('shares of a position without an exit', () => {
  it('shares of a position without an exit are all of them where no exit is planned and no order works', () => {
    assert.equal(uncoveredShares(LONG, [], []), '50')
  })

  it('shares of a position without an exit are those that neither planned exits nor working orders close', () => {
    assert.equal(uncoveredShares(LONG, [signal(), signal({ filledQuantity: '0.5' })], [order()]), '19.5')
  })

  it('count only the unfilled part of an order', () => {
    assert.equal(
      uncoveredShares(LONG, [], [order({ status: 'PARTIALLY_FILLED', filledQuantity: '15' })]),
      '45',
    )
  })

  it('shares of a position without an exit are never fewer than none, however much is about to be closed', () => {
    assert.equal(uncoveredShares(LONG, [signal({ filledQuantity: '45' })], [order()]), '0')
  })

  it('shares of a position without an exit of a short position are covered by buying back, not by selling', () => {
    const exits = [signal({ action: 'openShort' }), signal()]
    assert.equal(uncoveredShares(SHORT, exits, [order(), order({ side: 'BUY_TO_COVER' })]), '20')
  })

  it('shares of a position without an exit are not covered by orders that have ended or that open more', () => {
    const ended = ORDER_STATUSES.slice(3).map((status) => order({ status }))
    assert.equal(uncoveredShares(LONG, [], [...ended, order({ side: 'BUY' })]), '50')
  })

  it('shares of a position without an exit are covered by an exit that waits or has a time, and by no other: one that is sent has its order', () => {
    const ahead = EXIT_STATUSES.filter(isExitAhead)
    assert.deepEqual(ahead, ['waiting', 'scheduled'])
    const others = EXIT_STATUSES.filter((status) => !isExitAhead(status))
    assert.equal(
      uncoveredShares(
        LONG,
        others.map((exitStatus) => signal({ exitStatus })),
        [],
      ),
      '50',
    )
  })
})
