import assert from 'node:assert/strict'
import fc from 'fast-check'
import { calendarFault, scheduledBy, stillAsScheduled } from '#domain/time/judged-calendar.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { scheduleExitBy, type ExitScheduling, takesOrdersAt } from '#domain/exit/schedule.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { instantToLocal } from '#domain/time/wall-time.ts'
import { cases } from '#test/support/generators.ts'

const ZONE = 'America/New_York'
const MINUTE = 60_000
const RULED = nyseSessions('2026-03-02', '2026-04-10')
const BEGIN = Date.parse('2026-03-03T00:00:00.000Z')
const instant = (at: number): string => new Date(at).toISOString()
const dayOf = (at: string): string => instantToLocal(at, ZONE).date

const rules: fc.Arbitrary<ExitScheduling['rule']> = fc.record({
  trigger: fc.constantFrom('minutesAfterEntry', 'minutesBeforeClose', 'atClockTime', 'immediate'),
  minutes: fc.constantFrom(0, 1, 15, 28, 60),
  clockTime: fc.constantFrom('09:30', '12:59', '15:45', '15:59', '20:00'),
  timeInForce: fc.constantFrom('day', 'cls'),
})

/** The exchange's calendar with some days of mourning and early closes, and some of the days as usual again. */
const calendars: fc.Arbitrary<TradingSession[]> = fc
  .array(fc.constantFrom('usual', 'closed', 'half', 'minutes'), { minLength: 10, maxLength: 10 })
  .map((days) =>
    RULED.flatMap((session, index) => {
      const kind = days[index] ?? 'usual'
      if (kind === 'usual') return [session]
      if (kind === 'closed') return []
      const lasts = kind === 'half' ? 210 * MINUTE : 11 * MINUTE
      return [{ ...session, closesAt: instant(Date.parse(session.opensAt) + lasts) }]
    }),
  )

describe('the schedule of an exit, by calendars that change at any moment', () => {
  const lives = fc.record({
    rule: rules,
    endedAt: fc.integer({ min: 0, max: 4 * 24 * 60 }).map((minutes) => BEGIN + minutes * MINUTE),
    clockOffset: fc.constantFrom(0, 180_000, -180_000),
    calendars: fc.array(calendars, { minLength: 1, maxLength: 5 }),
    pauses: fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 5, maxLength: 5 }),
  })

  it('leaves in an open session of the calendar of that moment, and each move before that is reported', () => {
    fc.assert(
      fc.property(lives, ({ rule, endedAt, clockOffset, calendars: announced, pauses }) => {
        const entry = { endedAt: instant(endedAt), filledAt: instant(endedAt) }
        let now = endedAt - clockOffset
        let scheduledFor: string | null = null
        for (let look = 0; ; look += 1) {
          const sessions = announced[Math.min(look, announced.length - 1)]!
          const plan = scheduleExitBy({
            rule,
            entry,
            sessions,
            zone: ZONE,
            now: instant(now),
            clockOffset,
            scheduledFor,
          })
          const isLate = Date.parse(plan.submitAt) <= now
          const brokerTime = instant(Math.max(now, Date.parse(plan.submitAt)) + clockOffset)
          assert.ok(takesOrdersAt(brokerTime, rule, sessions), `closed at ${brokerTime}`)
          if (scheduledFor !== null) {
            assert.equal(plan.shift === null, plan.submitAt === scheduledFor)
            if (plan.shift) {
              const [from, to] = [plan.shift.from, plan.submitAt].map((at) =>
                dayOf(instant(Date.parse(at) + clockOffset)),
              ) as [string, string]
              assert.equal(plan.shift.staysOpen, to > from)
              assert.equal(plan.shift.from, scheduledFor)
            }
          }
          assert.ok(plan.by === null || stillAsScheduled(plan.by, sessions, instant(now + clockOffset)))
          scheduledFor = plan.submitAt
          const isLast = look >= announced.length - 1
          if (isLate && isLast) return
          // The next look: some time later, and at the time of the exit at the latest.
          const later = now + pauses[look % pauses.length]! * MINUTE
          if (Date.parse(scheduledFor) <= later && isLast) return
          now = Math.max(now, Math.min(later, Date.parse(scheduledFor)))
        }
      }),
      { numRuns: cases(3_000) },
    )
  })

  it('the schedule of an exit, by calendars that change at any moment at a clock time after the close leaves at the next open, though the calendar changes, and is not put off again', () => {
    const rule = { trigger: 'atClockTime', minutes: null, clockTime: '20:00', timeInForce: 'day' } as const
    const endedAt = '2026-03-03T15:00:00.000Z'
    const closed = RULED.filter(({ date }) => date !== '2026-03-04')
    const looks: [string, TradingSession[]][] = [
      ['2026-03-03T15:00:00.000Z', RULED],
      ['2026-03-03T20:00:00.000Z', closed],
      ['2026-03-04T21:30:00.000Z', RULED],
      ['2026-03-05T03:00:00.000Z', RULED],
      ['2026-03-05T13:00:00.000Z', RULED],
    ]
    let scheduledFor: string | null = null
    const places = looks.map(([now, sessions]) => {
      const planning = { rule, entry: { endedAt, filledAt: endedAt }, sessions, zone: ZONE, clockOffset: 0 }
      scheduledFor = scheduleExitBy({ ...planning, now, scheduledFor }).submitAt
      return scheduledFor
    })
    assert.deepEqual(places, ['2026-03-04T14:30:00.000Z', ...Array(4).fill('2026-03-05T14:30:00.000Z')])
  })

  it('says the same when it is asked again by the same calendar, at any moment before', () => {
    fc.assert(
      fc.property(
        lives,
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ rule, endedAt, clockOffset, calendars: [sessions] }, part) => {
          const entry = { endedAt: instant(endedAt), filledAt: instant(endedAt) }
          const planning = { rule, entry, sessions: sessions!, zone: ZONE, clockOffset }
          const now = endedAt - clockOffset
          const { submitAt } = scheduleExitBy({ ...planning, now: instant(now), scheduledFor: null })
          const left = Math.max(0, Date.parse(submitAt) - now)
          const again = scheduleExitBy({
            ...planning,
            now: instant(now + Math.floor(part * left)),
            scheduledFor: submitAt,
          })
          assert.deepEqual([again.submitAt, again.shift], [submitAt, null])
        },
      ),
      { numRuns: cases(2_000) },
    )
  })
})

describe('a calendar', () => {
  it('a calendar is believed as the exchange keeps it, with any days removed, as long as one is left', () => {
    fc.assert(
      fc.property(calendars, (sessions) => assert.equal(calendarFault(sessions, instant(BEGIN)), null)),
    )
  })

  it('a calendar is not believed in another order, nor with a day twice', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(RULED, { minLength: 2 }), fc.nat(), (shuffled, at) => {
        const isSorted = shuffled.every((one, index) => index === 0 || shuffled[index - 1]!.date < one.date)
        assert.equal(
          calendarFault(shuffled, instant(BEGIN)) === null,
          isSorted && shuffled.at(-1)!.closesAt > instant(BEGIN),
        )
        const doubled = RULED.toSpliced(at % RULED.length, 0, RULED[at % RULED.length]!)
        assert.match(calendarFault(doubled, instant(BEGIN))!, /twice/)
      }),
    )
  })

  it('differs from that of a plan when one of its days does, and by no other day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 14 }), (until, changed) => {
        const by = scheduledBy(RULED, RULED[1]!.opensAt, RULED[until]!.opensAt)!
        const others = RULED.toSpliced(changed, 1)
        assert.equal(stillAsScheduled(by, others, RULED[0]!.opensAt), changed < 1 || changed > until)
      }),
    )
  })
})
