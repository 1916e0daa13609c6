import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compare, decimal, divideDown, type Decimal } from '#domain/decimal.ts'
import type { PriceFacts } from '#domain/market-price.ts'
import {
  PRICE_COUNTS_FOR_MS,
  followTrades,
  keepsLevel,
  look,
  needsPrices,
  MOST_MOVES,
  partsKeptHere,
  seenPrice,
  type TradeRun,
  type WatchedPlan,
} from '#domain/protection-watch.ts'
import { isBetter, restingOrder, type ProtectedPosition, type Protection } from '#domain/protection.ts'
import { cases } from '#test/support/generators.ts'

const NOTHING: Protection = { stop: null, target: null, trail: null, breakEven: null, until: 'closed' }
const TRAILS: Protection = { ...NOTHING, stop: { percent: '5' }, trail: { percent: '4' } }
const LONG: ProtectedPosition = { side: 'LONG', average: '100', fees: '0' }
const PLAIN = { oco: false, trailing: false }
const NOW = Date.parse('2026-03-02T15:00:00.000Z')
const OPENED = Date.parse('2026-03-02T14:30:00.000Z')
const ago = (milliseconds: number): string => new Date(NOW - milliseconds).toISOString()

describe('prices that are watched', () => {
  const facts = (last: PriceFacts['last'], quote: PriceFacts['quote'] = null): PriceFacts => ({
    last,
    quote,
    askedAt: NOW,
    sessions: [],
    unavailable: null,
  })
  const seen = (given: PriceFacts, opensAt = OPENED) => seenPrice(given, opensAt)

  it('a fresh trade of the session counts, and neither an older one nor one from before the opening', () => {
    const trade = (milliseconds: number) => facts({ price: '99', at: ago(milliseconds) })
    assert.deepEqual(seen(trade(1_000)), { price: '99', at: NOW - 1_000, source: 'trade' })
    assert.equal(seen(trade(PRICE_COUNTS_FOR_MS + 1)), null)
    assert.equal(seen(trade(1_000), NOW - 500), null)
  })

  it('an old trade counts as far as fresh bid and ask lie around it, else the nearer of the two does', () => {
    const quoted = (price: Decimal, at = ago(500)) =>
      seen(facts({ price, at: ago(300_000) }, { bid: '98', ask: '98.2', at }))
    assert.equal(quoted('98.1')?.price, '98.1')
    assert.deepEqual(quoted('101'), { price: '98.2', at: NOW - 500, source: 'quote' })
    assert.equal(quoted('97')?.price, '98')
    assert.equal(quoted('101', ago(PRICE_COUNTS_FOR_MS + 1)), null)
  })

  it('a trade outside of fresh bid and ask counts as the nearer of the two; bid and ask that are crossed do not count', () => {
    const at = ago(100)
    const quoted = (price: Decimal) => seen(facts({ price, at }, { bid: '100', ask: '100.1', at }))?.price
    assert.deepEqual(
      ['140', '60', '100.05'].map((price) => quoted(decimal(price))),
      ['100.1', '100', '100.05'],
    )
    assert.equal(seen(facts({ price: '97', at: ago(300_000) }, { bid: '99', ask: '98', at })), null)
  })

  it('trades without bid and ask count once they have stayed for some seconds, and one odd print never does', () => {
    const counted = (prices: string[], apartMs: number) => {
      let run: TradeRun | null = null
      return prices.filter((price, at) => {
        const { counts, ...next } = followTrades(run, { price: decimal(price), at: at * apartMs })
        run = next
        return counts
      })
    }
    assert.deepEqual(counted(['100', '100.1', '140', '100.2', '60', '100'], 2_000), [])
    assert.deepEqual(counted(['100', '100.1', '100.2', '90', '90.1', '90.2'], 2_000), ['100.2', '90.2'])
    assert.deepEqual(counted(['100', '100', '100'], PRICE_COUNTS_FOR_MS + 1), [])
  })
})

describe('a watched exit plan', () => {
  const quantity = '10'
  const placed = (plan: Protection, position = LONG, abilities = PLAIN): WatchedPlan => ({
    plan,
    position,
    best: position.average,
    quantity,
    abilities,
    order: 'works',
    resting: restingOrder(plan, position, position.average, { quantity, abilities }),
    moves: 0,
  })

  it('a level that is crossed at the first price after a pause is acted upon, the stop before the target', () => {
    const nothingRests: WatchedPlan = { ...placed({ ...TRAILS, target: { amount: '9' } }), order: 'entry' }
    assert.equal(look(nothingRests, '88').crossed?.level, 'stop')
    assert.equal(look(nothingRests, '112').crossed?.level, 'target')
    assert.equal(look({ ...nothingRests, order: 'closing' }, '88').crossed, null)
    assert.equal(look({ ...nothingRests, order: 'ended' }, '88').crossed, null)
  })

  it('the stop is kept here while the order at a target works, and the target is left to that order', () => {
    const watched = placed({ ...TRAILS, target: { amount: '9' } })
    const atTarget = { orderType: 'limit', limitPrice: '109', stopPrice: null, timeInForce: 'day' } as const
    assert.deepEqual([keepsLevel('target'), keepsLevel('timed')], [true, false])
    const working: WatchedPlan = { ...watched, resting: atTarget }
    assert.equal(look(working, '112').crossed, null)
    assert.deepEqual(look(working, '94').crossed, { level: 'stop', at: '96', price: '94' })
    assert.ok(partsKeptHere(working).includes('stop'))
  })

  it('a stop that lies at the broker where it belongs is left to it, and one that lies lower is kept here', () => {
    const watched = { ...placed(TRAILS), best: '110' as const }
    const at = (stopPrice: Decimal) => ({ ...watched, resting: { ...watched.resting!, stopPrice } })
    assert.equal(look(at('105.6'), '105.5').crossed, null)
    assert.deepEqual(look(at('105.2'), '105.5').crossed, { level: 'stop', at: '105.6', price: '105.5' })
  })

  it('break-even moves the stop at once and once, a trail by a tenth of its distance at least', () => {
    const even = placed({ ...NOTHING, stop: { percent: '5' }, breakEven: { percent: '3' } })
    assert.equal(look(even, '102.99').move, null)
    assert.deepEqual(look(even, '103').move, { stop: '100', isUrgent: true })
    const moved = { ...even, best: '103' as const, resting: { ...even.resting!, stopPrice: '100' as const } }
    assert.equal(look(moved, '104').move, null)
    assert.deepEqual(partsKeptHere(moved), [])
    const trails = { ...placed(TRAILS), best: '105' as const }
    const lies = { ...trails, resting: { ...trails.resting!, stopPrice: '100.8' as const } }
    assert.equal(look(lies, '105.4').move, null)
    assert.deepEqual(look(lies, '105.5').move, { stop: '101.28', isUrgent: false })
  })

  it('a trail that the broker keeps stays its own while the price goes on, which is followed and not said to be kept here', () => {
    const watched = placed({ ...NOTHING, trail: { percent: '4' } }, LONG, { oco: true, trailing: true })
    const { best, isToBePlaced, move } = look(watched, '110')
    assert.deepEqual(
      [watched.resting?.orderType, best, isToBePlaced, move],
      ['trailingStop', '110', false, null],
    )
    assert.deepEqual([partsKeptHere(watched), needsPrices(watched)], [[], true])
    assert.equal(needsPrices({ ...watched, order: 'closing' }), false)
  })

  it('another kind of order, and one that was moved often, is to be placed; never beside an entry that works', () => {
    const abilities = { oco: true, trailing: true }
    const trail = { percent: '2', after: { percent: '1' } } as const
    const watched = placed({ ...NOTHING, target: { percent: '9' }, trail }, LONG, abilities)
    assert.equal(look(watched, '100.5').isToBePlaced, false)
    assert.equal(look(watched, '102').isToBePlaced, true)
    assert.equal(look({ ...watched, order: 'entry' }, '102').isToBePlaced, false)
    const worn = { ...placed(TRAILS), moves: MOST_MOVES }
    const found = look(worn, '110')
    assert.deepEqual([found.isToBePlaced, found.move?.stop], [true, '105.6'])
  })

  it('whatever the prices do, its stop never moves away from them, and no price passes a level unnoticed', () => {
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
          const { best, crossed, move, isToBePlaced } = look(watched, price)
          const stop = watched.resting?.stopPrice ?? null
          // A broker would trade at its stop by itself.
          if (stop !== null && !isBetter(side, price, stop)) return
          if (crossed !== null) {
            assert.ok(crossed.level === 'target' || !isBetter(side, price, crossed.at))
            return
          }
          watched = { ...watched, best }
          if (move !== null) {
            assert.ok(isBetter(side, move.stop, stop!) && isBetter(side, price, move.stop))
            watched = { ...watched, resting: { ...watched.resting!, stopPrice: move.stop } }
          }
          const wanted = restingOrder(plan, position, best, { quantity, abilities: PLAIN })
          if (isToBePlaced) watched = { ...watched, resting: wanted }
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
      const { best, move, crossed } = look(watched, divideDown(decimal(cents), '100', 2))
      assert.equal(crossed, null)
      watched = { ...watched, best }
      if (move === null) continue
      moves += 1
      watched = { ...watched, resting: { ...watched.resting!, stopPrice: move.stop } }
    }
    assert.ok(moves > 30 && moves <= 48, `${moves} moves for 1,000 prices`)
    assert.ok(compare(watched.resting!.stopPrice!, '114.7') > 0)
  })
})
