import assert from 'node:assert/strict'
import { waitsForSession } from '#domain/time/session.ts'

const SESSIONS = [
  { date: '2026-03-02', opensAt: '2026-03-02T14:30:00.000Z', closesAt: '2026-03-02T21:00:00.000Z' },
  { date: '2026-03-03', opensAt: '2026-03-03T14:30:00.000Z', closesAt: '2026-03-03T21:00:00.000Z' },
]
const at = (instant: string, timeInForce: 'day' | 'gtc' | 'opg' = 'day', extendedHours = false) =>
  waitsForSession({ timeInForce, extendedHours }, Date.parse(instant), SESSIONS)

describe('an order that is sent outside a session', () => {
  it('an order that is sent outside a session must wait for the next open, with its instant', () => {
    const advisory = at('2026-03-02T22:00:00.000Z')
    assert.ok(advisory)
    assert.equal(advisory.code, 'waits_for_session')
    assert.match(advisory.message, /next session, which opens at 2026-03-03T14:30:00\.000Z/)
    assert.ok(at('2026-03-02T14:00:00.000Z', 'gtc'))
  })

  it('waits for nothing in a session, in extended hours that it may trade in, and when it is for an auction', () => {
    assert.equal(at('2026-03-02T15:00:00.000Z'), null)
    assert.equal(at('2026-03-02T22:00:00.000Z', 'day', true), null)
    assert.equal(at('2026-03-02T22:00:00.000Z', 'opg'), null)
    assert.ok(at('2026-03-03T02:00:00.000Z', 'day', true), 'no hours at all')
  })

  it('says nothing where the calendar is not known, or the next session begins within a minute', () => {
    assert.equal(waitsForSession({ timeInForce: 'day', extendedHours: false }, 0, []), null)
    assert.ok(at('2026-03-02T14:29:00.000Z'))
    assert.equal(at('2026-03-02T14:29:00.001Z'), null)
    assert.equal(at('2026-03-03T22:00:00.000Z'), null)
  })
})
