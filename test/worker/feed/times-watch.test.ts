import assert from 'node:assert/strict'
import { nyseSessions } from '#domain/time/nyse.ts'
import { scheduledBy } from '#domain/time/judged-calendar.ts'
import type { Database } from '#db/engine/database.ts'
import { Alert, type Account } from '#db/entities/index.ts'
import { addDays } from '#domain/time/wall-time.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { watchCalendar } from '#worker/feed/calendar-watch.ts'
import { watchClock } from '#worker/feed/clock-watch.ts'

describe('what the feed sees of clock and calendar', () => {
  let database: Database
  let account: Account
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    account = await createAccount(database.em)
  })

  describe('of a calendar', () => {
    const today = new Date().toISOString().slice(0, 10)
    const ruled = nyseSessions(addDays(today, -3), addDays(today, 20))
    const next = ruled.filter(({ opensAt }) => opensAt > new Date().toISOString())
    let broker: ScriptedBroker
    let woken: string[]
    beforeEach(() => {
      broker = new ScriptedBroker()
      broker.sessions = ruled
      woken = []
    })
    const look = () =>
      watchCalendar(
        {
          em: database.em,
          broker,
          announcer: { exitCalendarChanged: async (id) => void woken.push(id) },
          accountId: account.id,
        },
        Date.now(),
      )
    /** An exit that waits for the close of the session after the next one. */
    async function waiting(): Promise<string> {
      const at = next[1]!.closesAt
      const { id } = await createSignal(database.em, {
        accountId: account.id,
        exitRule: exitAtOnce,
        exitStatus: 'scheduled',
        exitSubmitAt: new Date(at),
      })
      const by = scheduledBy(ruled, new Date().toISOString(), at)
      await database.em.execute(
        `update signals set exit_calendar = ?, exit_due_at = exit_submit_at where id = ?`,
        [JSON.stringify(by), id],
      )
      return id
    }

    it('asks for none while no exit waits', async () => {
      await look()
      assert.equal(broker.requests.get('listSessions'), undefined)
    })

    it('wakes no exit that the calendar says the same of', async () => {
      await waiting()
      await look()
      assert.deepEqual([woken, broker.requests.get('listSessions')], [[], 1])
    })

    for (const [what, change] of [
      ['one of its days falls away', () => ruled.filter(({ date }) => date !== next[0]!.date)],
      ['its own day falls away', () => ruled.filter(({ date }) => date !== next[1]!.date)],
      [
        'its day closes early',
        () =>
          ruled.map((one) =>
            one.date === next[1]!.date
              ? { ...one, closesAt: new Date(Date.parse(one.closesAt) - 3_600_000).toISOString() }
              : one,
          ),
      ],
    ] as const)
      it(`what the feed sees of clock and calendar of a calendar has an exit planned again when ${what}`, async () => {
        const id = await waiting()
        broker.sessions = change()
        await look()
        assert.deepEqual(woken, [id])
      })

    it('wakes no workflow for a day after that of the exit', async () => {
      await waiting()
      broker.sessions = ruled.filter(({ date }) => date !== next[2]!.date)
      await look()
      assert.deepEqual(woken, [])
    })

    it('wakes no workflow for an answer that cannot be believed, nor for none', async () => {
      await waiting()
      broker.sessions = []
      await assert.rejects(look(), /cannot be believed/)
      broker.outage = new Error('no answer in time')
      await assert.rejects(look(), /no answer in time/)
      assert.deepEqual(woken, [])
    })
  })

  describe('of a clock', () => {
    const look = (ahead: number) =>
      watchClock({
        em: database.em,
        broker: new ScriptedBroker(() => Date.now() + ahead),
        accountId: account.id,
        quietMs: 0,
      })
    const open = async () =>
      (await database.em.fork().find(Alert, { accountId: account.id, resolvedAt: null })).map(
        ({ kind, message }) => `${kind}: ${message}`,
      )

    for (const [ahead, told] of [
      [180_000, /clock_differs: The clock of the broker is 180 s ahead of .* planned by the difference/],
      [-180_000, /clock_differs: The clock of the broker is 180 s behind .* planned by the difference/],
      [10 * 365 * 86_400_000, /clock_differs: .*which is ignored: exits are planned by the clock of this/],
    ] as const)
      it(`what the feed sees of clock and calendar of a clock by ${ahead / 1_000} s alerts the owner until both say the same again`, async () => {
        await look(ahead)
        assert.match((await open()).join(), told)
        // One look finds that it is right again, and the next one that it has been for the time that it has to be.
        await look(0)
        await look(0)
        assert.deepEqual(await open(), [])
      })

    it('what the feed sees of clock and calendar of a clock by less than 5 s says nothing', async () => {
      for (const ahead of [0, 4_000, -4_000]) await look(ahead)
      assert.deepEqual(await open(), [])
    })

    it('says nothing by one odd answer among three', async () => {
      const odd = [600_000, 0, 0]
      const broker = new ScriptedBroker(() => Date.now() + (odd.shift() ?? 0))
      await watchClock({ em: database.em, broker, accountId: account.id })
      assert.deepEqual(await open(), [])
    })
  })
})
