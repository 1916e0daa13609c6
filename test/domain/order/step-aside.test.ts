import assert from 'node:assert/strict'
import { stepAside } from '#domain/order/opposite-orders.ts'
import type { LiveOrder } from '#domain/position/symbol-state.ts'
import { liveOrder } from '../position/live-orders.ts'

const BUY = {
  action: 'openLong',
  symbol: 'AAPL',
  orderType: 'market',
  timeInForce: 'day',
  limitPrice: null,
} as const
const exit = (changes: Partial<LiveOrder> = {}): LiveOrder =>
  liveOrder({ role: 'exit', clientOrderId: 'own-p1', ...changes })
const STOP = exit({ orderType: 'stop', limitPrice: null, stopPrice: '95' })
const OCO = exit({ orderType: 'oco', limitPrice: '120', stopPrice: '95' })
const TARGET = exit({ orderType: 'limit', limitPrice: '120' })

describe('our own exits beside an entry', () => {
  it('our own exits beside an entry are called back where it trades or ends at once', () => {
    for (const order of [STOP, OCO, TARGET]) {
      assert.deepEqual(stepAside(BUY, [order], 'regular'), { what: 'cancel', orders: [order] })
      for (const timeInForce of ['ioc', 'fok'] as const) {
        const entry = { ...BUY, orderType: 'limit', timeInForce, limitPrice: '130' } as const
        assert.equal(stepAside(entry, [order], null).what, 'cancel')
      }
    }
  })

  it('our own exits beside an entry that may rest keep it from being sent, which says what can be done', () => {
    const atLimit = { ...BUY, orderType: 'limit', limitPrice: '90' } as const
    for (const [entry, phase] of [
      [atLimit, 'regular'],
      [BUY, 'closed'],
      [BUY, null],
      [{ ...BUY, timeInForce: 'opg' as const }, 'regular'],
    ] as const) {
      const found = stepAside(entry, [OCO], phase)
      assert.ok(found.what === 'refused')
      assert.match(
        found.detail,
        /^Your own stop and target of AAPL are in the way: .*own-p1.*send it at market/,
      )
    }
    const byStop = stepAside(atLimit, [STOP], 'regular')
    assert.ok(byStop.what === 'refused' && byStop.detail.startsWith('Your own stop of AAPL is in the way'))
  })

  it('our own exits beside an entry stay where the broker takes both', () => {
    assert.equal(
      stepAside({ ...BUY, orderType: 'limit', limitPrice: '90' }, [TARGET], 'regular').what,
      'clear',
    )
    assert.equal(stepAside({ ...BUY, action: 'closeShort' }, [STOP], 'regular').what, 'clear')
    assert.equal(stepAside({ ...BUY, action: 'openShort' }, [STOP], 'regular').what, 'clear', 'both sell')
  })

  it('our own exits beside an entry stay where an order that is no exit is in the way too', () => {
    const byHand = liveOrder({ role: 'manual' })
    assert.equal(stepAside(BUY, [STOP, byHand], 'regular').what, 'clear')
  })

  it('our own exits beside a short position are called back in the same way', () => {
    const cover = exit({ side: 'BUY_TO_COVER', orderType: 'stop', stopPrice: '105', limitPrice: null })
    assert.equal(stepAside({ ...BUY, action: 'openShort' }, [cover], 'regular').what, 'cancel')
  })
})
