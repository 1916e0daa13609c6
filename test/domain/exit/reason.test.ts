import assert from 'node:assert/strict'
import { add, subtract, type Decimal } from '#domain/money/decimal.ts'
import { exitReasonOf, EXIT_REASONS, type ClosingExit, type ClosingReason } from '#domain/exit/reason.ts'
import {
  breakEvenPrice,
  restingOrder,
  stopNow,
  targetPrice,
  type Protection,
} from '#domain/exit/protection.ts'

const SIGNAL = '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'
const NO_PLAN: Protection = { stop: null, target: null, trail: null, breakEven: null, until: 'closed' }
const position = (side: 'LONG' | 'SHORT') => ({ side, average: '100', fees: '0.02' }) as const

/** A price so many dollars towards the profit of the side, or, below zero, towards its loss. */
const at = (side: 'LONG' | 'SHORT', dollars: Decimal): Decimal =>
  side === 'LONG' ? add('100', dollars) : subtract('100', dollars)

/** Percents away of the levels of a plan. */
const levelsOfSignal = (levels: { [Part in 'stop' | 'target' | 'trail' | 'breakEven']?: Decimal }) =>
  Object.fromEntries(
    Object.entries(levels).map(([part, percent]) => [part, { percent }]),
  ) as Partial<Protection>
const ALL = levelsOfSignal({ stop: '3', target: '6', trail: '2', breakEven: '2' })

/** How a level was reached: the best price before that, in dollars from the entry, and the plan. */
const REACHED: [reason: ClosingReason, best: Decimal, plan: Partial<Protection>][] = [
  ['STOP_LOSS', '0', levelsOfSignal({ stop: '3' })],
  ['STOP_LOSS', '2', levelsOfSignal({ stop: '3', target: '6' })],
  ['STOP_LOSS', '2', levelsOfSignal({ stop: '3', breakEven: '4' })],
  ['STOP_LOSS', '1', levelsOfSignal({ stop: '1', trail: '5' })],
  ['TAKE_PROFIT', '6', levelsOfSignal({ target: '6' })],
  ['TAKE_PROFIT', '6', levelsOfSignal({ stop: '3', target: '6' })],
  ['TAKE_PROFIT', '6', ALL],
  ['TRAILING_STOP', '0', levelsOfSignal({ trail: '2' })],
  ['TRAILING_STOP', '5', levelsOfSignal({ stop: '3', trail: '2' })],
  ['TRAILING_STOP', '5', { trail: { amount: '1' }, breakEven: { percent: '2' } }],
  ['BREAK_EVEN', '2.5', levelsOfSignal({ stop: '3', breakEven: '2' })],
  ['BREAK_EVEN', '2.5', levelsOfSignal({ stop: '3', breakEven: '2', trail: '5' })],
]

describe('the reason of an exit', () => {
  for (const side of ['LONG', 'SHORT'] as const)
    for (const [reason, best, plan] of REACHED) {
      const isTarget = reason === 'TAKE_PROFIT'
      const protection = { ...NO_PLAN, ...plan }
      const held = position(side)
      const bestPrice = at(side, best)
      const level = isTarget ? targetPrice(protection, held)! : stopNow(protection, held, bestPrice)!.price
      const closed = (fields: Partial<ClosingExit>): ClosingExit => ({
        clientOrderId: `${SIGNAL}-p1`,
        orderType: 'market',
        limitPrice: null,
        stopPrice: null,
        reason: 'PROTECTION',
        price: level,
        side,
        levels: { protection, position: held, best: bestPrice },
        ...fields,
      })
      const name = `${reason} of a ${side.toLowerCase()} position with ${Object.keys(plan).join(', ')}`

      for (const [how, abilities] of [
        ['a broker that keeps every kind of order', { oco: true, trailing: true }],
        ['a broker that keeps single orders', { oco: false, trailing: false }],
      ] as const)
        for (const quantity of ['10', '10.5'] as const)
          it(`the reason of an exit is ${name}, by the order of ${quantity} shares at ${how}`, () => {
            const resting = restingOrder(protection, held, bestPrice, { quantity, abilities })
            const isThere =
              resting !== null && (!isTarget || resting.orderType === 'oco' || resting.orderType === 'limit')
            const order = isThere
              ? { ...resting, clientOrderId: `${SIGNAL}-p3` }
              : isTarget
                ? {
                    clientOrderId: `${SIGNAL}-t3`,
                    orderType: 'limit' as const,
                    limitPrice: level,
                    reason: 'TAKE_PROFIT' as const,
                  }
                : { clientOrderId: `${SIGNAL}-x3`, reason: 'STOP_LOSS' as const }
            assert.equal(exitReasonOf(closed(order)), reason)
            // Past its level, as after a gap: a target fills better, a stop worse.
            const beyond = (isTarget ? '0.8' : '-0.8') as Decimal
            const gapped = side === 'LONG' ? add(level, beyond) : subtract(level, beyond)
            assert.equal(exitReasonOf(closed({ ...order, price: gapped })), reason)
          })

      it(`the reason of an exit is ${name}, kept here`, () => {
        const order = isTarget
          ? {
              clientOrderId: `${SIGNAL}-t1`,
              orderType: 'limit' as const,
              limitPrice: level,
              reason: 'TAKE_PROFIT' as const,
            }
          : { clientOrderId: `${SIGNAL}-x1`, reason: 'STOP_LOSS' as const }
        assert.equal(exitReasonOf(closed(order)), reason)
      })
    }

  it('the reason of an exit is the time of an exit that left at its time, with a plan or without', () => {
    const timed = {
      clientOrderId: `${SIGNAL}-x2`,
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      price: '90',
      side: 'LONG',
    } as const
    const levels = {
      protection: { ...NO_PLAN, stop: { percent: '3' as const } },
      position: position('LONG'),
      best: '100' as const,
    }
    assert.equal(exitReasonOf({ ...timed, reason: null, levels: null }), 'TIME')
    assert.equal(exitReasonOf({ ...timed, reason: 'TIME', levels }), 'TIME')
    assert.equal(exitReasonOf({ ...timed, reason: 'STOP_LOSS', levels }), 'STOP_LOSS')
  })

  it('the reason of an exit is break-even also where fees became known after the stop was moved there', () => {
    const held = position('LONG')
    const protection: Protection = { ...NO_PLAN, trail: { percent: '9' }, breakEven: { percent: '1' } }
    const levels = { protection, position: { ...held, fees: '0.03' as const }, best: '102' as const }
    const stopPrice = breakEvenPrice(held)
    const order = {
      clientOrderId: `${SIGNAL}-p2`,
      orderType: 'stop',
      limitPrice: null,
      stopPrice,
      reason: 'PROTECTION',
    } as const
    assert.equal(exitReasonOf({ ...order, price: stopPrice, side: 'LONG', levels }), 'BREAK_EVEN')
  })

  it('the reason of an exit has a case of every level in these tables', () => {
    const told = new Set<ClosingReason>([...REACHED.map(([reason]) => reason), 'TIME', 'CLOSE'])
    assert.deepEqual([...told].toSorted(), [...EXIT_REASONS].toSorted())
  })
})
