import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import { PositionShares } from '#domain/position/ownership.ts'
import {
  ageAt,
  closings,
  blockingOrders,
  explainedBy,
  isFresh,
  isTooLarge,
  missingAtBroker,
  rests,
  isFrozen,
  unseenBy,
  type LiveOrder,
} from '#domain/position/symbol-state.ts'
import { instantAfter, liveOrder, NOW } from './live-orders.ts'

const KNOWN_AT = NOW
const later = instantAfter

const market = { orderType: 'market', limitPrice: null, timeInForce: 'day' } as const

describe('the ledger of a symbol', () => {
  const shares = new PositionShares('LONG', [{ owner: 'signal', quantity: '10' }])

  for (const [shows, position, missing] of [
    ['all', { side: 'LONG', quantity: '10' }, '0'],
    ['a part', { side: 'LONG', quantity: '4' }, '6'],
    ['nothing', null, '10'],
    ['the other side', { side: 'SHORT', quantity: '3' }, '13'],
  ] as const)
    it(`the ledger of a symbol of 10 shares: ${missing} are missing when the broker shows ${shows}`, () => {
      assert.equal(missingAtBroker({ shares }, position), missing)
    })

  it('the ledger of a symbol is of one clock: the age of what it holds is that at its reading', () => {
    assert.equal(ageAt({ asOf: later(5_000) }, KNOWN_AT), 5_000)
    assert.equal(isFresh({ asOf: later(4_999), changedAt: KNOWN_AT }, 5_000), true)
    assert.equal(isFresh({ asOf: later(5_000), changedAt: KNOWN_AT }, 5_000), false)
    // A transaction that had to wait for the lock was begun before the fill became known.
    assert.equal(isFresh({ asOf: later(-1), changedAt: KNOWN_AT }, 5_000), true)
    assert.equal(isFresh({ asOf: KNOWN_AT, changedAt: null }, 5_000), false)
  })

  it('an exit order is too large where its signal owns less on the side that it closes, and one of a chosen size where unowned shares do not reach either', () => {
    const mixed = [
      { owner: 'signal', quantity: '4' },
      { owner: null, quantity: '5' },
      { owner: 'other', quantity: '9' },
    ] as const
    for (const [shareSide, side, away] of [
      ['LONG', 'SELL', 'BUY_TO_COVER'],
      ['SHORT', 'BUY_TO_COVER', 'SELL'],
    ] as const)
      for (const [is, changes] of [
        [false, { open: '4' }],
        [true, { open: '4.0001' }],
        [true, { open: '4', side: away }],
        [true, { open: '4', signalId: 'gone' }],
        [false, { open: '9', isChosen: true }],
        [true, { open: '9.0001', isChosen: true }],
        [false, { open: '10', role: 'entry' }],
        [false, { open: '10', role: 'manual', signalId: null }],
      ] as [boolean, Partial<LiveOrder>][]) {
        const exit = liveOrder({ role: 'exit', signalId: 'signal', side, ...changes })
        assert.equal(isTooLarge(exit, { shares: new PositionShares(shareSide, mixed) }), is, exit.open)
      }
  })

  it('names the orders that may explain another position: of the side on which they change it so', () => {
    const [buy, sale] = [liveOrder({ side: 'BUY' }), liveOrder()]
    const [cover, short] = [liveOrder({ side: 'BUY_TO_COVER' }), liveOrder({ side: 'SELL_SHORT' })]
    const live = [buy, sale, cover, short]
    const shownAs = (side: 'LONG' | 'SHORT', quantity: Decimal) =>
      explainedBy({ shares, live }, { side, quantity })
    assert.deepEqual(shownAs('LONG', '9'), [sale, short])
    assert.deepEqual(shownAs('LONG', '11'), [buy, cover])
    assert.deepEqual(shownAs('SHORT', '10'), [sale, short])
    assert.deepEqual(explainedBy({ shares, live }, null), [sale, short])
    assert.deepEqual(shownAs('LONG', '10'), [])
    const ofShort = { shares: new PositionShares('SHORT', [{ owner: 'signal', quantity: '10' }]), live }
    assert.deepEqual(explainedBy(ofShort, { side: 'SHORT', quantity: '9' }), [buy, cover])
    assert.deepEqual(explainedBy({ shares: new PositionShares(), live }, { side: 'LONG', quantity: '1' }), [
      buy,
      cover,
    ])
  })

  it('take no more orders out of the way than necessary, the youngest first', () => {
    const [first, second, third] = ['1', '2', '3'].map((clientOrderId) => liveOrder({ clientOrderId }))
    assert.deepEqual(blockingOrders([first!, second!, third!], '12'), [third, second])
    assert.deepEqual(blockingOrders([first!, second!, third!], '0'), [])
  })

  it('count sales and purchases that cover as closing, and no entries', () => {
    const [sale, cover] = [liveOrder(), liveOrder({ side: 'BUY_TO_COVER' })]
    const live = [sale, liveOrder({ side: 'BUY' }), cover, liveOrder({ side: 'SELL_SHORT' })]
    assert.deepEqual(closings(live), [sale, cover])
  })

  it('know that the broker cannot have counted orders that it accepted since it was asked', () => {
    const live = [
      liveOrder({ open: '1', knownAt: null }),
      liveOrder({ open: '2', knownAt: later(-1) }),
      liveOrder({ open: '4', knownAt: KNOWN_AT }),
      liveOrder({ open: '8', knownAt: later(1) }),
      liveOrder({ open: '16', knownAt: null, side: 'BUY' }),
    ]
    assert.equal(unseenBy(live, KNOWN_AT), '13')
  })

  for (const [name, order, waits] of [
    ['a limit order', {}, true],
    ['a stop order', { orderType: 'stop' }, true],
    ['a market order', market, false],
    ['a market order for the closing auction', { ...market, timeInForce: 'cls' }, true],
    ['a market order for the opening auction', { ...market, timeInForce: 'opg' }, true],
    ['a limit order that is filled or killed', { timeInForce: 'fok' }, false],
    ['a limit order that is immediate or cancelled', { timeInForce: 'ioc' }, false],
  ] as const)
    it(`say that ${name} ${waits ? 'rests' : 'fills or ends at once'}`, () => {
      assert.equal(rests(liveOrder(order)), waits)
    })

  it('let an order be cancelled that rests, once the broker is known to have it', () => {
    assert.equal(isFrozen(liveOrder(), { asOf: KNOWN_AT }), true)
    assert.equal(isFrozen(liveOrder({ brokerOrderId: null, knownAt: null }), { asOf: KNOWN_AT }), false)
  })

  it('let a market order be cancelled that has not filled within ten seconds', () => {
    assert.equal(isFrozen(liveOrder(market), { asOf: later(9_999) }), false)
    assert.equal(isFrozen(liveOrder(market), { asOf: later(10_000) }), true)
    assert.equal(isFrozen(liveOrder({ ...market, knownAt: null }), { asOf: later(10_000) }), false)
  })
})
