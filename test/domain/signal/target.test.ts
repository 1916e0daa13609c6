import assert from 'node:assert/strict'
import type { ShownPosition } from '#domain/position/closing.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { PositionShares } from '#domain/position/ownership.ts'
import type { LiveOrder } from '#domain/position/symbol-state.ts'
import { lookAtTarget, type TargetScene } from '#domain/signal/target.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { symbolStateOf, instantAfter, liveOrder, NOW } from '../position/live-orders.ts'

/** A limit order to buy, of a signal, that has rested for a minute. */
const order = (open: Decimal, changes: Partial<LiveOrder> = {}): LiveOrder =>
  liveOrder({ side: 'BUY', open, limitPrice: '90', knownAt: instantAfter(-60_000), ...changes })

const positionOf = (shares: number): Pick<ShownPosition, 'side' | 'quantity'> | null =>
  shares === 0 ? null : { side: shares > 0 ? 'LONG' : 'SHORT', quantity: `${Math.abs(shares)}` }

function sceneOf(
  held: number,
  { live = [], shown = held, ...changes }: Partial<TargetScene> & { live?: LiveOrder[]; shown?: number } = {},
): TargetScene {
  const known = positionOf(held)
  return {
    position: positionOf(shown),
    symbolState: symbolStateOf({
      shares: new PositionShares(known?.side, known ? [{ owner: null, quantity: known.quantity }] : []),
      live,
    }),
    crossing: null,
    dueSince: NOW,
    owners: null,
    ...changes,
  }
}

const protection = {
  stop: { percent: '5' },
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
} as const

/** What is done for a target, in short. */
function done(target: number, scene: TargetScene): string {
  const wanted = { position: `${target}`, exit: exitAtOnce, protection, at: null } as const
  const look = lookAtTarget({ symbol: 'AAPL', orderType: 'limit', timeInForce: 'gtc', target: wanted }, scene)
  if (look.what === 'order') {
    // The plan is for what is opened, and goes with the exit.
    assert.deepEqual(look.leg.protection, look.leg.exit === null ? undefined : protection)
    return `${look.leg.action} ${look.leg.quantity}${look.leg.exit === null ? '' : ' with its exit'}`
  }
  return look.what === 'cancel' ? `cancel ${look.orders.length}` : look.what
}

describe('what is traded for a target', () => {
  const cases: [held: number, target: number, expected: string][] = [
    [0, 10, 'openLong 10 with its exit'],
    [0, -10, 'openShort 10 with its exit'],
    [4, 10, 'openLong 6 with its exit'],
    [-4, -10, 'openShort 6 with its exit'],
    [10, 4, 'closeLong 6'],
    [-10, -4, 'closeShort 6'],
    [10, 0, 'closeLong 10'],
    [-10, 0, 'closeShort 10'],
    [10, -4, 'closeLong 10'],
    [-10, 4, 'closeShort 10'],
    [10, 10, 'nothing'],
    [0, 0, 'nothing'],
  ]
  for (const [held, target, expected] of cases)
    it(`${target} with ${held} held: ${expected}`, () => assert.equal(done(target, sceneOf(held)), expected))

  describe('while orders of signals work,', () => {
    it('counts what they will still buy, so that the same target trades nothing', () => {
      assert.equal(done(10, sceneOf(0, { live: [order('10')] })), 'nothing')
      assert.equal(done(15, sceneOf(0, { live: [order('10')] })), 'openLong 5 with its exit')
    })

    it('cancels those first that lead away from it', () => {
      assert.equal(done(0, sceneOf(0, { live: [order('10')] })), 'cancel 1')
      assert.equal(done(4, sceneOf(0, { live: [order('10')] })), 'cancel 1')
      assert.equal(done(10, sceneOf(10, { live: [order('10', { side: 'SELL' })] })), 'cancel 1')
    })

    it('waits for one that is about to fill, and trades nothing where it leads to the target', () => {
      const passing = order('10', { orderType: 'market', timeInForce: 'day', knownAt: NOW })
      assert.equal(done(0, sceneOf(0, { live: [passing] })), 'wait')
      assert.equal(done(10, sceneOf(0, { live: [passing] })), 'nothing')
    })

    it('leaves exits and orders of people alone that rest', () => {
      for (const role of ['exit', 'manual'] as const) {
        const takesProfit = order('10', { role, side: 'SELL', limitPrice: '110' })
        assert.equal(done(10, sceneOf(10, { live: [takesProfit] })), 'nothing')
      }
    })

    it('waits for an exit that is leaving', () => {
      const leaving = order('10', { role: 'exit', side: 'SELL', orderType: 'market', knownAt: NOW })
      assert.equal(done(10, sceneOf(10, { live: [leaving] })), 'wait')
    })
  })

  describe('behind a signal that is on its way across zero,', () => {
    const crossing = { id: 'first', position: '10', isBySide: false } as const
    const cover = order('10', { side: 'BUY_TO_COVER' })

    it('trades nothing for the same target', () => {
      assert.equal(done(10, sceneOf(-10, { crossing, live: [cover] })), 'nothing')
    })

    it('a target behind a signal that is on its way across zero, has its order cancelled for another target', () => {
      assert.equal(done(-10, sceneOf(-10, { crossing, live: [cover] })), 'cancel 1')
      assert.equal(done(15, sceneOf(-10, { crossing, live: [cover] })), 'cancel 1')
    })

    it('waits for its continuation once the order has ended', () => {
      assert.equal(done(-10, sceneOf(0, { crossing })), 'wait')
    })
  })

  describe('while the broker shows another position than the fills add up to,', () => {
    const later = { dueSince: instantAfter(-15_000) }

    it('waits, and believes it once that has lasted', () => {
      assert.equal(done(10, sceneOf(10, { shown: 4 })), 'wait')
      assert.equal(done(10, sceneOf(10, { shown: 4, ...later })), 'openLong 6 with its exit')
    })

    it('what is traded for a target while the broker shows another position than the fills add up to, never believes that nothing is held where shares are known', () => {
      assert.equal(done(10, sceneOf(10, { shown: 0, ...later })), 'wait')
    })

    it('waits for as long as an order of ours explains it', () => {
      assert.equal(done(10, sceneOf(0, { shown: 4, live: [order('6')], ...later })), 'wait')
    })
  })
})
