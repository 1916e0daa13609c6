import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { createOutgoing } from '#api/notify/outgoing.ts'
import { spreadEvents } from '#db/notify/events.ts'
import { eventually } from '../../support/eventually.ts'
import { createUser } from '../../support/factories.ts'
import type { PushRequest } from '../support/push-service.ts'
import { addWebhook, useWebhooks, webhookId, writeEvents } from '../support/webhooks.ts'

const HOUR = 3_600

const verified = (secret: string, { headers, body }: PushRequest) =>
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>) as Record<string, unknown>
const signaturesOf = ({ headers }: PushRequest) => String(headers['webhook-signature']).split(' ')

describe('webhooks of a person', function () {
  this.timeout(60_000)
  const stage = useWebhooks()

  /** Adds a webhook as the web app does. */
  async function create(events: string[] = ['order', 'fill']): Promise<{ id: string; secret: string }> {
    const settings = { url: `${stage.receiver.origin}/hook` }
    const body = { kind: 'webhook', name: 'a journal', settings, events }
    const answer = await stage.person.call('POST', '/channels', body)
    assert.equal(answer.status, 201)
    return { id: answer.body.data.channel.id, secret: answer.body.data.secret }
  }
  const outbox = () => stage.em.execute<unknown[]>('select id from outbox')

  it('a webhook is sent each event once, signed as the reference library verifies it', async () => {
    const { id, secret } = await create()
    const sent = await stage.write(3)
    stage.start()
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), sent)
    const first = stage.receiver.requests.find((request) => webhookId(request) === sent[0])!
    const { type, timestamp, data, ...rest } = verified(secret, first)
    assert.deepEqual([type, data, rest], ['order.filled', { n: 1 }, {}])
    assert.ok(Math.abs(Date.parse(String(timestamp)) - Date.now()) < 10_000)
    assert.equal(first.headers['content-type'], 'application/json')
    assert.equal(signaturesOf(first).length, 1)
    assert.throws(() =>
      new Webhook(secret).verify(`${first.body.toString()} `, first.headers as Record<string, string>),
    )
    const { secret: _, ...listed } = await stage.channel(id)
    assert.ok(!JSON.stringify(listed).includes(secret))
  })

  it('a webhook is signed by both secrets after a rotation, and after another by the last two alone', async () => {
    const { id, secret } = await create()
    const rotate = async () =>
      (await stage.person.call('POST', `/channels/${id}/rotate`)).body.data.secret as string
    const second = await rotate()
    stage.start()
    await stage.write()
    await stage.untilSent()
    for (const each of [secret, second]) assert.ok(verified(each, stage.receiver.requests[0]!))
    const third = await rotate()
    await stage.write()
    await stage.untilSent()
    const last = stage.receiver.requests[1]!
    for (const each of [second, third]) assert.ok(verified(each, last))
    assert.throws(() => verified(secret, last), /No matching signature/)
    assert.equal(signaturesOf(last).length, 2)
  })

  it('a webhook is signed by its new secret alone a day after a rotation', async () => {
    const day = 86_400_000
    const { secrets } = await stage.add({ rotatedAt: Date.now() - day - 1_000 })
    const { secrets: younger } = await stage.add({ rotatedAt: Date.now() - day + 60_000 })
    stage.start()
    await stage.write()
    await eventually(() => assert.equal(stage.taken.length, 2))
    const [one, two] = stage.receiver.requests.toSorted(
      (a, b) => signaturesOf(a).length - signaturesOf(b).length,
    )
    assert.deepEqual([signaturesOf(one!).length, signaturesOf(two!).length], [1, 2])
    assert.ok(verified(secrets[0]!, one!))
    assert.throws(() => verified(secrets[1]!, one!), /No matching signature/)
    for (const secret of younger) assert.ok(verified(secret, two!))
  })

  it('a webhook is sent the kinds of events that its owner chose, and those of no other user', async () => {
    await create(['fill'])
    const other = await createUser(stage.em)
    await addWebhook(stage.em, other.id, { url: `${stage.receiver.origin}/other`, events: ['order'] })
    stage.start()
    const [order] = await writeEvents(stage.em, other.id)
    const [fill] = await stage.write(1, 'fill.recorded')
    await stage.write(1, 'order.filled')
    await writeEvents(stage.em, other.id, 1, 'fill.recorded')
    await stage.untilSent()
    const came = stage.receiver.requests.map((request) => `${request.path} ${webhookId(request)}`)
    assert.deepEqual(came.toSorted(), [`/hook ${fill}`, `/other ${order}`])
  })

  it('a webhook is sent each event once, however many processes send', async () => {
    const webhooks = [await stage.add(), await stage.add()]
    for (let count = 0; count < 3; count += 1) stage.start()
    const sent = [...(await stage.write(150)), ...(await stage.write(150))]
    await stage.untilSent()
    const twice = sent.flatMap((id) => webhooks.map(() => id))
    assert.deepEqual(stage.taken.toSorted(), twice.toSorted())
  })

  it('a webhook is sent an event whose transaction commits later than those of later events', async () => {
    await stage.add()
    const late = stage.em.fork()
    await late.begin()
    const [early] = await writeEvents(late, stage.person.userId)
    stage.start()
    const later = await stage.write(5)
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), later)
    await late.commit()
    await eventually(() => assert.ok(stage.taken.includes(early!)))
    assert.ok(early! < later[0]!, 'ids order them all the same')
  })

  it('an event is passed to each webhook once when processes do it at the same moment', async () => {
    await stage.add()
    await stage.add({ events: ['fill'] })
    await stage.write(1_200)
    await stage.write(1_300, 'fill.recorded')
    const spread = async (): Promise<number> => {
      const count = await spreadEvents(stage.em.fork())
      return count === 0 ? 0 : count + (await spread())
    }
    const counts = await Promise.all([spread(), spread(), spread()])
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      2_500,
    )
    assert.equal((await outbox()).length, 3_800)
  })

  it('a webhook waits for as long as its receiver asks by Retry-After', async () => {
    const { id } = await stage.add()
    stage.answers(() => ({ status: 429, headers: { 'retry-after': '900' } }))
    stage.start()
    await stage.write(2)
    await stage.untilRecorded()
    await eventually(async () => {
      const waits = (await stage.waiting()).map(({ wait }) => wait)
      for (const wait of waits) assert.ok(wait > 890 && wait <= 900, `${wait} s`)
    })
    const asked = stage.receiver.requests.length
    await stage.pass(890)
    const [late] = await stage.write()
    await stage.untilRecorded()
    assert.equal(stage.receiver.requests.length, asked, 'not before')
    stage.answers(() => ({ status: 204 }))
    await stage.pass(11)
    await stage.untilSent()
    assert.ok(stage.taken.includes(late!))
    const [, ...earlier] = (await stage.log(id)).toReversed().filter(({ outcome }) => outcome === 'failed')
    for (const { reason } of earlier) assert.equal(reason, 'the receiver answered 429')
  })

  it('a webhook that answers 410 is paused, and after it is resumed it gets every event, those in progress too', async () => {
    const { id } = await stage.add()
    const sent = await stage.write(8)
    // The others are in progress when the first one ends.
    stage.answers((request) => (webhookId(request) === sent[0] ? { status: 410 } : null))
    const { request } = createOutgoing({ allowedNetworks: '127.0.0.0/8', trustedOrigins: [], timeLimit: 300 })
    stage.start(request)
    await stage.untilRecorded()
    await eventually(async () => assert.ok((await stage.channel(id))['pausedAt']))
    assert.equal((await stage.channel(id))['pauseReason'], 'the receiver answered 410')
    sent.push(...(await stage.write(2)))
    await stage.untilRecorded()
    await stage.pass(HOUR)
    await stage.untilRecorded()
    const asked = stage.receiver.requests.length
    assert.deepEqual(
      (await stage.waiting()).map(({ id, wait }) => [id, wait]),
      sent.map((each) => [each, Infinity]),
    )
    stage.answers(() => ({ status: 204 }))
    assert.equal((await stage.person.call('POST', `/channels/${id}/resume`)).status, 200)
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), sent)
    assert.equal(stage.receiver.requests.length, asked + 10)
    const outcomes = (await stage.log(id)).map(({ outcome }) => outcome)
    assert.ok(outcomes.includes('gone'))
  })

  it('a webhook whose address is not allowed at the moment keeps its events', async () => {
    const { id } = await stage.add()
    const sent = await stage.write(3)
    const denied = stage.start(createOutgoing({ allowedNetworks: '10.0.0.0/8', trustedOrigins: [] }).request)
    await eventually(() => assert.ok(denied.counted.length > 0))
    await denied.stop()
    await eventually(async () => assert.ok((await stage.log(id)).length > 0))
    assert.match((await stage.log(id)).at(-1)!.reason!, /private or reserved network/)
    stage.start()
    await stage.pass(6)
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), sent)
  })

  it('an event is sent to a webhook again on request, or all since an instant, under their ids', async () => {
    const { id } = await stage.add({ events: ['order'] })
    const again = async (body: object) =>
      (await stage.person.call('POST', `/channels/${id}/send-again`, body)).body.data.events as number
    stage.start()
    await stage.write(2)
    await stage.untilSent()
    const [other] = await stage.write(1, 'fill.recorded')
    await new Promise((resolve) => setTimeout(resolve, 20))
    const since = new Date().toISOString()
    const newer = await stage.write(3)
    await stage.untilSent()
    stage.answers(() => ({ status: 204 }))
    assert.equal(await again({ eventId: newer[0]!.slice(4) }), 1)
    await eventually(() => assert.deepEqual(stage.taken, [newer[0]]))
    stage.answers(() => ({ status: 204 }))
    assert.equal(await again({ since }), 3)
    await stage.untilSent()
    assert.deepEqual(stage.taken.toSorted(), newer)
    assert.equal(await again({ eventId: other!.slice(4) }), 0, 'a kind that it did not choose')
    const stranger = await createUser(stage.em)
    const [foreign] = await writeEvents(stage.em, stranger.id)
    assert.equal(await again({ eventId: foreign!.slice(4) }), 0, 'of another user')
  })

  it('a webhook that is removed leaves nothing that is sent, and no log', async () => {
    const { id } = await stage.add()
    stage.answers(() => ({ status: 503 }))
    const sender = stage.start()
    await stage.write(5)
    await eventually(async () => assert.ok((await stage.log(id)).length > 0))
    assert.equal((await stage.person.call('DELETE', `/channels/${id}`)).status, 200)
    await sender.stop()
    const asked = stage.receiver.requests.length
    await stage.write(2)
    stage.start()
    await eventually(async () =>
      assert.deepEqual(await stage.em.execute('select id from webhook_events where not is_spread'), []),
    )
    assert.equal(stage.receiver.requests.length, asked)
    assert.deepEqual(await stage.em.execute('select id from deliveries'), [])
  })

  it('a notice of a person does not wait for the events of a webhook that answers slowly', async () => {
    const slow = createServer((request, response) => {
      request.resume().on('end', () => setTimeout(() => response.writeHead(204).end(), 500))
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    await stage.add({ url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/` })
    const chat = await stage.add({ events: [] })
    await stage.write(200)
    const { counted } = stage.start()
    await eventually(() => assert.ok(counted.length > 16))
    await stage.em.execute(
      `insert into outbox (channel_id, subject_id, kind, expires_at)
       values (?, gen_random_uuid(), 'check', now() + interval '1 hour')`,
      [chat.id],
    )
    await eventually(() => assert.ok(counted.includes('check taken')), { within: 1_000 })
    slow.closeAllConnections()
    slow.close()
  })
})
