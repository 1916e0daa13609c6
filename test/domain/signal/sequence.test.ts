import assert from 'node:assert/strict'
import type { OrderType, TimeInForce } from '#domain/order/order.ts'
import { dependence, type Dependence } from '#domain/signal/sequence.ts'
import { ACTIONS, type Action } from '#domain/signal/signal.ts'

/**
 * Rows: the earlier signal. Columns, in the order of ACTIONS: the later one. "end" waits for the end of the earlier
 * order, "sent" until it has been sent; "at once" for its end if it ends at once, until it has been sent if it rests.
 */
const TABLE: Record<Action, string> = {
  //            openLong  closeLong  openShort  closeShort
  openLong: '   -         at-once    at-once    -',
  closeLong: '  sent      sent       end        -',
  openShort: '  at-once   -          -          at-once',
  closeShort: ' end       -          sent       sent',
}

const AT_ONCE: [OrderType, TimeInForce][] = [
  ['market', 'day'],
  ['market', 'gtc'],
  ['market', 'opg'],
  ['limit', 'ioc'],
  ['limit', 'fok'],
]
const RESTING: [OrderType, TimeInForce][] = [
  ['limit', 'day'],
  ['limit', 'gtc'],
  ['limit', 'gtd'],
  ['stop', 'day'],
  ['stopLimit', 'gtc'],
]

const wait = (word: string, endsAtOnce: boolean): Dependence | null => {
  if (word === '-') return null
  if (word === 'sent') return 'sent'
  return word === 'end' || endsAtOnce ? 'ended' : 'sent'
}

describe('the wait of a later signal of the same account and symbol', () => {
  for (const earlier of ACTIONS)
    for (const [column, later] of ACTIONS.entries()) {
      const word = TABLE[earlier].trim().split(/\s+/)[column]!
      it(`${later} after ${earlier}: ${word}`, () => {
        const orders = [
          ...AT_ONCE.map((order) => [...order, true] as const),
          ...RESTING.map((order) => [...order, false] as const),
        ]
        for (const [orderType, timeInForce, endsAtOnce] of orders)
          // However the later one is ordered changes nothing.
          for (const [laterType, laterTime] of [...AT_ONCE, ...RESTING])
            assert.equal(
              dependence(
                { action: earlier, orderType, timeInForce },
                { action: later, orderType: laterType, timeInForce: laterTime },
              ),
              wait(word, endsAtOnce),
              `${orderType} ${timeInForce}, then ${laterType} ${laterTime}`,
            )
      })
    }

  describe('where one of them has a target,', () => {
    const limit = { orderType: 'limit', timeInForce: 'gtc' } as const
    const target = { position: '10', exit: null, at: null } as const

    it('waits for the sending of all that came before it', () => {
      for (const action of ACTIONS)
        assert.equal(dependence({ action, ...limit }, { action: 'openLong', ...limit, target }), 'sent')
    })

    it('waits for its sending, also an opening of the same direction', () => {
      assert.equal(
        dependence({ action: 'openLong', ...limit, target }, { action: 'openLong', ...limit }),
        'sent',
      )
    })

    it('waits for both halves of it where it goes from one side to the other', () => {
      for (const action of ACTIONS)
        assert.equal(dependence({ action: 'closeShort', ...limit, target }, { action, ...limit }), 'ended')
    })
  })
})
