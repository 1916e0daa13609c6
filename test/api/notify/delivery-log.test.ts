import assert from 'node:assert/strict'
import type { Database } from '#db/engine/database.ts'
import { listDeliveries } from '#db/notify/deliveries.ts'
import { removeExpiredNotices } from '#db/notify/outbox.ts'
import { useDatabase } from '../../support/database.ts'
import { NotifiedPerson } from '../support/notified-person.ts'

describe('the log of deliveries', function () {
  this.timeout(30_000)
  let database: Database
  let person: NotifiedPerson
  useDatabase((opened) => void (database = opened))
  beforeEach(async () => {
    person = await NotifiedPerson.create(database)
  })

  const log = async () => {
    const page = { limit: 50, offset: 0 }
    const { items } = await listDeliveries(database.em.fork(), person.account.userId, undefined, page)
    return items.map(({ about, attempt, outcome, reason }) => [about, attempt, outcome, reason])
  }

  it('each attempt is in the log with its outcome and reason, the newest first', async () => {
    await person.add('email')
    person.answers('email', (attempt) => (attempt < 3 ? 'failed' : 'taken'))
    await person.wait(null)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await person.run()
      await person.pass(10)
    }
    const reason = 'the mail server answered 451'
    assert.deepEqual(await log(), [
      ['waiting', 3, 'taken', null],
      ['waiting', 2, 'failed', reason],
      ['waiting', 1, 'failed', reason],
    ])
  })

  it('a refusal is in the log with the status of its service', async () => {
    await person.add('push')
    person.answers('push', 'refused')
    await person.wait()
    await person.run()
    assert.deepEqual(await log(), [['waiting', 1, 'refused', 'the push service answered 403']])
  })

  for (const [kind, reason] of [
    ['push', 'the push service answered 410'],
    ['telegram', 'Telegram answered 403: as asked'],
    ['slack', 'Slack answered 410'],
    ['email', 'the mail server answered 550'],
  ] as const)
    it(`the end of a channel ${kind} stays in the log`, async () => {
      await person.add(kind)
      person.answers(kind, 'gone')
      await person.wait()
      await person.run()
      assert.deepEqual(await log(), [['waiting', 1, 'gone', reason]])
    })

  it('a notice that has expired before it could be sent is in the log', async () => {
    await person.add('email')
    person.answers('email', 'failed')
    await person.raise('credentials')
    await person.run()
    await person.pass(3_700)
    await person.sql(`update alerts set notified_at = now()`)
    await person.run()
    const [newest, ...earlier] = await log()
    assert.deepEqual(newest, ['alert', 2, 'expired', 'It had expired before it could be sent'])
    assert.deepEqual(earlier, [['alert', 1, 'failed', 'the mail server answered 451']])
  })

  it('a notice that housekeeping removes because it has expired is in the log', async () => {
    await person.add('telegram')
    await person.wait(60)
    await person.sql(`update channels set paused_at = now(), pause_reason = 'test'`)
    await person.pass(100)
    await removeExpiredNotices(database.em.fork())
    assert.deepEqual(await log(), [['waiting', 0, 'expired', 'It had expired before it could be sent']])
  })

  it('a channel that refuses after it has failed does not delay its next message', async () => {
    await person.add('email')
    person.answers('email', (attempt) => (attempt === 1 ? 'failed' : 'refused'))
    await person.raise('credentials')
    await person.run()
    await person.pass(10)
    await person.run()
    await person.raise('feed_overdue')
    await person.pass(20)
    await person.run()
    assert.deepEqual(await person.log(), ['email alert failed', 'email alert refused', 'email alert refused'])
  })

  it('a notice is not sent to a channel that has lost its urgency meanwhile', async () => {
    await person.add('email')
    await person.raise('credentials')
    await person.sql(`update channels set urgencies = '{decision}'`)
    await person.run()
    assert.deepEqual([await log(), await person.outbox()], [[], []])
  })

  it('notices that are needless are not in the log: the person has decided, or wants none', async () => {
    await person.add('email')
    await person.wait()
    await person.choose({ waitingSignals: false })
    await person.run()
    assert.deepEqual([await log(), await person.outbox()], [[], []])
  })
})
