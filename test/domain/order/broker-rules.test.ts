import assert from 'node:assert/strict'
import fc from 'fast-check'
import { auctionFault } from '#domain/order/broker-rules.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { cases } from '#test/support/generators.ts'
import { placementOf } from '#venue/exchange/placement.ts'
import { MarketHours } from '#venue/market-hours.ts'
import { Rejection } from '#venue/rejection.ts'

const ZONE = 'America/New_York'
const sessions = nyseSessions('2025-12-31', '2027-01-04')

describe('orders for an auction', () => {
  const fault = (timeInForce: 'opg' | 'cls', at: string) =>
    auctionFault({ timeInForce }, Date.parse(at), sessions, ZONE)

  for (const [timeInForce, at, taken] of [
    ['opg', '2026-03-02T14:27:59.999Z', true],
    ['opg', '2026-03-02T14:28:00.000Z', false],
    ['opg', '2026-03-02T23:59:59.999Z', false],
    ['opg', '2026-03-03T00:00:00.000Z', true],
    ['opg', '2026-03-07T18:00:00.000Z', true],
    ['cls', '2026-03-02T20:49:59.999Z', true],
    ['cls', '2026-03-02T20:50:00.000Z', false],
    ['cls', '2026-11-27T17:49:59.999Z', true],
    ['cls', '2026-11-27T17:50:00.000Z', false],
    ['cls', '2026-11-26T20:55:00.000Z', true],
  ] as const)
    it(`orders for an auction with ${timeInForce} are ${taken ? 'taken' : 'denied'} at ${at}`, () => {
      assert.equal(fault(timeInForce, at) === null, taken)
    })

  it('name the auction, and until when it takes none', () => {
    assert.equal(
      fault('cls', '2026-11-27T18:00:00.000Z'),
      'The closing auction (cls) takes no orders from 12:50 to 19:00 (America/New_York)',
    )
  })

  it('orders for an auction are not judged where the market is open all day, and other orders never are', () => {
    const always = [
      { date: '2026-03-02', opensAt: '2026-03-02T05:00:00.000Z', closesAt: '2026-03-03T05:00:00.000Z' },
    ]
    const noon = Date.parse('2026-03-02T17:00:00.000Z')
    assert.equal(auctionFault({ timeInForce: 'opg' }, noon, always, ZONE), null)
    assert.equal(
      auctionFault({ timeInForce: 'day' }, Date.parse('2026-03-02T20:55:00.000Z'), sessions, ZONE),
      null,
    )
  })

  it('orders for an auction are denied exactly when the paper venue rejects them, at any instant of a year', () => {
    const hours = new MarketHours('nyse')
    const isTaken = (timeInForce: 'opg' | 'cls', at: number): boolean => {
      try {
        placementOf({ timeInForce, extendedHours: false }, hours, at)
        return true
      } catch (error) {
        if (error instanceof Rejection) return false
        throw error
      }
    }
    const instants = fc.integer({
      min: Date.parse('2026-01-01T06:00:00Z'),
      max: Date.parse('2026-12-31T00:00:00Z'),
    })
    fc.assert(
      fc.property(fc.constantFrom('opg' as const, 'cls' as const), instants, (timeInForce, at) => {
        assert.equal(auctionFault({ timeInForce }, at, sessions, ZONE) === null, isTaken(timeInForce, at))
      }),
      { numRuns: cases(2_000) },
    )
  })
})
