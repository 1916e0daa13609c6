import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DEFAULT_CHOICES } from '#domain/alert/notification-choices.ts'
import { addPerson, signIn, type Person } from '../support/person.ts'
import { browserForTests, pushForTests } from '../support/push.ts'
import { decrypted, startPushService } from '../support/push-service.ts'
import { startApi } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

const ENDPOINT = 'https://fcm.googleapis.com/fcm/send/'

describe('channels of notifications', () => {
  let person: Person
  const api = useApi()
  beforeEach(async () => {
    person = await addPerson(api)
  })

  const subscribe = (who: Person, endpoint = ENDPOINT + randomUUID(), changes: object = {}) =>
    who.call('POST', '/channels', { ...browserForTests(endpoint).channel, ...changes })
  const list = async (who: Person) => (await who.call('GET', '/channels')).body.data

  it('channels of notifications are listed with the host of their push service, and never with their endpoint', async () => {
    const { status, body } = await subscribe(person)
    assert.equal(status, 201)
    assert.equal(body.data.secret, null)
    assert.deepEqual(await list(person), [body.data.channel])
    const { id, createdAt, ...rest } = body.data.channel
    assert.deepEqual(rest, {
      kind: 'push',
      name: 'a phone',
      service: 'https://fcm.googleapis.com',
      urgencies: ['alarm', 'decision', 'outcome', 'letter'],
      events: [],
      lastDeliveredAt: null,
      failingSince: null,
      refusedSince: null,
      refusal: null,
      pausedAt: null,
      pauseReason: null,
    })
    assert.ok(id && createdAt)
    assert.ok(!JSON.stringify(body).includes('/fcm/send'))
    const remove = async () => (await person.call('DELETE', `/channels/${id}`)).body.code
    assert.deepEqual([await remove(), await remove()], [undefined, 'CHANNEL_NOT_FOUND'])
  })

  it('replace the one of the same endpoint', async () => {
    const endpoint = ENDPOINT + randomUUID()
    const first = await subscribe(person, endpoint)
    const second = await subscribe(person, endpoint, { name: 'the same phone' })
    assert.deepEqual([first.status, second.status], [201, 200])
    assert.equal(second.body.data.channel.id, first.body.data.channel.id)
    assert.deepEqual(await list(person), [second.body.data.channel])
    assert.equal(second.body.data.channel.name, 'the same phone')
  })

  it('go over to the user who subscribes with the same browser later', async () => {
    const endpoint = ENDPOINT + randomUUID()
    await subscribe(person, endpoint)
    const other = await addPerson(api)
    assert.equal((await subscribe(other, endpoint)).status, 201)
    assert.deepEqual(await list(person), [])
    assert.equal((await list(other)).length, 1)
  })

  it('channels of notifications are at most ten for each user: the oldest goes', async () => {
    const ids: string[] = []
    for (let count = 0; count < 11; count += 1) ids.push((await subscribe(person)).body.data.channel.id)
    const listed: { id: string }[] = await list(person)
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids.slice(1).toReversed(),
    )
  })

  it('end with the session that made them', async () => {
    await subscribe(person)
    await api.database.em.execute('update sessions set ended_at = now() where user_id = ?', [person.userId])
    const { body } = await signIn(api, person.email)
    person.jwt = body.data.accessToken
    assert.deepEqual(await list(person), [])
  })

  for (const endpoint of [
    'http://fcm.googleapis.com/fcm/send/x',
    'https://fcm.googleapis.com:8443/fcm/send/x',
    'https://user@fcm.googleapis.com/x',
    'https://xfcm.googleapis.com/x',
    'https://push.services.mozilla.com.evil.test/x',
  ])
    it(`channels of notifications are refused for ${endpoint}, which no push service has`, async () => {
      const { status, body } = await subscribe(person, endpoint)
      assert.deepEqual([status, body.code], [400, 'PUSH_SERVICE_UNKNOWN'])
      assert.deepEqual(await list(person), [])
    })

  for (const endpoint of [
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://wns2-am3p.notify.windows.com/w/?token=x',
  ])
    it(`channels of notifications are taken for ${new URL(endpoint).host}`, async () => {
      assert.equal((await subscribe(person, `${endpoint}${randomUUID()}`)).status, 201)
    })

  it('name every fault of a browser', async () => {
    const point = Buffer.alloc(65, 1)
    point[0] = 4
    const { status, body } = await subscribe(person, 'nowhere', {
      settings: { endpoint: 'nowhere', keys: { p256dh: point.toString('base64url'), auth: 'AAAA' } },
      name: '',
    })
    assert.equal(status, 400)
    assert.deepEqual(
      body.details.map(({ field }: { field: string }) => field),
      ['name', 'settings.endpoint', 'settings.keys.p256dh', 'settings.keys.auth'],
    )
  })

  it('channels of notifications are refused where the operator has switched notifications off, and the web app learns it', async () => {
    const off = await startApi({ notify: { push: null } })
    try {
      const somebody = await addPerson(off)
      assert.equal((await off.call('GET', '/api/v1/app')).body.data.pushKey, null)
      const { status, body } = await subscribe(somebody)
      assert.deepEqual([status, body.code], [403, 'PUSH_DISABLED'])
    } finally {
      await off.stop()
    }
  })

  it('channels of notifications are sent a test on request: it reports what each service answers, and pauses a browser that is gone', async () => {
    const service = await startPushService()
    const own = await startApi({ notify: { push: pushForTests([service.origin]) } })
    try {
      const somebody = await addPerson(own)
      const browser = browserForTests(`${service.origin}/taken`)
      const ids: Record<string, string> = {}
      for (const path of ['taken', 'gone', 'failing'])
        ids[path] = (
          await somebody.call(
            'POST',
            '/channels',
            path === 'taken' ? browser.channel : browserForTests(`${service.origin}/${path}`).channel,
          )
        ).body.data.channel.id
      service.answers(({ path }) => ({ status: { '/gone': 410, '/failing': 503 }[path] ?? 201 }))
      const test = async (path: string) =>
        (await somebody.call('POST', `/channels/${ids[path]}/test`)).body.data
      assert.deepEqual(await test('taken'), { taken: true, reason: null })
      assert.deepEqual(await test('gone'), { taken: false, reason: 'the push service answered 410' })
      assert.deepEqual(await test('failing'), { taken: false, reason: 'the push service answered 503' })
      const taken = service.requests.find(({ path }) => path === '/taken')!
      assert.deepEqual(decrypted(taken, browser)['kind'], 'test')
      const listed: { lastDeliveredAt: string | null; pausedAt: string | null }[] = await list(somebody)
      assert.deepEqual(
        listed.map(({ lastDeliveredAt, pausedAt }) => [lastDeliveredAt !== null, pausedAt !== null]),
        [
          [false, false],
          [false, true],
          [true, false],
        ],
      )
    } finally {
      await own.stop()
      await service.stop()
    }
  })

  it('show what their user chose, which is what wants a person at first', async () => {
    assert.deepEqual((await person.call('GET', '/settings/notifications')).body.data, DEFAULT_CHOICES)
    const chosen = { ...DEFAULT_CHOICES, alerts: false, filled: true, daySummary: true, showFigures: true }
    assert.deepEqual((await person.call('PUT', '/settings/notifications', chosen)).body.data, chosen)
    assert.deepEqual((await person.call('GET', '/settings/notifications')).body.data, chosen)
    const other = await addPerson(api)
    assert.deepEqual((await other.call('GET', '/settings/notifications')).body.data, DEFAULT_CHOICES)
    assert.equal((await person.call('PUT', '/settings/notifications', { alerts: true })).status, 400)
  })
})
