import assert from 'node:assert/strict'
import type { Database } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { climbRungs, findReach } from '#db/notify/reach.ts'
import { useDatabase } from '../../support/database.ts'
import { NotifiedPerson } from '../support/notified-person.ts'

describe('rungs of the notice of a waiting signal', function () {
  this.timeout(30_000)
  let database: Database
  let person: NotifiedPerson
  useDatabase((opened) => void (database = opened))
  beforeEach(async () => {
    person = await NotifiedPerson.create(database)
  })

  const add = async (...kinds: ('push' | 'telegram' | 'slack' | 'email')[]) => {
    for (const kind of kinds) await person.add(kind)
  }
  const reach = (signal: Signal) => findReach(database.em.fork(), signal.id)
  const decide = (signal: Signal) =>
    person.sql(`update signals set status = 'rejected', status_reason = 'DECLINED' where id = ?`, [signal.id])
  const set = (name: string, what: string) => person.sql(`update channels set ${what} where name = ?`, [name])
  const signOut = (name: string) =>
    person.sql(
      `update sessions set ended_at = now() where id = (select session_id from channels where name = ?)`,
      [name],
    )

  it('the notice goes to push alone while push takes it', async () => {
    await add('push', 'telegram', 'email')
    const signal = await person.wait()
    assert.deepEqual(await person.run(), ['push'])
    await person.pass(600)
    assert.deepEqual(await person.run(), [])
    assert.deepEqual(await reach(signal), { devices: 1, reached: 1, unreachedSince: null })
    assert.deepEqual(await person.unreached(), [])
  })

  it('a refusal by the last device of a rung leads to the next rung at once, up to one alert', async () => {
    await add('push', 'telegram', 'slack', 'email')
    for (const name of ['push', 'telegram', 'slack', 'email']) person.answers(name, 'refused')
    const signal = await person.wait()
    const tried = await person.run()
    assert.deepEqual(
      [tried[0], tried.slice(1, 3).toSorted(), tried.slice(3)],
      ['push', ['slack', 'telegram'], ['email']],
    )
    assert.deepEqual(await person.unreached(), ['open'])
    assert.equal((await reach(signal))!.devices, 4)
    await person.pass(600)
    assert.deepEqual(await person.run(), [])
    assert.deepEqual(await person.unreached(), ['open'])
    await decide(signal)
    assert.deepEqual(await person.unreached(), ['over'])
  })

  it('an alert of an unreached signal goes to channels for alarms that are not for decisions', async () => {
    await add('push')
    await person.add('telegram', { urgencies: ['outcome', 'letter'] })
    await person.add('email', { urgencies: ['alarm'] })
    person.answers('push', 'refused')
    await person.wait()
    assert.deepEqual(await person.run('alert'), ['email'])
    assert.deepEqual(await person.log(), ['push waiting refused', 'email alert taken'])
  })

  it('the next rung waits 30 seconds for a service that fails', async () => {
    await add('push', 'telegram', 'email')
    for (const name of ['push', 'telegram']) person.answers(name, 'failed')
    await person.wait()
    assert.deepEqual(await person.run(), ['push'])
    await person.pass(28)
    assert.ok(!(await person.run()).includes('telegram'), 'before its patience has ended')
    await person.pass(3)
    assert.ok((await person.run()).includes('telegram'))
    await person.pass(31)
    assert.ok((await person.run()).includes('email'))
    assert.deepEqual(await person.unreached(), [])
  })

  it('a device that is tried again delays the next rung by no more than 30 seconds when the other one refuses', async () => {
    await person.add('push', { name: 'phone' })
    await person.add('push', { name: 'desk' })
    await add('telegram')
    person.answers('phone', 'refused')
    person.answers('desk', 'failed')
    await person.wait()
    assert.deepEqual((await person.run()).toSorted(), ['desk', 'phone'])
    await person.pass(31)
    assert.ok((await person.run()).includes('telegram'))
  })

  it('a message that fails for push and is taken by Telegram is no alert, and email gets nothing', async () => {
    await add('push', 'telegram', 'email')
    person.answers('push', 'refused')
    const signal = await person.wait()
    assert.deepEqual(await person.run(), ['push', 'telegram'])
    await person.pass(600)
    assert.deepEqual(await person.run(), [])
    assert.deepEqual(await reach(signal), { devices: 2, reached: 1, unreachedSince: null })
  })

  it('the next rung is tried at once when the only browser is gone', async () => {
    await add('push', 'email')
    person.answers('push', 'gone')
    await person.wait()
    assert.deepEqual(await person.run(), ['push', 'email'])
  })

  it('each notice that waits for a browser that is gone goes to the next rung at once', async () => {
    await add('push', 'email')
    person.answers('push', 'gone')
    const [first, second] = [await person.wait(), await person.wait()]
    // It gets one message at a time.
    await set('push', 'failures = 1')
    assert.deepEqual(await person.run(), ['push', 'email', 'email'])
    for (const signal of [first, second]) assert.equal((await reach(signal))!.reached, 1)
  })

  it('a person without push begins with messages, and one with email alone there', async () => {
    await add('telegram', 'email')
    await person.wait()
    assert.deepEqual(await person.run(), ['telegram'])
    await person.sql(`delete from channels where name = 'telegram'`)
    await person.wait()
    assert.deepEqual(await person.run(), ['email'])
  })

  it('nothing is recorded for a person without a channel for decisions', async () => {
    await person.add('push', { urgencies: ['alarm', 'outcome', 'letter'] })
    await person.add('slack', { urgencies: [] })
    const signal = await person.wait()
    await person.pass(600)
    assert.deepEqual(await person.run(), [])
    assert.deepEqual([await reach(signal), await person.unreached()], [null, []])
  })

  it('a channel without the urgency of decisions is no rung', async () => {
    await person.add('telegram', { urgencies: ['alarm', 'outcome', 'letter'] })
    await add('push', 'email')
    person.answers('push', 'refused')
    await person.wait()
    assert.deepEqual(await person.run(), ['push', 'email'])
  })

  it('paused channels and browsers that are signed out are no rungs', async () => {
    await add('push', 'telegram', 'slack', 'email')
    await signOut('push')
    await set('telegram', `paused_at = now(), pause_reason = 'test'`)
    person.answers('slack', 'refused')
    await set('email', `paused_at = now(), pause_reason = 'test'`)
    await person.wait()
    assert.deepEqual(await person.run(), ['slack'])
    assert.deepEqual(await person.unreached(), ['open'])
  })

  it('a browser that is signed out before it was notified leads to the next rung', async () => {
    await add('push', 'email')
    await person.wait()
    await signOut('push')
    assert.deepEqual(await person.run(), ['email'])
  })

  it('a deaf device still gets a copy, while messages begin at once', async () => {
    await add('push', 'telegram', 'email')
    await set('push', `refused_since = now() - interval '2 hours', refusal = 'it answered 403'`)
    const signal = await person.wait()
    assert.deepEqual((await person.run()).toSorted(), ['push', 'telegram'])
    assert.equal((await reach(signal))!.reached, 2)
    assert.deepEqual(await person.sql(`select refused_since from channels where name = 'push'`), [
      { refused_since: null },
    ])
  })

  it('all rungs get the notice at once when every channel is deaf', async () => {
    await add('push', 'telegram', 'email')
    for (const name of ['push', 'telegram', 'email']) {
      person.answers(name, 'refused')
      await set(name, `refused_since = now(), refusal = 'it answered 403'`)
    }
    await person.wait()
    assert.deepEqual((await person.run()).toSorted(), ['email', 'push', 'telegram'])
    assert.deepEqual(await person.unreached(), ['open'])
  })

  it('a decision ends the climb', async () => {
    await add('push', 'telegram')
    person.answers('push', 'failed')
    const signal = await person.wait()
    await person.run()
    await decide(signal)
    await person.pass(600)
    assert.ok(!(await person.run()).includes('telegram'))
    assert.deepEqual([await reach(signal), await person.unreached()], [null, []])
  })

  it('a person who wants no more notices of waiting signals gets no alert that none arrived', async () => {
    await add('push', 'email')
    person.answers('push', 'failed')
    await person.wait()
    await person.run()
    await person.choose({ waitingSignals: false })
    for (let step = 0; step < 4; step += 1) {
      await person.pass(130)
      assert.deepEqual(await person.run(), [])
    }
    assert.deepEqual(await person.unreached(), [])
  })

  it('a notice that fails on the last rung is an alert, which ends when it is taken after all', async () => {
    await add('email')
    person.answers('email', (attempt) => (attempt < 3 ? 'failed' : 'taken'))
    const signal = await person.wait()
    await person.run()
    await person.pass(31)
    await person.run()
    assert.deepEqual(await person.unreached(), ['open'])
    await person.pass(120)
    await person.run()
    assert.deepEqual(await person.unreached(), ['over'])
    assert.deepEqual(await reach(signal), { devices: 1, reached: 1, unreachedSince: null })
  })

  it('a signal that lives for ten seconds climbs at each refusal, and within its life when a service fails', async () => {
    await add('push', 'telegram', 'email')
    person.answers('push', 'refused')
    await person.wait(10)
    assert.deepEqual(await person.run(), ['push', 'telegram'])
    person.answers('push', 'failed')
    await set('push', 'refused_since = null')
    await person.wait(10)
    assert.deepEqual(await person.run(), ['push'])
    await person.pass(3)
    assert.ok((await person.run()).includes('telegram'))
  })

  it('a signal without end climbs as the others, and is notified for a day', async () => {
    await add('push', 'telegram')
    person.answers('push', 'refused')
    const signal = await person.wait(null)
    assert.deepEqual(await person.run(), ['push', 'telegram'])
    await person.pass(100 * 3_600)
    assert.deepEqual(await person.run(), [], 'it has no end of which to remind')
    assert.equal((await reach(signal))!.reached, 1)
  })

  it('the next rung gets one notice, however many look at the same time', async () => {
    await add('push', 'telegram', 'email')
    for (let round = 0; round < 60; round += 1) {
      const signal = await person.wait()
      await person.sql('delete from outbox')
      await Promise.all(Array.from({ length: 8 }, () => climbRungs(database.em.fork())))
      assert.deepEqual(await person.outbox(), ['telegram waiting'], `round ${round}`)
      assert.equal((await reach(signal))!.devices, 2)
      await person.sql(`update signals set status = 'rejected', status_reason = 'DECLINED' where id = ?`, [
        signal.id,
      ])
      await person.sql('delete from outbox')
    }
  })
})
