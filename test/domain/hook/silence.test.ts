import assert from 'node:assert/strict'
import { nyseSessions } from '#domain/time/nyse.ts'
import { lastDue } from '#domain/hook/silence.ts'
import { addDays, addMinutes } from '#domain/time/wall-time.ts'

const LONG_AGO = '2020-01-01T00:00:00.000Z'
const sessions = nyseSessions('2025-12-15', '2027-01-15')
const dueAt = (expects: Parameters<typeof lastDue>[0], now: string, since = LONG_AGO) =>
  lastDue(expects, sessions, { since, now })

describe('the time at which something is expected of a sender', () => {
  it('the time at which something is expected is once in each session of a year, and on no other day', () => {
    for (const expects of [{ everySession: '10:00' }, { atLeastEvery: 'day' }] as const) {
      const told = new Set<string>()
      const days: string[] = []
      for (let day = '2026-01-01'; day <= '2026-12-31'; day = addDays(day, 1)) {
        // At the end of the day in New York, whichever its offset.
        const { session } = dueAt(expects, `${addDays(day, 1)}T04:00:00.000Z`)!
        if (session === day) days.push(day)
        told.add(session)
      }
      assert.deepEqual(
        days,
        nyseSessions('2026-01-01', '2026-12-31').map(({ date }) => date),
      )
      assert.equal(days.length, 251)
      // Beside those of the year the one of the day before its first.
      assert.equal(told.size, 252)
    }
  })

  it('the time at which something is expected is the one of clocks in New York, in summer and in winter', () => {
    for (const [session, from, until] of [
      ['2026-03-06', '2026-03-06T05:00:00.000Z', '2026-03-06T15:01:00.000Z'],
      ['2026-03-09', '2026-03-09T04:00:00.000Z', '2026-03-09T14:01:00.000Z'],
      ['2026-10-30', '2026-10-30T04:00:00.000Z', '2026-10-30T14:01:00.000Z'],
      ['2026-11-02', '2026-11-02T05:00:00.000Z', '2026-11-02T15:01:00.000Z'],
    ] as const) {
      assert.deepEqual(dueAt({ everySession: '10:00' }, until), { session, from, until })
      assert.notEqual(dueAt({ everySession: '10:00' }, addMinutes(until, -0.001))!.session, session)
    }
  })

  it('the time at which something is expected at least every day is from close to close, on half days and over holidays too', () => {
    for (const [session, from, until] of [
      ['2026-11-27', '2026-11-25T21:00:00.000Z', '2026-11-27T18:00:00.000Z'],
      ['2026-11-30', '2026-11-27T18:00:00.000Z', '2026-11-30T21:00:00.000Z'],
      ['2026-12-24', '2026-12-23T21:00:00.000Z', '2026-12-24T18:00:00.000Z'],
      ['2026-12-28', '2026-12-24T18:00:00.000Z', '2026-12-28T21:00:00.000Z'],
    ])
      assert.deepEqual(dueAt({ atLeastEvery: 'day' }, until!), { session, from, until })
  })

  it('the time at which something is expected is none that had passed when the rule was made', () => {
    const evening = '2026-03-03T03:00:00.000Z'
    assert.equal(dueAt({ everySession: '10:00' }, evening, '2026-03-02T16:00:00.000Z'), null)
    assert.equal(dueAt({ everySession: '10:00' }, evening, '2026-03-02T14:00:00.000Z')!.session, '2026-03-02')
    // Of a day of which a part is over only what is left could be judged.
    assert.equal(dueAt({ atLeastEvery: 'day' }, evening, '2026-03-02T14:00:00.000Z'), null)
    assert.equal(dueAt({ atLeastEvery: 'day' }, evening, '2026-02-27T21:00:00.000Z')!.session, '2026-03-02')
  })
})
