import assert from 'node:assert/strict'
import { WEBHOOK_RETRY_MS } from '#api/jobs/notice-sender.ts'
import { pauseChannel } from '#db/notify/channels.ts'
import { spreadEvents } from '#db/notify/events.ts'
import { takeDueNotices } from '#db/notify/outbox.ts'
import { eventually } from '../../support/eventually.ts'
import { useWebhooks, webhookId } from '../support/webhooks.ts'

const HOUR = 3_600
/** Seconds: a failing webhook is tried again after at most this, while an event waits that is due. */
const MAX_PAUSE = 331

describe('a webhook whose receiver fails', function () {
  this.timeout(120_000)
  const stage = useWebhooks()

  const asked = () => stage.receiver.requests.filter(({ path }) => path === '/hook').map(webhookId)
  /** Waits for the outcome of that many requests in all. */
  const untilAsked = async (count: number): Promise<void> => {
    await eventually(() => assert.equal(asked().length, count))
    await stage.untilRecorded()
  }
  /** Lets time pass, after which something is to be sent. */
  const passAndSend = async (seconds: number): Promise<void> => {
    await stage.untilRecorded()
    const before = asked().length
    await stage.pass(seconds)
    await eventually(() => assert.ok(asked().length > before, `something is sent after ${seconds} s`))
    await stage.untilRecorded()
  }
  const isPaused = async (id: string): Promise<boolean> => (await stage.channel(id))['pausedAt'] !== null

  it('an event is tried on the schedule of the specification, then the webhook is paused and its owner notified', async () => {
    const { id } = await stage.add()
    const chat = await stage.add({ url: `${stage.receiver.origin}/chat`, events: [] })
    await stage.em.execute(`update channels set urgencies = '{alarm}' where id = ?`, [chat.id])
    const notices: string[] = []
    stage.answers(({ path, body }) => {
      if (path === '/hook') return { status: 500 }
      notices.push(body.toString())
      return { status: 204 }
    })
    stage.start()
    const sent = await stage.write()
    await untilAsked(1)
    for (const [failures, pause] of WEBHOOK_RETRY_MS.entries()) {
      assert.equal(await isPaused(id), false)
      const [{ attempts, wait } = { attempts: 0, wait: 0 }] = await stage.waiting()
      assert.equal(attempts, failures + 1)
      const seconds = pause / 1_000
      assert.ok(wait > seconds - 3 && wait <= seconds * 1.1, `${wait} s instead of ${seconds} s`)
      await stage.pass(wait - 1)
      assert.equal(asked().length, failures + 1, 'not before')
      await stage.pass(1)
      await untilAsked(failures + 2)
    }
    await eventually(async () => assert.equal(await isPaused(id), true))
    const { pauseReason, failingSince } = await stage.channel(id)
    assert.equal(pauseReason, 'It has failed for three days: the receiver answered 500')
    assert.ok(failingSince)
    await eventually(() => assert.equal(notices.length, 1))
    assert.match(notices[0]!, /A channel is paused/)
    const log = (await stage.log(id)).toReversed()
    assert.deepEqual(
      log.map(({ attempt, outcome, reason, about }) => [attempt, outcome, reason, about]),
      log.map((_, at) => [at + 1, 'failed', 'the receiver answered 500', 'order.filled']),
    )
    assert.equal(log.length, 10)

    sent.push(...(await stage.write(3)))
    await stage.pass(48 * HOUR)
    stage.answers(() => ({ status: 204 }))
    await stage.untilRecorded()
    assert.equal(stage.taken.length, 0, 'sends nothing while it is paused')
    await stage.person.call('POST', `/channels/${id}/resume`)
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), sent)
    assert.equal((await stage.channel(id))['pausedAt'], null)
  })

  it('every event of two days is sent once, soon after the receiver is up', async () => {
    const { id } = await stage.add()
    stage.answers(() => ({ status: 503 }))
    stage.start()
    const sent: string[] = []
    for (let hour = 0; hour < 48; hour += 1) {
      sent.push(...(await stage.write(hour < 40 ? 5 : 0)))
      await passAndSend(HOUR)
    }
    await stage.untilRecorded()
    assert.equal(sent.length, 200)
    assert.equal(await isPaused(id), false)
    assert.ok(stage.receiver.requests.length < 48 * 13, 'one request at a time, minutes apart')
    stage.answers(() => ({ status: 204 }))
    await stage.pass(MAX_PAUSE)
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), sent)
    assert.equal((await stage.channel(id))['failingSince'], null)
  })

  it('an event that its receiver never takes does not delay the others', async () => {
    const { id } = await stage.add()
    const sent = await stage.write(40)
    const [poison, ...others] = sent
    stage.answers((request) => ({ status: webhookId(request) === poison ? 500 : 204 }))
    stage.start()
    // The first pause is five seconds.
    await eventually(() => assert.deepEqual(stage.taken.toSorted(), others), { within: 15_000 })
    const tries = () => asked().filter((each) => each === poison).length
    assert.ok(tries() <= 3, `${tries()} attempts`)
    for (let hours = 0; hours < 48;) {
      await stage.untilRecorded()
      const [{ wait } = { wait: 0 }] = await stage.waiting()
      await passAndSend(wait)
      hours += wait / HOUR
    }
    // Nothing else was sent for two days.
    const [fresh] = await stage.write()
    await stage.untilRecorded()
    await stage.pass(MAX_PAUSE)
    await eventually(() => assert.ok(stage.taken.includes(fresh!)))
    assert.equal(await isPaused(id), false)
    assert.deepEqual(
      (await stage.waiting()).map(({ id }) => id),
      [poison],
    )
  })

  it('an event that its receiver never takes is not tried more often because others are taken', async () => {
    await stage.add()
    const [poison] = await stage.write()
    stage.answers((request) => ({ status: webhookId(request) === poison ? 500 : 204 }))
    stage.start()
    const tries = () => asked().filter((each) => each === poison).length
    for (let minute = 0; minute < 120; minute += 2) {
      await stage.write()
      await stage.pass(120)
    }
    await stage.untilRecorded()
    // At once, after 5 s, 5 min, 35 min.
    assert.ok(tries() >= 3 && tries() <= 5, `${tries()} attempts in two hours`)
    assert.ok(stage.taken.length >= 57)
  })

  it('events that many processes send at once to a receiver that fails are counted and tried without loss', async () => {
    const { id } = await stage.add()
    stage.answers(() => ({ status: 503 }))
    for (let count = 0; count < 3; count += 1) stage.start()
    const sent = await stage.write(60)
    await eventually(() => assert.ok(stage.receiver.requests.length > 0))
    for (let round = 0; round < 20; round += 1) await passAndSend(MAX_PAUSE)
    await stage.untilRecorded()
    const failed = (await stage.log(id)).length
    assert.ok(failed >= 20)
    assert.equal((await stage.waiting()).length, 60)
    stage.answers(() => ({ status: 204 }))
    await stage.pass(MAX_PAUSE)
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), sent)
  })

  describe('a webhook that is paused at the same moment', () => {
    const waits = async () => (await stage.waiting()).map(({ wait }) => wait)

    it('an event that is passed to the webhook first waits until it is resumed', async () => {
      const { id } = await stage.add()
      await stage.write(3)
      const spreading = stage.em.fork()
      await spreading.begin()
      await spreadEvents(spreading)
      const pausing = pauseChannel(stage.em.fork(), { id, userId: stage.person.userId }, 'by a test')
      await Promise.race([pausing, new Promise((resolve) => setTimeout(resolve, 300))])
      await spreading.commit()
      await pausing
      assert.deepEqual(await waits(), [Infinity, Infinity, Infinity])
    })

    it('an event that is passed to the webhook last waits until it is resumed', async () => {
      const { id } = await stage.add()
      await stage.write(3)
      const pausing = stage.em.fork()
      await pausing.begin()
      await pauseChannel(pausing, { id, userId: stage.person.userId }, 'by a test')
      const spreading = spreadEvents(stage.em.fork())
      await Promise.race([spreading, new Promise((resolve) => setTimeout(resolve, 300))])
      await pausing.commit()
      await spreading
      assert.deepEqual(await waits(), [Infinity, Infinity, Infinity])
    })

    it('an event of a webhook that is paused is not taken to be sent', async () => {
      const { id } = await stage.add()
      await stage.write(2)
      await spreadEvents(stage.em.fork())
      await pauseChannel(stage.em.fork(), { id, userId: stage.person.userId }, 'by a test')
      const room = {
        most: 8,
        perUser: 8,
        ofUsers: {},
        perService: 8,
        ofServices: {},
        withEvents: true,
        seconds: 30,
      }
      assert.deepEqual(await takeDueNotices(stage.em.fork(), room), { taken: 0, due: [] })
      assert.deepEqual(await waits(), [Infinity, Infinity])
    })
  })
})
