import assert from 'node:assert/strict'
import fc from 'fast-check'
import { keptBy, needsPrices, partsKeptHere, type ExitFigures } from '#domain/exit/kept-levels.ts'
import { compare, decimal, divideDown, type Decimal } from '#domain/money/decimal.ts'
import { firstMove, look, MOST_MOVES, type Move, type WatchedExit } from '#domain/exit/protection-watch.ts'
import { isBetter, restingOrder, type ProtectedPosition, type Protection } from '#domain/exit/protection.ts'
import { cases } from '#test/support/generators.ts'

const NOTHING: Protection = { stop: null, target: null, trail: null, breakEven: null, until: 'closed' }
const TRAILS: Protection = { ...NOTHING, stop: { percent: '5' }, trail: { percent: '4' } }
const LONG: ProtectedPosition = { side: 'LONG', average: '100', fees: '0' }
const PLAIN = { oco: false, trailing: false }
/** At this price everybody trades now. */
const seen = (watched: WatchedExit, price: Decimal) =>
  look(watched, { improves: price, triggers: price, market: price })

describe('a watched exit', () => {
  const quantity = '10'
  const placed = (plan: Protection, position = LONG, abilities = PLAIN): WatchedExit => ({
    protection: plan,
    position,
    best: position.average,
    quantity,
    abilities,
    kept: restingOrder(plan, position, position.average, { quantity, abilities }),
    isOfProtection: true,
    entryWorks: false,
    moves: 0,
  })
  const restingOf = ({ kept }: WatchedExit) => kept!

  it('a level that is crossed at the first price after a pause is acted upon, the stop before the target', () => {
    const trails = placed({ ...TRAILS, target: { amount: '9' } })
    const nothingRests: WatchedExit = { ...trails, kept: null, entryWorks: true }
    assert.equal(seen(nothingRests, '88').crossed?.level, 'stop')
    assert.equal(seen(nothingRests, '112').crossed?.level, 'target')
  })

  it('the stop is kept here while the order at a target works, and the target is left to that order', () => {
    const watched = placed({ ...TRAILS, target: { amount: '9' } })
    const atTarget = { orderType: 'limit', limitPrice: '109', stopPrice: null, timeInForce: 'day' } as const
    const working: WatchedExit = { ...watched, kept: atTarget }
    assert.equal(seen(working, '112').crossed, null)
    assert.deepEqual(seen(working, '94').crossed, { level: 'stop', at: '96', price: '94' })
    assert.ok(partsKeptHere(working).includes('stop'))
  })

  /** Stop 96, target 109, by the figures of an exit order and whatever that is for. */
  const order = (changes: Partial<ExitFigures>): ExitFigures => ({
    orderType: 'limit',
    timeInForce: 'day',
    limitPrice: null,
    stopPrice: null,
    stopLimitPrice: null,
    ...changes,
  })
  const KEPT: [name: string, order: ExitFigures | null, keptHere: string][] = [
    ['no order', null, 'stop target'],
    ['one at market', order({ orderType: 'market' }), ''],
    ['one for the closing auction', order({ orderType: 'market', timeInForce: 'cls' }), 'stop target'],
    ['a limit in the closing auction', order({ limitPrice: '109', timeInForce: 'cls' }), 'stop target'],
    ['a limit at the target', order({ limitPrice: '109' }), 'stop'],
    ['a limit nearer than the target', order({ limitPrice: '104' }), 'stop'],
    ['a limit beyond the target', order({ limitPrice: '110' }), 'stop target'],
    ['a stop', order({ orderType: 'stop', stopPrice: '96' }), 'target'],
    ['a stop that lies farther', order({ orderType: 'stop', stopPrice: '80' }), 'stop target'],
    ['both', order({ orderType: 'oco', limitPrice: '109', stopPrice: '96' }), ''],
  ]
  for (const [name, exit, keptHere] of KEPT)
    it(`levels are kept here and acted upon beside ${name} at the broker: ${keptHere || 'none'}`, () => {
      const plan = { ...NOTHING, stop: { amount: '4' }, target: { amount: '9' } } as const
      const held = { ...placed(plan), kept: keptBy(exit, null), isOfProtection: false }
      assert.equal(partsKeptHere(held).join(' '), keptHere)
      assert.equal(needsPrices(held), keptHere !== '')
      const { kept } = held
      if (kept === 'all') return
      const watched: WatchedExit = { ...held, kept }
      const reached = [seen(watched, '95').crossed, seen(watched, '112').crossed]
      assert.equal(reached.flatMap((level) => level?.level ?? []).join(' '), keptHere)
    })

  it('a stop is moved only to where the market is beyond it by a tick, and an order of another purpose not at all', () => {
    const watched = { ...placed(TRAILS), best: '110' as const }
    const move = (market: Decimal | null, changes: Partial<WatchedExit> = {}) =>
      look({ ...watched, ...changes }, { improves: '110', triggers: '110', market }).move?.stop
    assert.deepEqual(
      [move('105.61'), move('105.6'), move(null), move('109', { isOfProtection: false })],
      ['105.6', undefined, undefined, undefined],
    )
  })

  it('stops are moved in turn, break-even first and then the one that lies farthest behind, and none is left', () => {
    for (const count of [8, 30, 200]) {
      const positions = Array.from({ length: count }, () => ({ lies: 96, moves: 0 }))
      for (let turn = 1; turn <= 3 * count; turn += 1) {
        const stop = decimal(96 + turn)
        const waiting = positions.map((position) => ({
          position,
          move: { stop, isUrgent: false, behind: decimal((96 + turn - position.lies) / 1_000) },
        }))
        const { position } = firstMove(waiting)!
        Object.assign(position, { lies: 96 + turn, moves: position.moves + 1 })
      }
      assert.ok(positions.every(({ moves }) => moves === 3))
    }
    const moves: Move[] = [
      { stop: '100', isUrgent: false, behind: '0.2' },
      { stop: '100', isUrgent: true, behind: '0.01' },
      { stop: '100', isUrgent: true, behind: '0.02' },
    ]
    assert.equal(firstMove([{ move: null }, ...moves.map((move) => ({ move }))])?.move, moves[2])
  })

  it('a stop that lies at the broker where it belongs is left to it, and one that lies lower is kept here', () => {
    const watched = { ...placed(TRAILS), best: '110' as const }
    const at = (stopPrice: Decimal) => ({ ...watched, kept: { ...restingOf(watched), stopPrice } })
    assert.equal(seen(at('105.6'), '105.5').crossed, null)
    assert.deepEqual(seen(at('105.2'), '105.5').crossed, { level: 'stop', at: '105.6', price: '105.5' })
  })

  it('break-even moves the stop at once and once, a trail by a tenth of its distance at least', () => {
    const even = placed({ ...NOTHING, stop: { percent: '5' }, breakEven: { percent: '3' } })
    assert.equal(seen(even, '102.99').move, null)
    assert.deepEqual(seen(even, '103').move, { stop: '100', isUrgent: true, behind: '0.05' })
    const moved = { ...even, best: '103' as const, kept: { ...restingOf(even), stopPrice: '100' as const } }
    assert.equal(seen(moved, '104').move, null)
    assert.deepEqual(partsKeptHere(moved), [])
    const trails = { ...placed(TRAILS), best: '105' as const }
    const lies = { ...trails, kept: { ...restingOf(trails), stopPrice: '100.8' as const } }
    assert.equal(seen(lies, '105.4').move, null)
    assert.deepEqual(seen(lies, '105.5').move, { stop: '101.28', isUrgent: false, behind: '0.004739336' })
  })

  it('a trail that the broker keeps stays its own while the price goes on, which is followed and not said to be kept here', () => {
    const watched = placed({ ...NOTHING, trail: { percent: '4' } }, LONG, { oco: true, trailing: true })
    const { best, mustBePlaced, move } = seen(watched, '110')
    assert.deepEqual(
      [restingOf(watched)?.orderType, best, mustBePlaced, move],
      ['trailingStop', '110', false, null],
    )
    assert.deepEqual([partsKeptHere(watched), needsPrices(watched)], [[], true])
    assert.equal(needsPrices({ ...watched, kept: 'all' }), false)
  })

  it('another kind of order, and one that was moved often, must be placed; never beside an entry that works', () => {
    const abilities = { oco: true, trailing: true }
    const trail = { percent: '2', after: { percent: '1' } } as const
    const watched = placed({ ...NOTHING, target: { percent: '9' }, trail }, LONG, abilities)
    assert.equal(seen(watched, '100.5').mustBePlaced, false)
    assert.equal(seen(watched, '102').mustBePlaced, true)
    assert.equal(seen({ ...watched, kept: null, entryWorks: true }, '102').mustBePlaced, false)
    assert.equal(seen({ ...watched, entryWorks: true }, '102').mustBePlaced, true, 'it lies there already')
    const worn = { ...placed(TRAILS), moves: MOST_MOVES }
    const found = seen(worn, '110')
    assert.deepEqual([found.mustBePlaced, found.move?.stop], [true, '105.6'])
  })

  it('the stop, for any prices, never moves away from them, and no price passes a level unnoticed', () => {
    const level = fc.integer({ min: 1, max: 9 }).map((percent) => ({ percent: decimal(percent) }))
    const anyPlan = fc.record({
      stop: fc.option(level),
      target: fc.option(level),
      trail: fc.option(level),
      breakEven: fc.option(level),
      until: fc.constant('closed' as const),
    })
    const anyPath = fc.array(fc.integer({ min: -150, max: 150 }), { minLength: 1, maxLength: 80 })
    fc.assert(
      fc.property(anyPlan, anyPath, fc.constantFrom('LONG', 'SHORT'), (plan, path, side) => {
        const position = { ...LONG, side }
        let watched = placed(plan, position)
        let cents = 10_000
        for (const step of path) {
          cents = Math.max(100, cents + step)
          const price = divideDown(decimal(cents), '100', 2)
          const { best, crossed, move, mustBePlaced } = seen(watched, price)
          const stop = restingOf(watched)?.stopPrice ?? null
          // A broker would trade at its stop by itself.
          if (stop !== null && !isBetter(side, price, stop)) return
          if (crossed !== null) {
            assert.ok(crossed.level === 'target' || !isBetter(side, price, crossed.at))
            return
          }
          watched = { ...watched, best }
          if (move !== null) {
            assert.ok(isBetter(side, move.stop, stop!) && isBetter(side, price, move.stop))
            watched = { ...watched, kept: { ...restingOf(watched), stopPrice: move.stop } }
          }
          const wanted = restingOrder(plan, position, best, { quantity, abilities: PLAIN })
          if (mustBePlaced) watched = { ...watched, kept: wanted }
          const exact = wanted?.stopPrice ?? null
          assert.ok(exact === null || isBetter(side, price, exact), `${price} passed ${exact}`)
        }
      }),
      { numRuns: cases(2_000) },
    )
  })

  it('a trailing stop is moved at the broker no oftener than the tenths of its distance go into the way of the price', () => {
    let watched = placed(TRAILS)
    let moves = 0
    for (let cents = 10_000; cents <= 12_000; cents += 2) {
      const { best, move, crossed } = seen(watched, divideDown(decimal(cents), '100', 2))
      assert.equal(crossed, null)
      watched = { ...watched, best }
      if (move === null) continue
      moves += 1
      watched = { ...watched, kept: { ...restingOf(watched), stopPrice: move.stop } }
    }
    assert.ok(moves > 30 && moves <= 48, `${moves} moves for 1,000 prices`)
    assert.ok(compare(restingOf(watched).stopPrice!, '114.7') > 0)
  })
})
