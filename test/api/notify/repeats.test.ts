import assert from 'node:assert/strict'
import { acknowledgeAlert, resolveAlert } from '#db/alert/alerts.ts'
import type { Database } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { findReach, remindOfWaiting } from '#db/notify/reach.ts'
import { checkBrowsers, repeatAlarms } from '#db/notify/repeat.ts'
import { ALERT_KINDS, REPEATED_ALERTS } from '#domain/alert/alert.ts'
import { useDatabase } from '../../support/database.ts'
import { NotifiedPerson } from '../support/notified-person.ts'

const MINUTE = 60
const DAY = 24 * 3_600

describe('notices that are sent again', function () {
  this.timeout(60_000)
  let database: Database
  let person: NotifiedPerson
  useDatabase((opened) => void (database = opened))
  beforeEach(async () => {
    person = await NotifiedPerson.create(database)
  })

  const em = () => database.em.fork()
  const decide = (signal: Signal) =>
    person.sql(`update signals set status = 'rejected', status_reason = 'DECLINED' where id = ?`, [signal.id])

  describe('alarms', () => {
    it('an alarm is sent again after 15, 30, 60 and 120 minutes', async () => {
      await person.raise('credentials')
      const sentAfter: number[] = []
      for (let minute = 1; minute <= 150; minute += 1) {
        await person.sql(
          `update alerts set raised_at = raised_at - interval '1 minute', notified_at = notified_at - interval '1 minute'`,
        )
        if ((await repeatAlarms(em())) > 0) sentAfter.push(minute)
      }
      assert.equal(sentAfter.length, 4, sentAfter.join(', '))
      for (const [index, minutes] of [15, 30, 60, 120].entries())
        assert.ok(Math.abs(sentAfter[index]! - minutes) <= minutes / 15, sentAfter.join(', '))
    })

    it('an alarm goes to every channel for alarms each time, and to no other', async () => {
      await person.add('push')
      await person.add('email', { urgencies: ['alarm'] })
      await person.add('telegram', { urgencies: ['decision', 'outcome', 'letter'] })
      const signal = await person.queue()
      await person.raise('unprotected_position', signal.id)
      for (const minutes of [0, 16, 17, 40]) {
        await person.pass(minutes * MINUTE)
        assert.deepEqual((await person.run('alert')).toSorted(), ['email', 'push'])
        assert.deepEqual(await person.run('alert'), [])
      }
    })

    it('an alarm that was acknowledged or has ended is sent no more', async () => {
      await person.add('email')
      await person.raise('credentials')
      await person.raise('feed_overdue')
      await person.run('alert')
      const { accountId, signalId } = { accountId: person.account.id, signalId: null }
      await resolveAlert(em(), { accountId, signalId }, 'feed_overdue')
      const [alert] = await person.sql<{ id: string }>(`select id from alerts where kind = 'credentials'`)
      await person.pass(16 * MINUTE)
      await repeatAlarms(em())
      assert.deepEqual(await person.outbox(), ['email alert'])
      await acknowledgeAlert(em(), person.account.userId, alert!.id, 'a person')
      assert.deepEqual(await person.run('alert'), [], 'not between its repetition and its delivery either')
      await person.pass(DAY)
      assert.deepEqual(await person.run('alert'), [])
    })

    it('alarms of positions, keys and overdue work are repeated, and no other alerts', async () => {
      for (const kind of ALERT_KINDS) await person.raise(kind)
      await person.pass(16 * MINUTE)
      await repeatAlarms(em())
      const repeated = await person.sql<{ kind: string }>(
        `select kind from alerts where notified_at > now() - interval '1 minute' order by kind`,
      )
      assert.deepEqual(
        repeated.map(({ kind }) => kind),
        REPEATED_ALERTS.toSorted(),
      )
    })

    it('an alarm that its cause raises again is not sent for that', async () => {
      await person.add('email')
      await person.raise('credentials')
      await person.run('alert')
      for (let minute = 0; minute < 14; minute += 1) {
        await person.pass(MINUTE)
        await person.raise('credentials')
        assert.deepEqual(await person.outbox(), [])
      }
      await person.pass(2 * MINUTE)
      assert.deepEqual(await person.run('alert'), ['email'])
    })

    it('an alarm is sent again once, however many processes look', async () => {
      await person.add('email')
      await person.raise('credentials')
      await person.run('alert')
      await person.pass(16 * MINUTE)
      const counts = await Promise.all(Array.from({ length: 8 }, () => repeatAlarms(em())))
      assert.deepEqual(
        counts.toSorted((one, other) => one - other),
        [0, 0, 0, 0, 0, 0, 0, 1],
      )
    })

    it('an alarm that arrived nowhere is sent to a channel that is added later', async () => {
      await person.raise('credentials')
      await person.add('email')
      assert.deepEqual(await person.run('alert'), [])
      await person.pass(16 * MINUTE)
      assert.deepEqual(await person.run('alert'), ['email'])
    })

    it('an alarm is not repeated for a person who wants no alerts', async () => {
      await person.add('email')
      await person.choose({ alerts: false })
      await person.raise('credentials')
      await person.pass(16 * MINUTE)
      assert.deepEqual(await person.run('alert'), [])
    })
  })

  describe('the reminder of a waiting signal', () => {
    for (const [life, first] of [
      [3_600, 55 * MINUTE],
      [480, 6 * MINUTE],
      [40, 30],
    ] as const)
      it(`a signal that waits for ${life} seconds is sent to all channels again ${life - first} seconds before its end, once`, async () => {
        for (const kind of ['push', 'telegram', 'email'] as const) await person.add(kind)
        await person.wait(life)
        assert.deepEqual(await person.run(), ['push'])
        await person.pass(first - 5)
        assert.deepEqual(await person.run(), [])
        await person.pass(6)
        assert.deepEqual((await person.run()).toSorted(), ['email', 'push', 'telegram'])
        assert.equal(await remindOfWaiting(em()), 0)
      })

    it('a signal that reached no channel is tried on all of them again, and a delivery ends its alert', async () => {
      await person.add('push')
      await person.add('email')
      for (const name of ['push', 'email'])
        person.answers(name, (attempt) => (attempt === 1 ? 'refused' : 'taken'))
      const signal = await person.wait()
      await person.run()
      assert.deepEqual(await person.unreached(), ['open'])
      await person.pass(56 * MINUTE)
      assert.deepEqual((await person.run()).toSorted(), ['email', 'push'])
      assert.deepEqual(await person.unreached(), ['over'])
      assert.equal((await findReach(em(), signal.id))!.reached, 2)
    })

    it('a reminder that every channel refuses is not sent to them rung by rung again', async () => {
      for (const kind of ['push', 'telegram', 'email'] as const) {
        await person.add(kind)
        person.answers(kind, 'refused')
      }
      await person.wait()
      await person.pass(56 * MINUTE)
      await remindOfWaiting(em())
      assert.deepEqual((await person.run()).toSorted(), ['email', 'push', 'telegram'])
      assert.deepEqual(await person.unreached(), ['open'])
    })

    it('signals that were decided, have no end or have ended are reminded of no more', async () => {
      await person.add('email')
      const decided = await person.wait()
      await person.wait(null)
      await person.wait(60 * MINUTE)
      await person.run()
      await decide(decided)
      await person.pass(61 * MINUTE)
      assert.deepEqual([await person.run(), await remindOfWaiting(em())], [[], 0])
      assert.ok((await person.log()).every((entry) => !entry.includes('expired')))
    })

    it('a phone that got the first notice learns of the decision, even if its reminder was not sent yet', async () => {
      await person.add('push')
      const signal = await person.wait()
      await person.run()
      await person.pass(56 * MINUTE)
      await remindOfWaiting(em())
      await decide(signal)
      assert.deepEqual(await person.outbox(), ['push settled'])
    })
  })

  describe('the weekly check of browsers', () => {
    const SERVICES = {
      google: 'https://fcm.googleapis.com',
      mozilla: 'https://updates.push.services.mozilla.com',
      windows: 'https://wns2-par02p.notify.windows.com',
      apple: 'https://web.push.apple.com',
    }
    const addBrowsers = async () => {
      for (const [name, service] of Object.entries(SERVICES)) {
        await person.add('push', { name, urgencies: [] })
        await person.sql('update channels set service = ? where name = ?', [service, name])
      }
    }
    const WITHOUT_APPLE = ['google', 'mozilla', 'windows']

    it('a browser without contact for a week gets a check, once a week, unless its service is of Apple', async () => {
      await addBrowsers()
      await person.add('telegram')
      await person.add('email')
      await person.pass(6.9 * DAY)
      assert.deepEqual(await person.run('check'), [])
      for (let week = 0; week < 2; week += 1) {
        await person.pass(0.2 * DAY)
        assert.deepEqual((await person.run('check')).toSorted(), WITHOUT_APPLE)
        await person.pass(6.9 * DAY)
        assert.deepEqual(await person.run('check'), [])
      }
    })

    it('a browser with a delivery within the week gets no check, nor one that is signed out', async () => {
      await addBrowsers()
      await person.pass(8 * DAY)
      await person.sql(`update channels set last_delivered_at = now() where name = 'google'`)
      await person.sql(
        `update sessions set ended_at = now() where id = (select session_id from channels where name = 'mozilla')`,
      )
      await Promise.all([checkBrowsers(em()), checkBrowsers(em())])
      assert.deepEqual(await person.outbox(), ['windows check'])
    })

    it('a check finds a subscription that has ended, and one that is refused, before they are needed', async () => {
      await addBrowsers()
      person.answers('google', 'gone')
      person.answers('mozilla', 'refused')
      await person.pass(8 * DAY)
      await person.run('check')
      const found = await person.sql<Record<string, unknown>>(
        `select name, paused_at is not null as "isPaused", pause_reason as reason, refused_since is not null as "isRefused"
         from channels where name in ('google', 'mozilla') order by name`,
      )
      const reason = 'the push service answered 410'
      assert.deepEqual(found, [
        { name: 'google', isPaused: true, reason, isRefused: true },
        { name: 'mozilla', isPaused: false, reason: null, isRefused: true },
      ])
    })

    it('a check reaches no signal and ends no alert', async () => {
      await person.add('push')
      person.answers('push', (attempt) => (attempt === 1 ? 'refused' : 'taken'))
      const signal = await person.wait(30 * DAY)
      await person.run()
      await person.pass(8 * DAY)
      assert.deepEqual(await person.run('check'), ['push'])
      assert.equal((await findReach(em(), signal.id))!.reached, 0)
      assert.deepEqual(await person.unreached(), ['open'])
    })
  })
})
