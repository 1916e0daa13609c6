import assert from 'node:assert/strict'
import { findExitTime } from '#activities/exit/size.ts'
import { SessionCalendar } from '#activities/brokers.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import { orderReport } from '#test/support/factories.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

const HOUR = 3_600_000
const FRIDAY = '2026-03-06T15:00:00.000Z'
const beforeClose = (minutes: number): ExitRule => ({ ...exitAfter(minutes), trigger: 'minutesBeforeClose' })

describe('planning an exit', () => {
  let now: number
  /** Milliseconds by which the clock of the ledger is ahead of this process. */
  let ledgerAhead: number
  let clockOffset: number | null
  let sentAt: string | null
  let broker: ScriptedBroker
  let calendar: SessionCalendar
  /** Changes the broker's calendar before a reading of it. */
  let onPause: () => void
  beforeEach(() => {
    now = Date.parse(FRIDAY)
    ledgerAhead = 0
    clockOffset = 0
    sentAt = null
    onPause = () => {}
    broker = new ScriptedBroker()
    broker.sessions = nyseSessions('2026-01-01', '2026-12-31')
    calendar = new SessionCalendar(
      async () => broker,
      () => now,
    )
  })

  const plan = async (
    rule: ExitRule,
    entryEndedAt: string,
    {
      accountId = 'account',
      filledAt = null,
      ...input
    }: { accountId?: string; filledAt?: string | null; heardAt?: string; scheduledFor?: string } = {},
  ) => {
    const planned = await findExitTime(
      {
        calendar,
        zoneOf: async () => 'America/New_York',
        clocks: { offsetOf: async () => clockOffset },
        entryByLedger: async () => ({ now: new Date(now + ledgerAhead).toISOString(), sentAt }),
        now: () => now,
        pause: async () => onPause(),
      },
      {
        signalId: 'signal',
        accountId,
        rule,
        entry: { ...orderReport({ id: 'signal' }), filledAt, endedAt: entryEndedAt },
        entryEndedAt,
        progress: exitBegins(),
        ...input,
      },
    )
    const { by: _, ...told } = planned
    return told
  }
  const readings = () => broker.requests.get('listSessions') ?? 0
  const unmoved = { reason: null, shift: null }

  it('sends nothing before the end of an entry that had filled in part before', async () => {
    const filledAt = '2026-03-06T14:40:00.000Z'
    const { submitAt } = await plan(exitAfter(5), FRIDAY, { filledAt })
    assert.equal(submitAt, FRIDAY)
  })

  it('sees a session that began the day before by UTC', async () => {
    // An evening session, as on an exchange far to the west of Greenwich.
    broker.sessions = [
      { date: '2026-03-05', opensAt: '2026-03-05T22:00:00.000Z', closesAt: '2026-03-06T05:00:00.000Z' },
    ]
    now = Date.parse('2026-03-06T01:00:01.000Z')
    assert.equal((await plan(exitAtOnce, '2026-03-06T01:00:00.000Z')).reason, null)
  })

  it('reads a calendar once an hour for each account and day', async () => {
    await plan(exitAtOnce, FRIDAY)
    await plan(exitAfter(5), '2026-03-06T16:00:00.000Z')
    assert.equal(readings(), 1)
    await plan(exitAtOnce, FRIDAY, { accountId: 'another account' })
    assert.equal(readings(), 2)
    now += HOUR - 1
    await plan(exitAtOnce, FRIDAY)
    assert.equal(readings(), 2)
    now += 1
    await plan(exitAtOnce, FRIDAY)
    assert.equal(readings(), 3)
  })

  it('planning an exit has all exits that are planned at once share one reading of the calendar', async () => {
    await Promise.all(Array.from({ length: 20 }, () => plan(exitAtOnce, FRIDAY)))
    assert.equal(readings(), 1)
  })

  it('fails while the calendar cannot be read, and remembers no failure', async () => {
    broker.outage = new Error('no answer in time')
    await assert.rejects(plan(exitAtOnce, FRIDAY), /no answer in time/)
    broker.outage = null
    assert.equal((await plan(exitAtOnce, FRIDAY)).reason, null)
  })

  const [day, next] = nyseSessions('2026-03-06', '2026-03-09') as [
    ReturnType<typeof nyseSessions>[0],
    ReturnType<typeof nyseSessions>[0],
  ]
  for (const [what, sessions] of [
    ['is empty', []],
    ['ends before the exit', nyseSessions('2026-03-01', '2026-03-05')],
    ['is in disorder', [next, day]],
    ['lists a day twice', [day, day, next]],
    ['lists sessions that overlap', [{ ...day, closesAt: next.closesAt }, next]],
    ['closes a session before it opens', [{ ...day, closesAt: '2026-03-06T14:00:00.000Z' }, next]],
  ] as const)
    it(`asks again for a calendar that ${what}, and plans by the next that can be believed`, async () => {
      broker.sessions = [...sessions]
      broker.listSessions = async () => broker.sessions
      await assert.rejects(plan(exitAfter(30), FRIDAY), /calendar cannot be believed/)
      broker.sessions = [day, next]
      assert.equal((await plan(exitAfter(30), FRIDAY)).submitAt, '2026-03-06T15:30:00.000Z')
    })

  it('forgets a calendar that does not reach as far as the exit', async () => {
    broker.sessions = [day]
    const late = '2026-03-06T20:59:50.000Z'
    now = Date.parse(late)
    await assert.rejects(plan(exitAfter(30), late), /no session at or after/)
    broker.sessions = [day, next]
    const { submitAt } = await plan(exitAfter(30), late)
    assert.equal(submitAt, next.opensAt)
  })

  describe('that was planned before', () => {
    const scheduledFor = '2026-03-06T20:32:00.000Z'
    const without = (date: string) =>
      nyseSessions('2026-01-01', '2026-12-31').filter((one) => one.date !== date)
    const closing = (closesAt: string) =>
      nyseSessions('2026-01-01', '2026-12-31').map((one) =>
        one.date === '2026-03-06' ? { ...one, closesAt } : one,
      )

    it('leaves it where it was when the calendar says the same', async () => {
      const again = await plan(beforeClose(28), FRIDAY, { scheduledFor })
      assert.deepEqual(again, { submitAt: scheduledFor, ...unmoved })
    })

    it('moves it with a close that was moved forward', async () => {
      broker.sessions = closing('2026-03-06T18:00:00.000Z')
      assert.deepEqual(await plan(beforeClose(28), FRIDAY, { scheduledFor }), {
        submitAt: '2026-03-06T17:32:00.000Z',
        reason: 'exit_moved_before_early_close',
        shift: { from: scheduledFor, staysOpen: false },
      })
    })

    it('sends it at once when its new time has passed and the session has not', async () => {
      now = Date.parse('2026-03-06T17:45:00.000Z')
      broker.sessions = closing('2026-03-06T18:00:00.000Z')
      const { submitAt, shift } = await plan(beforeClose(28), FRIDAY, { scheduledFor })
      assert.deepEqual([submitAt, shift?.staysOpen], [new Date(now).toISOString(), false])
    })

    for (const [what, sessions] of [
      ['whose day falls away', without('2026-03-06')],
      ['whose session has ended by now', closing('2026-03-06T17:00:00.000Z')],
    ] as const)
      it(`moves one ${what} to the next market day’s close less its minutes, and says that the position stays open`, async () => {
        now = Date.parse('2026-03-06T17:45:00.000Z')
        broker.sessions = [...sessions]
        assert.deepEqual(await plan(beforeClose(28), FRIDAY, { scheduledFor }), {
          submitAt: '2026-03-09T19:32:00.000Z',
          reason: 'exit_rolled_to_next_session',
          shift: { from: scheduledFor, staysOpen: true },
        })
      })

    it('moves minutes after the entry that missed their session to the next opening', async () => {
      now = Date.parse('2026-03-06T22:00:00.000Z')
      const { submitAt, shift } = await plan(exitAfter(30), FRIDAY, {
        scheduledFor: '2026-03-06T15:30:00.000Z',
      })
      assert.deepEqual([submitAt, shift?.staysOpen], ['2026-03-09T13:30:00.000Z', true])
    })

    it('moves it back when the exchange opens on its day after all', async () => {
      const { submitAt, shift } = await plan(beforeClose(28), FRIDAY, {
        scheduledFor: '2026-03-09T19:32:00.000Z',
      })
      assert.deepEqual([submitAt, shift?.staysOpen], [scheduledFor, false])
    })

    it('moves none by one odd answer', async () => {
      broker.sessions = without('2026-03-06')
      onPause = () => (broker.sessions = nyseSessions('2026-01-01', '2026-12-31'))
      await assert.rejects(plan(beforeClose(28), FRIDAY, { scheduledFor }), /something else each time/)
      assert.equal((await plan(beforeClose(28), FRIDAY, { scheduledFor })).submitAt, scheduledFor)
    })

    it('sends one whose time has come at once, for any answer of the rule by now', async () => {
      now = Date.parse('2026-03-06T20:32:01.000Z')
      assert.equal((await plan(beforeClose(28), FRIDAY, { scheduledFor })).submitAt, scheduledFor)
    })
  })

  describe('with a broker whose clock is wrong', () => {
    const MINUTES = 60_000
    const shifted = (instant: string, by: number) => new Date(Date.parse(instant) + by).toISOString()

    for (const ahead of [3 * MINUTES, -3 * MINUTES, 12_000, -12_000])
      for (const measured of [true, false])
        it(`planning an exit with a broker whose clock is wrong by ${ahead / 1_000} s, ${measured ? 'measured' : 'not measured'}: the exit a minute after the entry leaves a minute after it`, async () => {
          clockOffset = measured ? ahead : null
          // Sent, filled and heard of within a moment.
          sentAt = shifted(FRIDAY, -200)
          const filledAt = shifted(FRIDAY, ahead)
          const { submitAt } = await plan(exitAfter(1), filledAt, { filledAt, heardAt: FRIDAY })
          const leftAfter = Date.parse(submitAt) - Date.parse(FRIDAY)
          assert.ok(Math.abs(leftAfter - MINUTES) < 1_000, `${leftAfter} ms`)
        })

    for (const ahead of [3 * MINUTES, -3 * MINUTES])
      it(`planning an exit with a broker whose clock is wrong by ${ahead / 1_000} s: an order that rested for long is timed by the measured difference`, async () => {
        clockOffset = ahead
        sentAt = shifted(FRIDAY, -5 * 24 * HOUR)
        now += 2 * MINUTES
        const filledAt = shifted(FRIDAY, ahead)
        const heardAt = new Date(now).toISOString()
        const { submitAt } = await plan(exitAfter(10), filledAt, { filledAt, heardAt })
        assert.equal(submitAt, shifted(FRIDAY, 10 * MINUTES))
      })

    it('planning an exit with a broker whose clock is wrong by 3 minutes: an exit before the close leaves before the close of that clock', async () => {
      clockOffset = 3 * MINUTES
      const { submitAt } = await plan(beforeClose(1), FRIDAY)
      assert.equal(submitAt, '2026-03-06T20:56:00.000Z')
    })

    it('planning an exit with a broker whose clock is wrong by years: no exit is planned by it', async () => {
      for (const ahead of [3 * 365 * 24 * HOUR, -3 * 365 * 24 * HOUR]) {
        clockOffset = ahead
        sentAt = shifted(FRIDAY, -200)
        const filledAt = shifted(FRIDAY, ahead)
        const { submitAt } = await plan(exitAfter(1), filledAt, { filledAt, heardAt: FRIDAY })
        assert.ok(Math.abs(Date.parse(submitAt) - now - MINUTES) < 1_000, submitAt)
      }
    })

    it('planning an exit with a broker whose clock is wrong where it is the clock of this process: nothing is moved by that', async () => {
      // The broker and the ledger agree; the process is 30 s behind both.
      ledgerAhead = 30_000
      now -= ledgerAhead
      clockOffset = ledgerAhead
      const { submitAt } = await plan(exitAfter(1), FRIDAY, { filledAt: FRIDAY })
      assert.equal(submitAt, shifted(FRIDAY, MINUTES))
    })
  })
})
