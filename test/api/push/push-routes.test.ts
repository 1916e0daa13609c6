import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DEFAULT_CHOICES } from '#domain/alert/notification-choices.ts'
import { addPerson, signIn, type Person } from '../support/person.ts'
import { browserForTests, pushForTests } from '../support/push.ts'
import { decrypted, startPushService } from '../support/push-service.ts'
import { startApi } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

const ENDPOINT = 'https://fcm.googleapis.com/fcm/send/'

describe('subscriptions to notifications', () => {
  let person: Person
  const api = useApi()
  beforeEach(async () => {
    person = await addPerson(api)
  })

  const subscribe = (who: Person, endpoint = ENDPOINT + randomUUID(), changes: object = {}) =>
    who.call('POST', '/push/subscriptions', { ...browserForTests(endpoint).subscription, ...changes })
  const list = async (who: Person) => (await who.call('GET', '/push/subscriptions')).body.data

  it('subscriptions to notifications are listed with the host of their push service, and never with their endpoint', async () => {
    const { status, body } = await subscribe(person)
    assert.equal(status, 201)
    assert.deepEqual(await list(person), [body.data])
    const { id, createdAt, ...rest } = body.data
    assert.deepEqual(rest, {
      device: 'a phone',
      service: 'fcm.googleapis.com',
      lastDeliveredAt: null,
      refusedSince: null,
      refusal: null,
    })
    assert.ok(id && createdAt)
    assert.ok(!JSON.stringify(body).includes('/fcm/send'))
    const remove = async () => (await person.call('DELETE', `/push/subscriptions/${id}`)).body.code
    assert.deepEqual([await remove(), await remove()], [undefined, 'SUBSCRIPTION_NOT_FOUND'])
  })

  it('replace the one of the same endpoint', async () => {
    const endpoint = ENDPOINT + randomUUID()
    const first = await subscribe(person, endpoint)
    const second = await subscribe(person, endpoint, { device: 'the same phone' })
    assert.deepEqual([first.status, second.status], [201, 200])
    assert.equal(second.body.data.id, first.body.data.id)
    assert.deepEqual(await list(person), [second.body.data])
    assert.equal(second.body.data.device, 'the same phone')
  })

  it('go over to the user who subscribes with the same browser later', async () => {
    const endpoint = ENDPOINT + randomUUID()
    await subscribe(person, endpoint)
    const other = await addPerson(api)
    assert.equal((await subscribe(other, endpoint)).status, 201)
    assert.deepEqual(await list(person), [])
    assert.equal((await list(other)).length, 1)
  })

  it('subscriptions to notifications are at most ten for each user: the oldest goes', async () => {
    const ids: string[] = []
    for (let count = 0; count < 11; count += 1) ids.push((await subscribe(person)).body.data.id)
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
    it(`subscriptions to notifications are refused for ${endpoint}, which no push service has`, async () => {
      const { status, body } = await subscribe(person, endpoint)
      assert.deepEqual([status, body.code], [400, 'PUSH_SERVICE_UNKNOWN'])
      assert.deepEqual(await list(person), [])
    })

  for (const endpoint of [
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://wns2-am3p.notify.windows.com/w/?token=x',
  ])
    it(`subscriptions to notifications are taken for ${new URL(endpoint).host}`, async () => {
      assert.equal((await subscribe(person, `${endpoint}${randomUUID()}`)).status, 201)
    })

  it('name every fault of keys and device', async () => {
    const point = Buffer.alloc(65, 1)
    point[0] = 4
    const { status, body } = await subscribe(person, 'nowhere', {
      keys: { p256dh: point.toString('base64url'), auth: 'AAAA' },
      device: '',
    })
    assert.equal(status, 400)
    assert.deepEqual(
      body.details.map(({ field }: { field: string }) => field),
      ['endpoint', 'keys.p256dh', 'keys.auth', 'device'],
    )
  })

  it('subscriptions to notifications are refused where the operator has switched notifications off, and the web app learns it', async () => {
    const off = await startApi({ push: null })
    try {
      const somebody = await addPerson(off)
      assert.equal((await off.call('GET', '/api/v1/app')).body.data.pushKey, null)
      const { status, body } = await subscribe(somebody)
      assert.deepEqual([status, body.code], [403, 'PUSH_DISABLED'])
      assert.equal((await somebody.call('POST', '/push/test')).body.code, 'PUSH_DISABLED')
    } finally {
      await off.stop()
    }
  })

  it('subscriptions to notifications are sent a test on request: it reports how many push services accepted it, and removes browsers that are gone', async () => {
    const service = await startPushService()
    const own = await startApi({ push: pushForTests([service.origin]) })
    try {
      const somebody = await addPerson(own)
      const test = async () => (await somebody.call('POST', '/push/test')).body.data
      assert.deepEqual(await test(), { sent: 0, failed: 0 })
      const browser = browserForTests(`${service.origin}/taken`)
      await somebody.call('POST', '/push/subscriptions', browser.subscription)
      for (const path of ['gone', 'failing']) await subscribe(somebody, `${service.origin}/${path}`)
      service.answers(({ path }) => ({ status: { '/gone': 410, '/failing': 503 }[path] ?? 201 }))
      assert.deepEqual(await test(), { sent: 1, failed: 2 })
      const taken = service.requests.find(({ path }) => path === '/taken')!
      assert.deepEqual(decrypted(taken, browser)['kind'], 'test')
      const listed: { lastDeliveredAt: string | null }[] = await list(somebody)
      assert.deepEqual(
        listed.map(({ lastDeliveredAt }) => lastDeliveredAt !== null),
        [false, true],
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
