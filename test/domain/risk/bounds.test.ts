import assert from 'node:assert/strict'
import {
  clockDiffersByMuch,
  correctionBy,
  isClockBelieved,
  isClockDoubted,
  medianOf,
  withinOwnKnowledge,
} from '#domain/time/broker-clock.ts'
import { unspent } from '#domain/risk/sizing.ts'
import { isAlwaysADayLate } from '#domain/exit/schedule.ts'
import { repetitionDenial } from '#domain/signal/by-hand-guards.ts'
import { isInTicks, tickAt, toTick } from '#domain/money/price-tick.ts'
import { sessionStateAt, projectedContext } from '#domain/risk/projected-context.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { instantAfter, NOW } from '../position/live-orders.ts'

describe('bounds of rules, to the last moment and cent', () => {
  for (const [offset, isDoubted, isMuch, isBelieved] of [
    [999, false, false, true],
    [1_000, true, false, true],
    [-1_000, true, false, true],
    [4_999, true, false, true],
    [-5_000, true, true, true],
    [900_000, true, true, true],
    [-900_001, true, true, false],
  ] as const)
    it(`a clock of a broker that is ${offset} ms ahead is judged by the bounds of its difference`, () => {
      assert.deepEqual(
        [isClockDoubted(offset), clockDiffersByMuch(offset), isClockBelieved(offset)],
        [isDoubted, isMuch, isBelieved],
      )
      assert.equal(correctionBy(offset), isDoubted && isBelieved ? offset : 0)
    })

  it('the median of measured clocks is the lower one of an even number', () => {
    assert.deepEqual([medianOf([5, -1, 3]), medianOf([10, 9, 2, 1])], [3, 2])
    assert.throws(() => medianOf([]), TypeError)
  })

  it('an instant of a broker counts as far as it lies within five seconds of what is known here', () => {
    const known = { since: instantAfter(0), until: instantAfter(60_000) }
    const counted = (at: number, correction = 0, span: { since: string | null; until: string } = known) =>
      Date.parse(withinOwnKnowledge(instantAfter(at), correction, span)) - Date.parse(NOW)
    assert.deepEqual(
      [-5_000, -5_001, 65_000, 65_001].map((at) => counted(at)),
      [-5_000, 0, 65_000, 60_000],
    )
    assert.deepEqual([counted(70_000, 10_000), counted(75_001, 10_000)], [70_000, 70_000])
    assert.equal(counted(-900_000, 0, { ...known, since: null }), -900_000)
  })

  for (const [price, tick, isInThem, down, up] of [
    ['1', '0.01', true, '1', '1'],
    ['0.9999', '0.0001', true, '0.9999', '0.9999'],
    ['0.99995', '0.0001', false, '0.9999', '1'],
    ['130.123', '0.01', false, '130.12', '130.13'],
    ['130.127', '0.01', false, '130.12', '130.13'],
    ['130.12', '0.01', true, '130.12', '130.12'],
  ] as const)
    it(`a price of ${price} has the ticks of its size, and the nearest ones around it`, () => {
      assert.deepEqual([tickAt(price), isInTicks(price)], [tick, isInThem])
      assert.deepEqual([toTick(price, 'down'), toTick(price, 'up')].map(Number), [Number(down), Number(up)])
    })

  it('a chosen size of an exit counts until that many shares are sold', () => {
    const choice = {
      quantity: '10',
      shown: '10',
      limitPrice: null,
      stopPrice: null,
      by: 'ann',
      at: NOW,
    } as const
    const left = (soldSince: Decimal) =>
      unspent({ dueAt: null, isListed: true, isOfBefore: false, choice, soldSince, told: null })
    assert.deepEqual([left('9.999'), left('10'), left('11')], [choice, null, null])
    assert.equal(
      unspent({ dueAt: null, isListed: true, isOfBefore: false, choice: null, soldSince: '0', told: null }),
      null,
    )
  })

  it('an order on the other side is a repetition within a minute of the close', () => {
    const denial = (since: number) =>
      repetitionDenial({ asOf: instantAfter(since) }, { symbol: 'AAPL' }, 'openShort', NOW)
    assert.match(denial(59_999)!.detail, /^The long position .* again after 2026-03-02T15:01:00\.000Z$/)
    assert.equal(denial(60_000), null)
    assert.equal(repetitionDenial({ asOf: NOW }, { symbol: 'AAPL' }, 'openShort', null), null)
  })

  it('an exit misses every closing auction up to its cut-off, ten minutes before the close', () => {
    const isLate = (minutes: number, timeInForce: 'cls' | 'day' = 'cls') =>
      isAlwaysADayLate({ trigger: 'minutesBeforeClose', minutes, clockTime: null, timeInForce }, [], null)
    assert.deepEqual([isLate(9), isLate(10), isLate(11), isLate(10, 'day')], [true, true, false, false])
  })

  it('a session is open from its opening on, and over at its close', () => {
    const sessions = ['2026-03-02', '2026-03-03', '2026-03-04'].map((date) => ({
      date,
      opensAt: `${date}T14:30:00.000Z`,
      closesAt: `${date}T21:00:00.000Z`,
    }))
    const state = (time: string) => sessionStateAt(`2026-03-02T${time}Z`, sessions)
    assert.deepEqual(
      ['14:29:59.999', '14:30:00.000', '20:59:59.999', '21:00:00.000'].map((time) => state(time)?.isOpen),
      [false, true, true, false],
    )
    assert.deepEqual(
      [state('14:30:00.000')?.nextOpen, state('21:00:00.000')?.nextClose],
      ['2026-03-03T14:30:00.000Z', '2026-03-03T21:00:00.000Z'],
    )
    assert.equal(sessionStateAt('2026-03-04T14:30:00.000Z', sessions), null, 'no further opening is known')
  })

  it('orders are counted again in another minute, and losses too on another day of the exchange', () => {
    const risk = { ordersThisMinute: 3, ordersToday: 9, dayStartEquity: '100' }
    const then = (now: string, at: string) => {
      const { risk: later } = projectedContext({ risk } as never, now, at, 'America/New_York')
      return [later.ordersThisMinute, later.ordersToday, later.dayStartEquity]
    }
    assert.deepEqual(then('2026-03-02T15:00:00.000Z', '2026-03-02T15:00:59.999Z'), [3, 9, '100'])
    assert.deepEqual(then('2026-03-02T15:00:59.999Z', '2026-03-02T15:01:00.000Z'), [0, 9, '100'])
    assert.deepEqual(then('2026-03-03T04:59:59.999Z', '2026-03-03T05:00:00.000Z'), [0, 0, null])
  })
})
