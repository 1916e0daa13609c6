import assert from 'node:assert/strict'
import { nyseSessions } from '#domain/time/nyse.ts'
import { marketPhaseAt } from '#domain/time/session.ts'
import { localToInstant } from '#domain/time/wall-time.ts'

/** A half day, a weekend, an ordinary week with the clocks put back on 1 November. */
const sessions = nyseSessions('2026-10-30', '2026-11-27')

describe('marketPhaseAt', () => {
  const phases: [local: string, phase: string][] = [
    ['2026-11-02T03:59:59', 'closed'],
    ['2026-11-02T04:00', 'extended'],
    ['2026-11-02T09:29:59', 'extended'],
    ['2026-11-02T09:30', 'regular'],
    ['2026-11-02T15:59:59', 'regular'],
    ['2026-11-02T16:00', 'extended'],
    ['2026-11-02T19:59:59', 'extended'],
    ['2026-11-02T20:00', 'closed'],
    ['2026-11-01T12:00', 'closed'],
    ['2026-11-26T12:00', 'closed'],
    ['2026-11-27T12:59:59', 'regular'],
    ['2026-11-27T13:00', 'extended'],
    ['2026-11-27T16:59:59', 'extended'],
    ['2026-11-27T17:00', 'closed'],
  ]
  for (const [local, phase] of phases)
    it(`${local} in New York is ${phase}`, () => {
      assert.equal(marketPhaseAt(Date.parse(localToInstant(local, 'America/New_York')), sessions), phase)
    })

  it('marketPhaseAt without a session is closed', () => {
    assert.equal(marketPhaseAt(0, []), 'closed')
  })
})
