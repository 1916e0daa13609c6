import assert from 'node:assert/strict'
import { closeBefore } from '#domain/exit/flat-by-close.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { PositionShares } from '#domain/position/ownership.ts'
import {
  unexplainedShares,
  unseenShares,
  type LiveOrder,
  type SymbolState,
} from '#domain/position/symbol-state.ts'
import { symbolStateOf, instantAfter, liveOrder } from './live-orders.ts'

const instant = (ago: number): string => instantAfter(-ago)
const order = (changes: Partial<LiveOrder>): LiveOrder =>
  liveOrder({
    role: 'exit',
    orderType: 'market',
    limitPrice: null,
    timeInForce: 'day',
    knownAt: instant(1_000),
    ...changes,
  })
const symbolStateWith = (
  quantity: Decimal,
  live: LiveOrder[] = [],
  side: 'LONG' | 'SHORT' = 'LONG',
): SymbolState => symbolStateOf({ shares: new PositionShares(side, [{ owner: 'own', quantity }]), live })
const long = (quantity: Decimal) => ({ side: 'LONG', quantity }) as const
const short = (quantity: Decimal) => ({ side: 'SHORT', quantity }) as const

describe('a position that the broker shows, against the executions', () => {
  it('lacks what is not shown, or is shown on the other side', () => {
    assert.equal(unseenShares(symbolStateWith('10'), null), '10')
    assert.equal(unseenShares(symbolStateWith('10'), long('4')), '6')
    assert.equal(unseenShares(symbolStateWith('10'), short('4')), '14')
    assert.equal(unseenShares(symbolStateWith('10', [], 'SHORT'), null), '10')
  })

  it('lacks nothing when all is shown, more is shown, or nothing is held', () => {
    for (const shown of [long('10'), long('12')])
      assert.equal(unseenShares(symbolStateWith('10'), shown), '0')
    assert.equal(unseenShares({ ...symbolStateWith('10'), shares: new PositionShares() }, null), '0')
  })

  it('lacks nothing that an order of ours has taken just now, and all that it cannot have taken', () => {
    assert.equal(unseenShares(symbolStateWith('10', [order({})]), null), '0')
    assert.equal(unseenShares(symbolStateWith('10', [order({ open: '9' })]), null), '10')
    const resting = order({ orderType: 'limit', limitPrice: '120', timeInForce: 'gtc' })
    for (const other of [resting, order({ side: 'BUY' }), order({ knownAt: instant(11_000) })])
      assert.equal(unseenShares(symbolStateWith('10', [other]), null), '10')
  })

  it('a position that the broker shows, against the executions has shares beyond them that nothing explains, on either side', () => {
    assert.equal(unexplainedShares(symbolStateWith('10'), long('100')), '90')
    assert.equal(unexplainedShares(symbolStateWith('10', [], 'SHORT'), short('100')), '90')
    assert.equal(unexplainedShares(symbolStateWith('10'), long('11')), '1')
    assert.equal(unexplainedShares(symbolStateWith('50'), long('5')), '-45')
    assert.equal(unexplainedShares(symbolStateWith('50', [order({ open: '44' })]), long('5')), '-45')
  })

  it('a position that the broker shows, against the executions has none beyond them when the same number is shown, or the other side is', () => {
    for (const shown of [null, long('10'), short('100')])
      assert.equal(unexplainedShares(symbolStateWith('10'), shown), '0')
  })

  it('a position that the broker shows, against the executions has none beyond them that an order of ours may have bought or sold', () => {
    const entry = order({ role: 'entry', side: 'BUY', open: '90' })
    assert.equal(unexplainedShares(symbolStateWith('10', [entry]), long('100')), '0')
    assert.equal(unexplainedShares(symbolStateWith('50', [order({ open: '45' })]), long('5')), '0')
    assert.equal(unexplainedShares(symbolStateWith('10', [{ ...entry, open: '89' }]), long('100')), '90')
    assert.equal(unexplainedShares(symbolStateWith('10', [{ ...entry, side: 'SELL' }]), long('100')), '90')
  })

  it('a position that the broker shows, against the executions has none beyond them when they are less than a share and less than a tenth', () => {
    assert.equal(unexplainedShares(symbolStateWith('10'), long('10.034')), '0')
    assert.equal(unexplainedShares(symbolStateWith('10'), long('9.001')), '0')
    assert.equal(unexplainedShares(symbolStateWith('10'), long('10.999')), '0')
    assert.equal(unexplainedShares(symbolStateWith('11'), long('12')), '1', 'a whole share is not slight')
    assert.equal(unexplainedShares(symbolStateWith('9.9'), long('10.89')), '0.99')
    assert.equal(unexplainedShares(symbolStateWith('0.1'), long('1')), '0.9')
  })
})

describe('until when a close may be sent', () => {
  const time = { sendBefore: instant(0), worthFor: 60_000 }

  it('the last moment of a close is as it was accepted where nothing gave way to it, or its sender named the instant', () => {
    assert.equal(closeBefore(time, null), instant(0))
    const named = { sendBefore: instant(0), worthFor: null }
    assert.equal(closeBefore(named, { working: ['x'], askedAt: instant(0) }), instant(0))
    assert.equal(closeBefore({ sendBefore: null, worthFor: 60_000 }, null), null)
  })

  it('the last moment of a close has no end while our own cancel is not done, and is a whole time from the last request for one on', () => {
    assert.equal(closeBefore(time, { working: ['x'], askedAt: instant(600_000) }), null)
    assert.equal(closeBefore(time, { working: [], askedAt: instant(10_000) }), instant(-50_000))
  })

  it('the last moment of a close is never earlier than it was accepted', () => {
    assert.equal(closeBefore(time, { working: [], askedAt: instant(600_000) }), instant(0))
  })
})
