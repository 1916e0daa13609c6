import assert from 'node:assert/strict'
import { isStillThere, lookAtClosing, type Closing, type ClosingScene } from '#domain/position/closing.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { PositionShares } from '#domain/position/ownership.ts'
import type { LiveOrder } from '#domain/position/symbol-state.ts'
import { signalTerms } from '#test/support/sample-signal.ts'
import { symbolStateOf, instantAfter, liveOrder, NOW } from './live-orders.ts'

/** Closes ten shares that a market order, sent a moment ago, is about to sell. */
const closing: Closing = {
  terms: signalTerms({ action: 'closeLong' }),
  closer: 'signal',
  asOf: NOW,
  dueSince: NOW,
  judge: (closable) => ({ outcome: 'ready', quantity: closable, advisories: [] }),
}
const inFlight = liveOrder({
  brokerOrderId: null,
  role: 'exit',
  orderType: 'market',
  limitPrice: null,
  timeInForce: 'day',
  knownAt: null,
  reservedLots: [{ owner: 'other', quantity: '10' }],
})
const scene: ClosingScene = {
  position: { side: 'LONG', quantity: '10', availableQuantity: '10' },
  symbolState: symbolStateOf({
    shares: new PositionShares('LONG', [{ owner: 'other', quantity: '10' }]),
    live: [inFlight],
  }),
  holders: null,
}

/** The scene, where the ledger was read so many milliseconds after the order was due. */
const readAfter = (milliseconds: number): ClosingScene => ({
  ...scene,
  symbolState: { ...scene.symbolState, asOf: instantAfter(milliseconds) },
})

describe('a close of shares that an order in flight is about to take', () => {
  const denied = {
    outcome: 'denied',
    code: 'POSITION_HELD',
    detail:
      'None of the 10 AAPL held can be closed: orders of ours close them: SELL 10 AAPL at market (other)',
  }

  it('waits for that order, and says how it is decided should the order not end', () => {
    assert.deepEqual(lookAtClosing(closing, scene), { waits: denied.detail, otherwise: denied })
  })

  it('a close of shares that an order in flight is about to take is denied with POSITION_HELD after 15 seconds', () => {
    assert.ok('waits' in lookAtClosing(closing, readAfter(14_999)))
    assert.deepEqual(lookAtClosing(closing, readAfter(15_000)), { decided: denied })
  })
})

/** A person closes up to so many shares. */
const closingOf = (quantity: number): Closing => ({
  ...closing,
  closer: 'person',
  judge: (closable) => ({
    outcome: 'ready',
    quantity: `${Math.min(quantity, Number(closable))}`,
    advisories: [],
  }),
})
const lotsOf = (lots: Record<string, Decimal>): PositionShares =>
  new PositionShares(
    'LONG',
    Object.entries(lots).map(([owner, quantity]) => ({ owner: owner === 'nobody' ? null : owner, quantity })),
  )
const sceneOf = (
  shown: Decimal,
  shares: PositionShares,
  live: readonly LiveOrder[],
  { unattributed = [] as 'BUY'[], after = 3_000 } = {},
): ClosingScene => ({
  position: { side: 'LONG', quantity: shown, availableQuantity: shown },
  symbolState: {
    ...scene.symbolState,
    asOf: instantAfter(after),
    shares,
    live,
    unattributed,
    changedAt: closing.asOf,
  },
  holders: null,
})
/** Decided after the last change, so that the ledger takes the broker's position for newer than that. */
const later = (one: Closing): Closing => ({ ...one, asOf: '2026-03-02T15:00:01.000Z' })

describe('a close while the broker’s position is older than the newest fills', () => {
  const ofTheExit: LiveOrder = { ...inFlight, open: '19', reservedLots: [{ owner: 'other', quantity: '19' }] }
  const left = lotsOf({ older: '17', other: '19' })

  it('waits for a position without the shares that are sold, instead of selling those of an exit', () => {
    assert.deepEqual(lookAtClosing(later(closingOf(19)), sceneOf('44', left, [ofTheExit])), {
      waits: 'the broker still shows 2 shares that are not left by the fills of a moment ago',
      until: 'position is shown',
    })
  })

  it('a close while the broker’s position is older than the newest fills is for what no order takes once the position is shown', () => {
    const look = lookAtClosing(later(closingOf(19)), sceneOf('36', left, [ofTheExit]))
    assert.deepEqual('decided' in look && look.decided, {
      outcome: 'ready',
      quantity: '17',
      advisories: [],
      reservedLots: [{ owner: 'older', quantity: '17' }],
    })
  })

  it('waits where the fills have left nothing', () => {
    assert.ok('waits' in lookAtClosing(later(closingOf(19)), sceneOf('19', new PositionShares(), [])))
  })

  it('a close while the broker’s position is older than the newest fills does not wait where its own shares are enough', () => {
    assert.ok('decided' in lookAtClosing(later(closingOf(17)), sceneOf('44', left, [ofTheExit])))
  })

  it('takes the shares for those of another owner after 15 seconds', () => {
    assert.ok(
      'decided' in lookAtClosing(later(closingOf(19)), sceneOf('44', left, [ofTheExit], { after: 15_000 })),
    )
  })
})

describe('a close while the broker lists what an entry has bought before it is recorded', () => {
  const entry: LiveOrder = {
    ...inFlight,
    clientOrderId: 'newest-e1',
    signalId: 'newest',
    role: 'entry',
    side: 'BUY',
    open: '17',
    reservedLots: [],
  }
  const takesOf = (shares: PositionShares, quantity: number, live: readonly LiveOrder[] = [entry]) => {
    const look = lookAtClosing(
      later(closingOf(quantity)),
      sceneOf(shares.quantity, shares, live, { unattributed: ['BUY'], after: 15_000 }),
    )
    assert.ok('decided' in look && look.decided.outcome === 'ready')
    return look.decided.reservedLots
  }

  it('waits for its record', () => {
    const shares = lotsOf({ nobody: '17' })
    const look = lookAtClosing(later(closingOf(1)), sceneOf('17', shares, [entry], { unattributed: ['BUY'] }))
    assert.equal('waits' in look && look.waits.includes('newest-e1'), true)
  })

  it('takes nothing after 15 seconds that would turn out to be of the oldest signal', () => {
    assert.deepEqual(takesOf(lotsOf({ nobody: '17' }), 1), [{ owner: 'newest', quantity: '1' }])
  })

  it('takes what has no owner, for any buyer of the rest', () => {
    assert.deepEqual(takesOf(lotsOf({ nobody: '20' }), 4), [
      { owner: null, quantity: '3' },
      { owner: 'newest', quantity: '1' },
    ])
  })

  it('leaves to other closes what they have set apart of it', () => {
    const rival: LiveOrder = {
      ...inFlight,
      open: '16',
      reservedLots: [{ owner: 'newest', quantity: '16' }],
      knownAt: closing.asOf,
    }
    const look = lookAtClosing(later(closingOf(3)), {
      ...sceneOf('20', lotsOf({ nobody: '20' }), [entry, rival], { unattributed: ['BUY'], after: 15_000 }),
    })
    assert.ok('decided' in look && look.decided.outcome === 'ready')
    assert.deepEqual(look.decided.reservedLots, [{ owner: null, quantity: '3' }])
  })
})

describe('a close that was decided some time ago, and that the ledger has lost', () => {
  const sale = { clientOrderId: 'sale', side: 'SELL', quantity: '10' } as const
  const held = (side: 'LONG' | 'SHORT', quantity: Decimal) =>
    symbolStateOf({ shares: new PositionShares(side, [{ owner: null, quantity }]) })

  it('a close that was decided some time ago, and that the ledger has lost is still good while that number of shares is held, by the broker and by the fills', () => {
    assert.equal(isStillThere(held('LONG', '10'), { side: 'LONG', quantity: '10' }, sale), true)
  })

  it('a close that was decided some time ago, and that the ledger has lost is not good any more when fewer are held, none, or the other side', () => {
    assert.equal(isStillThere(held('LONG', '4'), { side: 'LONG', quantity: '4' }, sale), false)
    assert.equal(isStillThere(symbolStateOf(), null, sale), false)
    assert.equal(isStillThere(held('SHORT', '10'), { side: 'SHORT', quantity: '10' }, sale), false)
  })
})

describe('a close of a position that the broker shows in part only', () => {
  /** Ten shares by the fills, so many shown, the newest fill and the order so many milliseconds old. */
  const look = (shown: Decimal | null, quantity: number, { fill, due }: { fill: number; due: number }) =>
    lookAtClosing(
      { ...closingOf(quantity), dueSince: instantAfter(-due) },
      {
        ...scene,
        position: shown === null ? null : { side: 'LONG', quantity: shown, availableQuantity: shown },
        symbolState: {
          ...scene.symbolState,
          live: [],
          shares: lotsOf({ nobody: '10' }),
          changedAt: instantAfter(-fill),
        },
      },
    )
  const old = { fill: 60_000, due: 60_000 }
  const decided = (found: ReturnType<typeof look>) =>
    'decided' in found && found.decided.outcome === 'ready' ? found.decided.quantity : found

  it('waits right after a fill, with any shares shown', () => {
    const found = look('6', 4, { fill: 14_999, due: 60_000 })
    assert.match(
      'waits' in found ? found.waits : '',
      /does not show yet that 10 AAPL are held since a moment ago/,
    )
    assert.equal(decided(look('6', 4, { fill: 15_000, due: 60_000 })), '4')
  })

  it('leaves at once where enough is shown', () => {
    assert.equal(decided(look('4', 4, { fill: 60_000, due: 0 })), '4')
  })

  it('waits for the rest for 15 seconds, and then closes what is shown', () => {
    assert.deepEqual(look('4', 10, { fill: 60_000, due: 14_999 }), {
      waits: 'the broker shows LONG 4 of AAPL where LONG 10 are held by the fills',
      until: 'position is shown',
      isOld: true,
    })
    assert.equal(decided(look('4', 10, { fill: 60_000, due: 15_000 })), '4')
  })

  it('waits however long none of it is shown', () => {
    assert.ok('waits' in look(null, 10, old))
  })

  it('reports at once a rule that forbids it', () => {
    const denied = { outcome: 'denied', code: 'TRADING_STOPPED', detail: 'drill' } as const
    const found = lookAtClosing(
      { ...closing, judge: () => denied },
      {
        ...scene,
        position: null,
        symbolState: { ...scene.symbolState, live: [], shares: lotsOf({ nobody: '10' }) },
      },
    )
    assert.deepEqual(found, { decided: denied })
  })
})

describe('a close of the shares of some signals', () => {
  const shared = {
    ...scene,
    position: { side: 'LONG', quantity: '30', availableQuantity: '20' } as const,
    symbolState: {
      ...scene.symbolState,
      shares: new PositionShares('LONG', [
        { owner: null, quantity: '5' },
        { owner: 'other', quantity: '10' },
        { owner: 'mine', quantity: '15' },
      ]),
    },
  }
  const resting: LiveOrder = {
    ...inFlight,
    brokerOrderId: 'b',
    orderType: 'stop',
    stopPrice: '90',
    knownAt: instantAfter(-60_000),
  }
  const judge: Closing['judge'] = (closable) =>
    Number(closable) > 0
      ? { outcome: 'ready', quantity: closable, advisories: [] }
      : { outcome: 'denied', code: 'NO_POSITION_TO_CLOSE', detail: 'none' }
  const mine = { ...closing, judge, closer: 'person', owners: ['mine'] } as const

  it('takes theirs and no others, with any holder of the rest', () => {
    const look = lookAtClosing(mine, { ...shared, symbolState: { ...shared.symbolState, live: [resting] } })
    assert.deepEqual(look, {
      decided: {
        outcome: 'ready',
        quantity: '15',
        advisories: [],
        reservedLots: [
          {
            owner: 'mine',
            quantity: '15',
          },
        ],
      },
    })
  })

  it('cancels their own exits first, and takes nothing where they own nothing', () => {
    const own = { ...resting, signalId: 'mine', reservedLots: [{ owner: 'mine', quantity: '10' as Decimal }] }
    assert.deepEqual(
      lookAtClosing(mine, { ...shared, symbolState: { ...shared.symbolState, live: [own] } }),
      {
        blockingOrders: [own],
      },
    )
    const look = lookAtClosing(
      { ...mine, owners: ['nobody'] },
      { ...shared, symbolState: { ...shared.symbolState, live: [] } },
    )
    assert.equal('decided' in look && look.decided.outcome, 'denied')
  })
})
