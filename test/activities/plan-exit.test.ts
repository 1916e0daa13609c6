import assert from 'node:assert/strict'
import { planExitTime, SessionCalendar } from '#activities/plan-exit.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import type { ExitRule } from '#domain/exit.ts'
import { orderReport } from '#test/support/factories.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

const HOUR = 3_600_000

describe('planning an exit', () => {
  let now: number
  let broker: ScriptedBroker
  let calendar: SessionCalendar
  beforeEach(() => {
    now = Date.parse('2026-03-06T15:00:00.000Z')
    broker = new ScriptedBroker()
    broker.sessions = nyseSessions('2026-01-01', '2026-12-31')
    calendar = new SessionCalendar(
      async () => broker,
      () => now,
    )
  })

  const plan = (
    rule: ExitRule,
    entryEndedAt: string,
    accountId = 'account',
    filledAt: string | null = null,
  ) =>
    planExitTime(
      { calendar, zoneOf: async () => 'America/New_York' },
      {
        signalId: 'signal',
        accountId,
        rule,
        entry: { ...orderReport({ id: 'signal' }), filledAt },
        entryEndedAt,
        generation: 1,
      },
    )
  const readings = () => broker.requests.get('listSessions') ?? 0

  it('takes the trigger’s own time within a session', async () => {
    assert.deepEqual(await plan(exitAfter(30), '2026-03-06T15:00:00.000Z'), {
      submitAt: '2026-03-06T15:30:00.000Z',
      reason: null,
    })
  })

  it('sends nothing before the end of an entry that had filled in part before', async () => {
    const filledAt = '2026-03-06T14:40:00.000Z'
    const { submitAt } = await plan(exitAfter(5), '2026-03-06T15:00:00.000Z', 'account', filledAt)
    assert.equal(submitAt, '2026-03-06T15:00:00.000Z')
  })

  it('takes Monday’s opening for a time on the weekend, on which the clocks change here', async () => {
    const monday = { submitAt: '2026-03-09T13:30:00.000Z', reason: 'exit_rolled_to_next_session' }
    for (const endedAt of [
      '2026-03-06T21:00:00.000Z',
      '2026-03-07T12:00:00.000Z',
      '2026-03-08T23:00:00.000Z',
    ])
      assert.deepEqual(await plan(exitAtOnce, endedAt), monday)
  })

  it('sees a session that began the day before by UTC', async () => {
    // An evening session, as on an exchange far to the west of Greenwich.
    broker.sessions = [
      { date: '2026-03-05', opensAt: '2026-03-05T22:00:00.000Z', closesAt: '2026-03-06T05:00:00.000Z' },
    ]
    assert.equal((await plan(exitAtOnce, '2026-03-06T01:00:00.000Z')).reason, null)
  })

  it('reads a calendar once an hour for each account and day', async () => {
    await plan(exitAtOnce, '2026-03-06T15:00:00.000Z')
    await plan(exitAfter(5), '2026-03-06T16:00:00.000Z')
    assert.equal(readings(), 1)
    await plan(exitAtOnce, '2026-03-06T15:00:00.000Z', 'another account')
    await plan(exitAtOnce, '2026-03-09T15:00:00.000Z')
    assert.equal(readings(), 3)
    now += HOUR - 1
    await plan(exitAtOnce, '2026-03-06T15:00:00.000Z')
    assert.equal(readings(), 3)
    now += 1
    await plan(exitAtOnce, '2026-03-06T15:00:00.000Z')
    assert.equal(readings(), 4)
  })

  it('fails while the calendar cannot be read, and remembers no failure', async () => {
    broker.outage = new Error('no answer in time')
    await assert.rejects(plan(exitAtOnce, '2026-03-06T15:00:00.000Z'), /no answer in time/)
    broker.outage = null
    assert.equal((await plan(exitAtOnce, '2026-03-06T15:00:00.000Z')).reason, null)
  })
})
