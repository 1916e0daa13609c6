import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import { PositionShares, type OwnedShares } from '#domain/position/ownership.ts'
import type { LiveOrder } from '#domain/position/symbol-state.ts'
import { lookAtTarget, type TargetLook, type TargetScene } from '#domain/signal/target.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { symbolStateOf, instantAfter, liveOrder, NOW } from '../position/live-orders.ts'

const OWNERS: ReadonlySet<string> = new Set(['mine', 'mine too'])
const amount = (shares: number): Decimal => `${Math.abs(shares)}`
const lot = (owner: string | null, shares: number): OwnedShares[] =>
  shares === 0 ? [] : [{ owner, quantity: amount(shares) }]

interface Held {
  mine: number
  others: number
  owner: string | null
}

function sceneOf({ mine, others, owner }: Held, working: number, owners: TargetScene['owners']): TargetScene {
  const sum = mine + others
  const side = sum > 0 ? 'LONG' : 'SHORT'
  const lots = [...lot(owner, others), ...lot('mine', mine)]
  return {
    position: sum === 0 ? null : { side, quantity: amount(sum) },
    symbolState: symbolStateOf({
      shares: new PositionShares(side, lots),
      live: working === 0 ? [] : [orderOf(mine, working)],
    }),
    crossing: null,
    dueSince: NOW,
    owners,
  }
}

const orderOf = (held: number, change: number): LiveOrder => {
  const closes = held * change < 0
  return liveOrder({
    signalId: 'mine too',
    side: change > 0 ? (closes ? 'BUY_TO_COVER' : 'BUY') : closes ? 'SELL' : 'SELL_SHORT',
    open: amount(change),
    limitPrice: '90',
    knownAt: instantAfter(-60_000),
    reservedLots: closes ? [{ owner: 'mine', quantity: amount(change) }] : [],
  })
}

const look = (position: number, scene: TargetScene): TargetLook =>
  lookAtTarget(
    {
      symbol: 'AAPL',
      orderType: 'limit',
      timeInForce: 'gtc',
      target: { position: `${position}`, exit: exitAtOnce, at: null },
    },
    scene,
  )

/** Without the words and the mark of whose shares were counted. */
const withoutMark = (found: TargetLook): unknown => {
  if (!('held' in found)) return found
  const { isOwn: _, ...held } = found.held as { isOwn?: true }
  return { ...found, held }
}

describe('a target about the shares of its own strategy or hook', () => {
  it('a target about the shares of its own strategy or hook is what it would be if the others held nothing beside it', () => {
    const scenes = [-3, -1, 0, 2, 5]
      .flatMap((mine) => [-3, -2, -1, 0, 1, 2, 3].map((working) => ({ mine, working })))
      .filter(({ mine, working }) => mine === 0 || mine * (mine + working) >= 0)
      .flatMap((scene) =>
        [1, 7].map((size) => ({ ...scene, others: Math.sign(scene.mine || scene.working) * size })),
      )
      .flatMap((scene) => ['another', null].map((owner) => ({ ...scene, owner })))
      .flatMap((scene) => [-5, -2, 0, 1, 5, 8].map((target) => ({ ...scene, target })))
      .filter(({ others, target }) => others * target >= 0)
    assert.ok(scenes.length > 300, `${scenes.length} scenes`)
    for (const { working, target, ...held } of scenes) {
      const found = look(target, sceneOf(held, working, OWNERS))
      const alone = look(target, sceneOf({ ...held, others: 0 }, working, null))
      assert.deepEqual(withoutMark(found), withoutMark(alone), JSON.stringify({ ...held, working, target }))
    }
  })

  it('closes its own shares to go across zero, and opens no other side while others hold this one', () => {
    for (const owner of ['another', null]) {
      const first = look(-4, sceneOf({ mine: 3, others: 7, owner }, 0, OWNERS))
      assert.ok(first.what === 'order')
      assert.deepEqual([first.leg.action, first.leg.quantity], ['closeLong', '3'])
      const second = look(-4, sceneOf({ mine: 0, others: 7, owner }, 0, OWNERS))
      assert.ok(second.what === 'refused')
      assert.equal(second.code, 'HELD_BY_OTHERS')
      assert.match(second.detail, /^Others hold 7 AAPL long in this account: SELL_SHORT 4/)
      const covering = look(2, sceneOf({ mine: 0, others: -7, owner }, 0, OWNERS))
      assert.ok(covering.what === 'refused' && covering.code === 'HELD_BY_OTHERS')
    }
  })

  it('trades nothing for a target of none while only others hold shares', () => {
    assert.equal(look(0, sceneOf({ mine: 0, others: 1134, owner: 'another' }, 0, OWNERS)).what, 'nothing')
    const whole = look(0, sceneOf({ mine: 0, others: 1134, owner: 'another' }, 0, null))
    assert.ok(whole.what === 'order' && whole.leg.quantity === '1134', 'the whole position is a choice')
  })

  it('opens no side on which an order of others would close it', () => {
    const scene = sceneOf({ mine: 0, others: 0, owner: null }, 0, OWNERS)
    const buying = { ...orderOf(0, 5), signalId: 'another' }
    const found = look(-4, { ...scene, symbolState: { ...scene.symbolState, live: [buying] } })
    assert.ok(found.what === 'refused' && found.code === 'HELD_BY_OTHERS')
    assert.equal(look(4, { ...scene, symbolState: { ...scene.symbolState, live: [buying] } }).what, 'order')
  })
})
