import assert from 'node:assert/strict'
import fc from 'fast-check'
import { NYSE_ZONE, nyseSessions } from '#domain/time/nyse.ts'
import { NoSessionForExit, resolveExitTime } from '#domain/exit/schedule.ts'
import type { ExitRule, ExitTrigger } from '#domain/exit/exit.ts'
import { cases } from '#test/support/generators.ts'

type Rule = Parameters<typeof resolveExitTime>[0]

const after = (minutes: number): Rule => rule({ trigger: 'minutesAfterEntry', minutes })
const beforeClose = (minutes: number): Rule => rule({ trigger: 'minutesBeforeClose', minutes })
const atClock = (clockTime: string): Rule => rule({ trigger: 'atClockTime', clockTime })
const inClosingAuction = (base: Rule): Rule => ({ ...base, timeInForce: 'cls' })
const immediate: Rule = rule({ trigger: 'immediate' })

function rule(part: Partial<ExitRule> & Pick<ExitRule, 'trigger'>): Rule {
  return { minutes: null, clockTime: null, timeInForce: 'day', ...part }
}

/** An instant of 2026, said in short by its day and time. */
const utc = (short: string): string => new Date(`2026-${short}Z`).toISOString()

/** The sessions from a day before to ten days after, as the broker's calendar gives them. */
function sessionsAround(instant: string) {
  const day = 86_400_000
  const date = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
  return nyseSessions(date(Date.parse(instant) - day), date(Date.parse(instant) + 10 * day))
}

const resolve = (exit: Rule, endedAt: string) =>
  resolveExitTime(exit, { endedAt, filledAt: endedAt }, sessionsAround(endedAt), NYSE_ZONE)

describe('the time of an exit', () => {
  // Monday 2 March 2026: 14:30-21:00 UTC. Thursday 26 November is Thanksgiving, Friday closes at 18:00 UTC.
  const table: [name: string, exit: Rule, ended: string, submit: string, rolled: boolean][] = [
    ['immediate, in a session', immediate, '03-02 15:00', '03-02 15:00', false],
    ['immediate, after the close', immediate, '03-02 21:00', '03-03 14:30', true],
    ['immediate, before the open', immediate, '03-02 13:00', '03-02 14:30', true],
    ['5 minutes after entry', after(5), '03-02 15:00', '03-02 15:05', false],
    ['0 minutes after entry', after(0), '03-02 15:00', '03-02 15:00', false],
    ['1 minute after entry, at the close', after(1), '03-02 20:59', '03-03 14:30', true],
    [
      '60 minutes after entry, over the weekend on which clocks change',
      after(60),
      '03-06 20:30',
      '03-09 13:30',
      true,
    ],
    ['30 minutes after entry, past an early close', after(30), '11-27 17:45', '11-30 14:30', true],
    ['15 minutes before the close', beforeClose(15), '03-02 15:00', '03-02 20:45', false],
    ['15 minutes before an early close', beforeClose(15), '11-27 15:00', '11-27 17:45', false],
    [
      '15 minutes before the close, the entry ended later than that',
      beforeClose(15),
      '03-02 20:50',
      '03-03 20:45',
      true,
    ],
    ['at the close, still within the session', beforeClose(0), '03-02 15:00', '03-02 20:59:50', false],
    ['at 15:45 in winter', atClock('15:45'), '03-02 15:00', '03-02 20:45', false],
    ['at 15:45 in summer', atClock('15:45'), '07-06 15:00', '07-06 19:45', false],
    ['at 15:45, the entry ended at that very instant', atClock('15:45'), '03-02 20:45', '03-02 20:45', false],
    ['at 15:45, the entry ended at 15:50', atClock('15:45'), '03-02 20:50', '03-03 20:45', true],
    [
      'at 15:45 after an early close, the entry ended after that close',
      atClock('15:45'),
      '11-27 18:30',
      '11-30 20:45',
      false,
    ],
    ['at 10:00, the entry ended on a holiday', atClock('10:00'), '11-26 15:00', '11-27 15:00', false],
    [
      'for the closing auction, within its cut-off',
      inClosingAuction(beforeClose(15)),
      '03-02 15:00',
      '03-02 20:45',
      false,
    ],
    [
      'for the closing auction, immediately but past its cut-off',
      inClosingAuction(immediate),
      '03-02 20:50',
      '03-03 14:30',
      true,
    ],
  ]
  for (const [name, exit, ended, submit, rolled] of table) {
    const [endedAt, submitAt] = [utc(ended), utc(submit)]
    it(`${name}: ${endedAt} -> ${submitAt}`, () => {
      const reason = rolled ? 'exit_rolled_to_next_session' : null
      assert.deepEqual(resolve(exit, endedAt), { submitAt, reason })
    })
  }

  const earlyClose: [name: string, exit: Rule, submitAt: string][] = [
    ['a market exit at 15:45', atClock('15:45'), '2026-11-27T17:59:50.000Z'],
    [
      'an exit for the closing auction at 15:45',
      inClosingAuction(atClock('15:45')),
      '2026-11-27T17:49:50.000Z',
    ],
    [
      'an exit for the closing auction at 12:55',
      inClosingAuction(atClock('12:55')),
      '2026-11-27T17:49:50.000Z',
    ],
  ]
  for (const [name, exit, submitAt] of earlyClose) {
    it(`the time of an exit is the last moment before an early close for ${name}, not the next session`, () =>
      assert.deepEqual(resolve(exit, '2026-11-27T15:00:00.000Z'), {
        submitAt,
        reason: 'exit_moved_before_early_close',
      }))
  }

  it('the time of an exit is the opening of the next session for a clock time after the usual close, early close or not', () => {
    const reason = 'exit_rolled_to_next_session'
    const evening = atClock('16:30')
    assert.deepEqual(resolve(evening, '2026-11-27T15:00:00.000Z'), {
      submitAt: '2026-11-30T14:30:00.000Z',
      reason,
    })
    assert.deepEqual(resolve(evening, '2026-11-24T15:00:00.000Z'), {
      submitAt: '2026-11-25T14:30:00.000Z',
      reason,
    })
  })

  describe('of an entry that filled in part and was cancelled later', () => {
    const entry = { filledAt: '2026-03-02T15:00:00.000Z', endedAt: '2026-03-02T20:50:00.000Z' }
    const plan = (exit: Rule) => resolveExitTime(exit, entry, sessionsAround(entry.endedAt), NYSE_ZONE)

    it('the time of an exit of an entry that filled in part and was cancelled later is the clock time of the next session when that of the day had passed at the cancel', () =>
      assert.deepEqual(plan(atClock('15:45')), {
        submitAt: '2026-03-03T20:45:00.000Z',
        reason: 'exit_rolled_to_next_session',
      }))

    it('the time of an exit of an entry that filled in part and was cancelled later is counted from the next close when the moment before that of the day had passed at the cancel', () =>
      assert.deepEqual(plan(beforeClose(15)), {
        submitAt: '2026-03-03T20:45:00.000Z',
        reason: 'exit_rolled_to_next_session',
      }))

    it('counts minutes from the fill, and is not before the cancel', () => {
      assert.deepEqual(plan(after(60)), { submitAt: entry.endedAt, reason: null })
      const soon = { filledAt: '2026-03-02T20:30:00.000Z', endedAt: '2026-03-02T20:31:00.000Z' }
      assert.deepEqual(resolveExitTime(after(5), soon, sessionsAround(soon.endedAt), NYSE_ZONE), {
        submitAt: '2026-03-02T20:35:00.000Z',
        reason: null,
      })
    })
  })

  it('the time of an exit is an error when the calendar does not reach far enough', () => {
    const sessions = nyseSessions('2026-03-02', '2026-03-02')
    const resolveWith = (exit: Rule, endedAt: string) =>
      resolveExitTime(exit, { endedAt, filledAt: endedAt }, sessions, NYSE_ZONE)
    assert.throws(() => resolveWith(immediate, '2026-03-02T21:00:00.000Z'), NoSessionForExit)
    assert.throws(() => resolveWith(beforeClose(15), '2026-03-02T20:50:00.000Z'), NoSessionForExit)
    assert.throws(
      () =>
        resolveExitTime(immediate, { endedAt: '2026-03-02T21:00:00.000Z', filledAt: null }, [], NYSE_ZONE),
      NoSessionForExit,
    )
  })
})

describe('the time of any exit, from 2020 to 2030,', () => {
  const newYork = new Intl.DateTimeFormat('en-CA', {
    timeZone: NYSE_ZONE,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  })
  const two = (value: number): string => String(value).padStart(2, '0')
  const rulesOf: Record<ExitTrigger, fc.Arbitrary<Rule>> = {
    immediate: fc.constant(immediate),
    minutesAfterEntry: fc.constantFrom(0, 1, 15, 59, 60).map(after),
    minutesBeforeClose: fc.constantFrom(0, 1, 15, 59, 60).map(beforeClose),
    atClockTime: fc
      .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }))
      .map(([hour, minute]) => atClock(`${two(hour)}:${two(minute)}`)),
  }
  const rules = fc
    .oneof(...Object.values(rulesOf))
    .chain((exit) => fc.boolean().map((auction) => (auction ? inClosingAuction(exit) : exit)))
  const ends = fc
    .integer({ min: Date.UTC(2020, 0, 3) / 1_000, max: Date.UTC(2030, 11, 1) / 1_000 })
    .map((seconds) => new Date(seconds * 1_000).toISOString())

  it('lies in a session that can take the order, not before the entry ended, and as early as the rule allows', () => {
    fc.assert(
      fc.property(rules, ends, (exit, endedAt) => {
        const sessions = sessionsAround(endedAt)
        const { submitAt, reason } = resolveExitTime(
          exit,
          { endedAt, filledAt: endedAt },
          sessions,
          NYSE_ZONE,
        )
        const at = Date.parse(submitAt)
        const cutOff = exit.timeInForce === 'cls' ? 10 * 60_000 : 0
        const index = sessions.findIndex(
          ({ opensAt, closesAt }) => Date.parse(opensAt) <= at && at < Date.parse(closesAt) - cutOff,
        )
        assert.ok(index >= 0, `${submitAt} lies in no session`)
        assert.ok(at >= Date.parse(endedAt), 'before the entry had ended')
        const session = sessions[index]!
        const wanted =
          Date.parse(endedAt) + (exit.trigger === 'minutesAfterEntry' ? exit.minutes! * 60_000 : 0)
        if (exit.trigger === 'immediate' || exit.trigger === 'minutesAfterEntry') {
          assert.equal(at, Math.max(wanted, Date.parse(session.opensAt)))
          const before = sessions[index - 1]
          if (at !== wanted && before)
            assert.ok(wanted >= Date.parse(before.closesAt) - cutOff, 'a session was skipped')
          assert.equal(reason !== null, at !== wanted)
        } else if (reason === 'exit_moved_before_early_close') {
          assert.equal(Date.parse(session.closesAt) - cutOff - at, 10_000)
          assert.ok(newYork.format(at).slice(-5) < exit.clockTime! && exit.clockTime! < '16:00')
        } else if (reason === null && exit.trigger === 'atClockTime') {
          assert.equal(newYork.format(at).slice(-5), exit.clockTime)
        } else if (reason === null) {
          assert.equal(Date.parse(session.closesAt) - at, Math.max(exit.minutes! * 60_000, 10_000))
        }
      }),
      { numRuns: cases(3_000) },
    )
  })
})
