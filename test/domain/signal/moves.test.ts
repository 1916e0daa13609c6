import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Move, Trade } from '#domain/signal/move.ts'
import { PositionShares } from '#domain/position/ownership.ts'
import {
  goesAcross,
  type Leg,
  type QuantityType,
  type SizedMove,
  type Target,
} from '#domain/signal/signal.ts'
import type { LiveOrder } from '#domain/position/symbol-state.ts'
import {
  beforeResolution,
  lookAtTarget,
  tradedForTarget,
  type TargetScene,
  type TargetTerms,
} from '#domain/signal/target.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { symbolStateOf, instantAfter, liveOrder, NOW } from '../position/live-orders.ts'

/** Shares that an order for an amount comes to. */
const SHARES_OF_AN_AMOUNT = 2

const BUY: Trade = {
  kind: 'trade',
  direction: 'buy',
  whenFlat: 'open',
  whenOpposite: 'reverse',
  whenSame: 'nothing',
}
const SELL: Trade = { ...BUY, direction: 'sell' }
const CLOSE: Move = { kind: 'close', side: null, part: null }

interface Working {
  /** Shares by which it changes the position. */
  change: number
  changes?: Partial<LiveOrder>
}

const orderBeside = (held: number, { change, changes }: Working): LiveOrder =>
  liveOrder({
    side: change > 0 ? (held < 0 ? 'BUY_TO_COVER' : 'BUY') : held > 0 ? 'SELL' : 'SELL_SHORT',
    open: `${Math.abs(change)}`,
    limitPrice: '90',
    knownAt: instantAfter(-3_600_000),
    ...changes,
  })

function sceneOf(
  held: number,
  working: Working | null = null,
  crossing: TargetScene['crossing'] = null,
): TargetScene {
  const side = held > 0 ? 'LONG' : 'SHORT'
  const position = held === 0 ? null : ({ side, quantity: `${Math.abs(held)}` } as const)
  return {
    position,
    symbolState: symbolStateOf({
      shares: new PositionShares(
        position?.side,
        position ? [{ owner: null, quantity: position.quantity }] : [],
      ),
      live: working === null ? [] : [orderBeside(held, working)],
    }),
    crossing,
    dueSince: NOW,
    owners: null,
  }
}

function termsOf(move: Move, quantity: Decimal = '10', quantityType: QuantityType = 'fixed'): TargetTerms {
  const sized: SizedMove = move.kind === 'trade' ? { ...move, quantity, quantityType } : move
  return termsFor({ position: '1', at: null, exit: exitAtOnce, move: sized })
}
const termsFor = (target: Target): TargetTerms => ({
  symbol: 'AAPL',
  orderType: 'market',
  timeInForce: 'day',
  target,
})

const inShort = ({ action, quantity, quantityType, exit: its, target }: Leg): string =>
  [
    `${action} ${Number(quantity)}${quantityType === 'fixed' ? '' : ` ${quantityType}`}`,
    ...(its === null ? [] : ['with its exit']),
    ...(goesAcross({ action, target }) ? ['and across'] : []),
  ].join(' ')

/** What is done for a move, in short. */
function done(terms: TargetTerms, scene: TargetScene): string {
  const look = lookAtTarget(terms, scene)
  if (look.what === 'order') return inShort(look.leg)
  return look.what === 'refused' ? look.code : look.what
}

describe('what is traded for a move', () => {
  const cases: [what: string, move: Move, held: number, expected: string][] = [
    ['buy', BUY, 0, 'openLong 10 with its exit'],
    ['buy', BUY, -4, 'closeShort 4 and across'],
    ['buy', BUY, 4, 'nothing'],
    ['buy, which adds,', { ...BUY, whenSame: 'add' }, 4, 'openLong 10 with its exit'],
    ['buy, which does not add,', { ...BUY, whenSame: 'refuse' }, 4, 'HELD_OTHERWISE'],
    ['buy, which closes,', { ...BUY, whenOpposite: 'close' }, -4, 'closeShort 4'],
    ['buy, which reduces,', { ...BUY, whenOpposite: 'reduce' }, -4, 'closeShort 4'],
    ['buy, which reduces,', { ...BUY, whenOpposite: 'reduce' }, -12, 'closeShort 10'],
    ['buy, which covers nothing,', { ...BUY, whenOpposite: 'refuse' }, -4, 'HELD_OTHERWISE'],
    ['buy, which opens nothing,', { ...BUY, whenFlat: 'nothing' }, 0, 'nothing'],
    ['sell', SELL, 0, 'openShort 10 with its exit'],
    ['sell', SELL, 4, 'closeLong 4 and across'],
    [
      'sell, which goes not short,',
      { ...SELL, whenFlat: 'refuse', whenOpposite: 'close' },
      0,
      'SHORT_NOT_ALLOWED',
    ],
    ['sell, which goes not short,', { ...SELL, whenFlat: 'refuse', whenOpposite: 'close' }, 4, 'closeLong 4'],
    ['close', CLOSE, 0, 'nothing'],
    ['close', CLOSE, 4, 'closeLong 4'],
    ['close', CLOSE, -4, 'closeShort 4'],
    ['close long', { ...CLOSE, side: 'LONG' }, -4, 'nothing'],
    ['close 50 %', { ...CLOSE, part: { percent: '50' } }, -5, 'closeShort 2'],
    ['close 50 %', { ...CLOSE, part: { percent: '50' } }, 1, 'QUANTITY_ROUNDS_TO_ZERO'],
    ['close 100 %', { ...CLOSE, part: { percent: '100' } }, 5, 'closeLong 5'],
    ['close 3', { ...CLOSE, part: { shares: '3' } }, 5, 'closeLong 3'],
    ['close 30', { ...CLOSE, part: { shares: '30' } }, 5, 'closeLong 5'],
  ]
  for (const [what, move, held, expected] of cases)
    it(`${what} with ${held} held: ${expected}`, () =>
      assert.equal(done(termsOf(move), sceneOf(held)), expected))

  it('opens for an amount as it opens for shares, and closes in shares', () => {
    const byAmount = termsOf(SELL, '5', 'percentEquity')
    assert.equal(done(byAmount, sceneOf(0)), 'openShort 5 percentEquity with its exit')
    assert.equal(done(byAmount, sceneOf(7)), 'closeLong 7 and across')
    assert.equal(
      done(termsOf({ ...SELL, whenOpposite: 'close' }, '5', 'percentEquity'), sceneOf(7)),
      'closeLong 7',
    )
    assert.equal(
      done(termsOf({ ...SELL, whenOpposite: 'reduce' }, '5', 'percentEquity'), sceneOf(7)),
      'INVALID_ORDER',
    )
  })

  it('a move is no reversal where a second order could not follow', () => {
    const stop = { ...termsOf(BUY), orderType: 'stop' } as const
    assert.equal(done(stop, sceneOf(-4)), 'INVALID_ORDER')
    assert.equal(done(stop, sceneOf(0)), 'openLong 10 with its exit')
  })

  it('a move is put in words', () => {
    const look = (move: Move, held: number) => lookAtTarget(termsOf(move), sceneOf(held))
    const flat = look({ ...SELL, whenFlat: 'refuse' }, 0)
    assert.ok(flat.what === 'refused')
    assert.equal(
      flat.detail,
      'Nothing of AAPL is held or on order, and this sale may not open a short position',
    )
    const same = look(BUY, 4)
    assert.ok(same.what === 'nothing')
    assert.equal(
      same.detail,
      '4 AAPL are held or on order, long, and this purchase adds nothing to them; nothing was sent',
    )
    const turn = look(BUY, -4)
    assert.ok(turn.what === 'order')
    assert.equal(
      tradedForTarget('AAPL', termsOf(BUY).target, turn.leg, turn.held).message,
      'Buy 10 AAPL, by position: 4 AAPL are held or on order, short, so the order is BUY_TO_COVER 4 shares. Once that has filled, another signal opens 10',
    )
  })

  describe('while an order is about to fill,', () => {
    const now = { orderType: 'market', timeInForce: 'day', knownAt: NOW } as const

    it('the same word again is nothing, and a move that counts what is held waits', () => {
      const bought = sceneOf(0, { change: 10, changes: now })
      assert.equal(done(termsOf(BUY), bought), 'nothing')
      assert.equal(done(termsOf({ ...BUY, whenSame: 'add' }), bought), 'wait')
      assert.equal(done(termsOf({ ...CLOSE, part: { percent: '50' } }), bought), 'wait')
      assert.equal(done(termsOf(CLOSE), bought), 'wait')
    })
  })

  describe('behind a signal that is on its way to the other side for an amount,', () => {
    const crossing = { id: 'first', position: '1', isBySide: true } as const
    const scene = sceneOf(-4, { change: 4 }, crossing)

    it('goes by its side', () => {
      assert.equal(done(termsOf(BUY), scene), 'nothing')
      assert.equal(done(termsOf({ ...BUY, whenSame: 'add' }), scene), 'wait')
      assert.equal(done(termsOf(CLOSE), scene), 'cancel')
    })

    it('the side is no figure that a target could be at', () => {
      const target = { position: '1', at: null, exit: exitAtOnce } as const
      assert.equal(done(termsFor(target), scene), 'cancel')
      assert.equal(done(termsFor(target), sceneOf(0, null, crossing)), 'wait')
    })
  })

  it('a move comes to no other order once the order in the way is cancelled', () => {
    const adds = termsOf({ ...BUY, whenSame: 'add' })
    const first = lookAtTarget(adds, sceneOf(10, { change: -10 }))
    assert.ok(first.what === 'cancel')
    assert.equal(done(termsFor(first.target), sceneOf(10)), 'nothing')
    const sells = termsOf({ ...SELL, whenFlat: 'refuse', whenOpposite: 'close' })
    const second = lookAtTarget(sells, sceneOf(0, { change: 10 }))
    assert.ok(second.what === 'cancel')
    assert.equal(done(termsFor(second.target), sceneOf(0)), 'nothing')
  })

  it('a move is, before its order is known, one that opens, or closes where it can open nothing', () => {
    const before = (move: Move, position: Decimal) =>
      beforeResolution({ ...termsOf(move).target, position }, { action: 'openLong', quantity: '10' })
    assert.deepEqual(before(SELL, '-1'), { action: 'openShort', quantity: '10' })
    const covers: Move = { ...BUY, whenFlat: 'refuse', whenOpposite: 'close' }
    assert.deepEqual(before(covers, '0'), { action: 'closeShort', quantity: '10' })
    assert.deepEqual(before(CLOSE, '0'), { action: 'closeLong', quantity: '10' })
  })

  it('ends, for every position, working order, move and quantity, where a plain table says, and never goes across zero by one order', () => {
    let played = 0
    for (const held of [-3, -2, -1, 0, 1, 2, 3])
      for (const working of workingBeside(held))
        for (const { move, quantity, isInShares } of WISHES) {
          const what = JSON.stringify({ move, quantity, isInShares, held, working })
          const size = isInShares ? quantity : SHARES_OF_AN_AMOUNT
          const expected = endOf(move, { size, isInShares, held, working })
          const terms = termsOf(move, `${quantity}`, isInShares ? 'fixed' : 'dollarAmount')
          assert.equal(play(terms, held, working, what), expected, what)
          played += 1
        }
    assert.ok(played > 5_000, String(played))
  })
})

const MOVES: Move[] = [
  ...(['buy', 'sell'] as const).flatMap((direction) =>
    (['open', 'nothing', 'refuse'] as const).flatMap((whenFlat) =>
      (['reverse', 'close', 'reduce', 'refuse'] as const).flatMap((whenOpposite) =>
        (['add', 'nothing', 'refuse'] as const).map((whenSame): Move => ({
          kind: 'trade',
          direction,
          whenFlat,
          whenOpposite,
          whenSame,
        })),
      ),
    ),
  ),
  ...([null, 'LONG', 'SHORT'] as const).flatMap((side) =>
    [null, { shares: '2' }, { percent: '50' }, { percent: '100' }].map(
      (part) => ({ kind: 'close', side, part }) as Move,
    ),
  ),
]

const WISHES = MOVES.flatMap((move) =>
  (move.kind === 'trade' ? [1, 2, 3] : [1]).flatMap((quantity) =>
    [true, false].map((isInShares) => ({ move, quantity, isInShares })),
  ),
)

/** Changes of the position by an order that may rest beside it: more of it, or the end of it, or of a part. */
const workingBeside = (held: number): number[] =>
  [-3, -2, -1, 0, 1, 2, 3].filter((change) => held === 0 || Math.sign(held + change) !== -Math.sign(held))

/** The position in the end, if every order fills, as the table of the moves has it. */
function endOf(
  move: Move,
  { size, isInShares, held, working }: { size: number; isInShares: boolean; held: number; working: number },
): number {
  const from = held + working
  const side = Math.sign(from)
  const closable = Math.sign(held) === side ? Math.min(Math.abs(held), Math.abs(from)) : 0
  const less = (shares: number) => from - side * Math.min(shares, closable)
  if (move.kind === 'close') {
    const { part } = move
    if (side === 0 || (move.side !== null && (move.side === 'LONG') !== side > 0)) return from
    if (part === null) return 0
    if ('shares' in part) return less(Number(part.shares))
    return part.percent === '100' ? 0 : less(Math.floor(closable / 2))
  }
  const sign = move.direction === 'buy' ? 1 : -1
  if (side === 0) return move.whenFlat === 'open' ? sign * size : from
  if (side === sign) return move.whenSame === 'add' ? from + sign * size : from
  switch (move.whenOpposite) {
    case 'reverse':
      return sign * size
    case 'close':
      return 0
    case 'reduce':
      return isInShares ? less(size) : from
    case 'refuse':
      return from
  }
}

/** Plays a move to its end at a broker that fills all, and cancels what it is told to, or what holds the shares of a close. */
function play(asked: TargetTerms, heldFirst: number, workingFirst: number, what: string): number {
  let [held, working] = [heldFirst, workingFirst]
  let terms = asked
  for (let steps = 0; steps < 5; steps += 1) {
    const scene = sceneOf(held, working === 0 ? null : { change: working })
    const look = lookAtTarget(terms, scene)
    assert.deepEqual(lookAtTarget(terms, scene), look, what)
    assert.notEqual(look.what, 'wait', what)
    if (look.what === 'nothing' || look.what === 'refused') return held + working
    if (look.what === 'cancel') {
      working = 0
      terms = termsFor(look.target)
      continue
    }
    assert.ok(look.what === 'order')
    const { leg } = look
    const shares = leg.quantityType === 'fixed' ? Number(leg.quantity) : SHARES_OF_AN_AMOUNT
    const change = leg.action === 'openLong' || leg.action === 'closeShort' ? shares : -shares
    if (leg.action.startsWith('open')) assert.ok(held * change >= 0, `${what}: opens ${change} across zero`)
    else {
      assert.ok(held * change < 0 && shares <= Math.abs(held), `${what}: closes ${change}`)
      if (Math.abs(held + working + change) !== Math.abs(held + working) - shares) working = 0
      assert.equal(leg.exit, null, what)
    }
    held += change
    if (!goesAcross(leg)) return held + working
    assert.equal(held, 0, what)
    terms = termsFor(leg.target)
  }
  return assert.fail(`${what}: it comes to no end`)
}
