import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Part } from '#config/periodically.ts'
import { createNoticeSender } from '#api/jobs/notice-sender.ts'
import { deliverDue } from '#api/notify/deliver-due.ts'
import { createOutgoing } from '#api/notify/outgoing.ts'
import type { PushDependencies } from '#api/notify/web-push/delivery.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { saveChoices } from '#db/notify/choices.ts'
import { DEFAULT_CHOICES, type NotificationChoices } from '#domain/alert/notification-choices.ts'
import { removeExpiredNotices, takeDueNotices } from '#db/notify/outbox.ts'
import { climbRungs, findReach } from '#db/notify/reach.ts'
import { listChannels } from '#db/notify/channels.ts'
import { raiseAlert, resolveAlert } from '#db/alert/alerts.ts'
import pino from 'pino'
import { useDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { createAccount, createSignal } from '../../support/factories.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { notifyForTests, subscribeBrowser, pushForTests, type browserForTests } from '../support/push.ts'
import { decrypted, senderOf, startPushService, type PushService } from '../support/push-service.ts'

const NEVER_MIND = pino({ level: 'silent' })

describe('the sender of notifications', function () {
  this.timeout(60_000)
  let database: Database
  let url: string
  let service: PushService
  let push: PushDependencies
  let senders: Part[]
  let counted: string[]
  let account: { id: string; userId: string }
  let browser: ReturnType<typeof browserForTests>

  useDatabase((opened, address) => {
    database = opened
    url = address
  })
  beforeEach(async () => {
    await database.em.execute('delete from outbox')
    senders = []
    counted = []
    service = await startPushService()
    push = pushForTests([service.origin])
    account = await createAccount(database.em)
    browser = await subscribe()
  })
  afterEach(async () => {
    await Promise.all(senders.map((sender) => sender.stop()))
    await service.stop()
  })

  /** A browser that takes notifications, of the account's owner unless another is named. */
  const subscribe = (endpoint = `${service.origin}/${randomUUID()}`, { userId } = account) =>
    subscribeBrowser(database.em, userId, { endpoint, keyId: push.keys.current })

  const addWaiting = (fields: Partial<Signal> = {}) =>
    createSignal(database.em, {
      accountId: account.id,
      executeMode: 'pending',
      status: 'pending',
      validUntil: new Date(Date.now() + 600_000),
      ...fields,
    })
  const decline = (signal: Signal) =>
    database.em.execute(`update signals set status = 'rejected', status_reason = 'DECLINED' where id = ?`, [
      signal.id,
    ])
  const raise = (message = 'The broker rejects the keys') =>
    raiseAlert(
      database.em.fork(),
      { accountId: account.id, signalId: null },
      { kind: 'credentials', message, data: {} },
    )
  const choose = (choices: Partial<NotificationChoices>) =>
    saveChoices(database.em.fork(), account.userId, { ...DEFAULT_CHOICES, ...choices })
  const outbox = () =>
    database.em.execute<{ kind: string; attempts: number; wait: number }[]>(
      `select kind, attempts, extract(epoch from due_at - now())::float8 as wait from outbox`,
    )
  const makeDue = async () => {
    await database.em.execute('update outbox set due_at = now()')
    await database.em.execute('update channels set retry_at = null')
  }
  const isEmpty = () => eventually(async () => assert.deepEqual(await outbox(), []))
  const contents = () => service.requests.map((request) => decrypted(request, browser))

  function start(timeLimit?: number, on = database): void {
    const { request } = createOutgoing({
      allowedNetworks: '127.0.0.0/8',
      trustedOrigins: [],
      ...(timeLimit !== undefined && { timeLimit }),
    })
    const sender = createNoticeSender({
      database: on,
      notify: notifyForTests({ push, request }),
      secretKeys,
      logger: NEVER_MIND,
      metrics: { countNotification: (kind, outcome) => void counted.push(`${kind} ${outcome}`) },
    })
    senders.push(sender)
    sender.start()
    // As the supervisor does.
    const asks = setInterval(() => sender.soon(), 250)
    senders.push({ start() {}, stop: async () => clearInterval(asks) })
  }

  it('notifies the browser of a waiting signal, encrypted and signed, without figures', async () => {
    const signal = await addWaiting()
    start()
    await isEmpty()
    const [request] = service.requests
    assert.deepEqual(contents(), [
      {
        kind: 'waiting',
        title: 'A signal needs your approval',
        body: 'Open it to decide.',
        tag: `signal-${signal.id}`,
        url: `/approvals?signal=${signal.id}`,
        expiresAt: signal.validUntil!.toISOString(),
      },
    ])
    const { key, claims } = senderOf(request!)
    assert.equal(key, push.keys.pairOf(push.keys.current)!.publicKey)
    assert.equal(claims['aud'], service.origin)
    assert.equal(claims['sub'], 'https://trader.example.com')
    const { ttl, urgency, topic } = request!.headers as Record<string, string>
    assert.ok(Number(ttl) > 590 && Number(ttl) <= 600, `TTL ${ttl}`)
    assert.deepEqual([urgency, topic], ['high', signal.id.replaceAll('-', '')])
    const [listed] = await listChannels(database.em.fork(), account.userId)
    assert.ok(listed!.lastDeliveredAt)
  })

  describe('whether the notice of a waiting signal has reached a device', () => {
    const reach = (signal: Signal) => findReach(database.em.fork(), signal.id)
    const alerts = async () =>
      (
        await database.em.execute<{ kind: string; hasEnded: boolean }[]>(
          `select kind, resolved_at is not null as "hasEnded" from alerts where user_id = ? and kind = 'notice_unreached' order by raised_at`,
          [account.userId],
        )
      ).map(({ hasEnded }) => (hasEnded ? 'over' : 'open'))
    const devices = () => listChannels(database.em.fork(), account.userId)

    it('counts the devices that should be notified and those that were reached', async () => {
      await subscribe()
      const signal = await addWaiting()
      assert.deepEqual(await reach(signal), { devices: 2, reached: 0, unreachedSince: null })
      start()
      await eventually(async () => assert.equal((await reach(signal))?.reached, 2))
      assert.deepEqual(await alerts(), [])
      await decline(signal)
      assert.equal(await reach(signal), null)
    })

    it('a push service that refuses three messages is reported at the device since the first, each signal has one alert, and a message that is accepted ends both', async () => {
      service.answers(() => ({ status: 403 }))
      const signals = [await addWaiting(), await addWaiting(), await addWaiting()]
      start()
      await eventually(async () => assert.deepEqual(await alerts(), ['open', 'open', 'open']))
      const [refused] = await devices()
      assert.match(refused!.refusal!, /403/)
      assert.ok(new Date(refused!.refusedSince!) <= new Date())
      for (const signal of signals) assert.ok((await reach(signal))!.unreachedSince)
      assert.equal(counted.filter((each) => each === 'waiting refused').length, 3)
      await isEmpty()
      assert.equal((await devices())[0]!.refusedSince, refused!.refusedSince)
      service.answers(() => ({ status: 201 }))
      const later = await addWaiting()
      await eventually(async () => assert.equal((await reach(later))?.reached, 1))
      await eventually(async () => assert.equal((await devices())[0]!.refusedSince, null))
      assert.deepEqual(await alerts(), ['open', 'open', 'open'], 'nobody was told of those')
      for (const signal of signals) await decline(signal)
      assert.deepEqual(await alerts(), ['over', 'over', 'over'])
    })

    it('the loss of the only device while a signal waits is reported once', async () => {
      service.answers(() => ({ status: 410 }))
      const signal = await addWaiting()
      start()
      await eventually(async () => assert.deepEqual(await alerts(), ['open']))
      assert.ok((await devices())[0]!.pausedAt)
      assert.ok((await reach(signal))!.unreachedSince)
      await climbRungs(database.em.fork(), 0)
      assert.deepEqual(await alerts(), ['open'])
    })

    it('a push service that accepts nothing for the patience is reported, and a message that it accepts then ends the alert', async () => {
      service.answers(() => ({ status: 503 }))
      const signal = await addWaiting()
      start()
      await eventually(() => assert.ok(counted.includes('waiting failed')))
      await climbRungs(database.em.fork())
      assert.deepEqual(await alerts(), [], 'not before the patience is over')
      await climbRungs(database.em.fork(), 0)
      assert.deepEqual(await alerts(), ['open'])
      service.answers(() => ({ status: 201 }))
      await makeDue()
      await eventually(async () => assert.deepEqual(await alerts(), ['over']))
      assert.deepEqual(await reach(signal), { devices: 1, reached: 1, unreachedSince: null })
    })

    it('a user without a device, or who wants no such notification, is not notified', async () => {
      await choose({ waitingSignals: false })
      const unwanted = await addWaiting()
      await database.em.execute('delete from channels where user_id = ?', [account.userId])
      await choose({ waitingSignals: true })
      const alone = await addWaiting()
      await climbRungs(database.em.fork(), 0)
      assert.deepEqual([await reach(unwanted), await reach(alone), await alerts()], [null, null, []])
    })
  })

  it('reports figures only to those who have chosen them', async () => {
    await choose({ showFigures: true })
    await addWaiting({
      limitPrice: '190.5',
      orderType: 'limit',
      validUntil: new Date('2099-03-02T20:45:00Z'),
    })
    await raise('The broker rejects the keys')
    start()
    await isEmpty()
    assert.deepEqual(
      contents()
        .map(({ body }) => String(body))
        .toSorted(),
      [
        'Buy 10 AAPL limit 190.5 · until 15:45 New York',
        'The broker rejects the keys. Give the connection new keys. Orders and exits wait until the broker accepts them.',
      ],
    )
  })

  it('reports an alert, for an hour at most, and not one that has ended already', async () => {
    await raise()
    start()
    await isEmpty()
    const [content] = contents()
    assert.deepEqual(
      [content!['kind'], content!['title'], content!['body'], content!['url']],
      ['alert', 'Alert: rejected keys', 'Open it to see what to do.', '/alerts'],
    )
    assert.ok(Number(service.requests[0]!.headers['ttl']) <= 3_600)
    await Promise.all(senders.map((sender) => sender.stop()))
    await resolveAlert(database.em.fork(), { accountId: account.id, signalId: null }, 'credentials')
    await raise()
    await resolveAlert(database.em.fork(), { accountId: account.id, signalId: null }, 'credentials')
    await database.em.execute('update channels set alarms_quiet_until = now()')
    start()
    await isEmpty()
    assert.equal(service.requests.length, 1)
  })

  it('reports many alerts of an outage as one, and those of the next seconds as another one', async () => {
    const raiseAll = (kinds: string) =>
      database.em.execute(
        `insert into alerts (user_id, account_id, kind, message)
         select user_id, id, kind, '' from accounts, unnest(?::text[]) kind where id = ?`,
        [kinds, account.id],
      )
    await raiseAll('{fill_after_end,order_unknown_at_broker,action_overdue,snapshot_overdue,feed_overdue}')
    await resolveAlert(database.em.fork(), { accountId: account.id, signalId: null }, 'action_overdue')
    start()
    await isEmpty()
    await raiseAll('{comparison_failing,position_differs}')
    await pause(1_200)
    assert.equal(service.requests.length, 1)
    await database.em.execute('update channels set alarms_quiet_until = now()')
    await isEmpty()
    assert.deepEqual(
      contents().map(({ title, url }) => [String(title).replace(/:.*/, ''), url]),
      [
        ['4 alerts, the latest', '/alerts'],
        ['2 alerts, the latest', '/alerts'],
      ],
    )
  })

  it('notifies a browser that was notified of a signal that it waits no longer, by the same tag', async () => {
    const signal = await addWaiting()
    start()
    await isEmpty()
    await decline(signal)
    await eventually(() => assert.equal(service.requests.length, 2))
    const [first, second] = contents()
    assert.deepEqual([second!['kind'], second!['tag']], ['settled', first!['tag']])
    assert.equal(service.requests[0]!.headers['topic'], service.requests[1]!.headers['topic'])
  })

  it('sends nothing about a signal that was decided before the browser was notified of it', async () => {
    const signal = await addWaiting()
    await decline(signal)
    assert.deepEqual(await outbox(), [])
  })

  it('sends nothing about signals that wait for no person, and nothing to those who chose so', async () => {
    await createSignal(database.em, { accountId: account.id, status: 'queued' })
    await choose({ waitingSignals: false, alerts: false })
    await addWaiting()
    await raise()
    assert.deepEqual(await outbox(), [])
  })

  it('sends nothing that its user has switched off since', async () => {
    await addWaiting()
    await choose({ waitingSignals: false, alerts: false })
    start()
    await isEmpty()
    assert.deepEqual(service.requests, [])
  })

  it('sends nothing to a browser that was signed out', async () => {
    await addWaiting()
    await database.em.execute('update sessions set ended_at = now() where user_id = ?', [account.userId])
    start()
    await isEmpty()
    await raise()
    assert.deepEqual([service.requests, await outbox()], [[], []])
  })

  it('drops what has expired before it was sent', async () => {
    await addWaiting({ validUntil: new Date(Date.now() - 1_000) })
    start()
    await isEmpty()
    assert.deepEqual(service.requests, [])
  })

  it('the sender of notifications is not needed for expired notifications to be removed, where it is switched off', async () => {
    await addWaiting({ validUntil: new Date(Date.now() - 1_000) })
    await addWaiting()
    await removeExpiredNotices(database.em.fork())
    assert.equal((await outbox()).length, 1)
  })

  it('sends again what a process had sent and not recorded when it died, with the same tag', async () => {
    await addWaiting()
    const { due } = await takeDueNotices(database.em.fork(), {
      most: 10,
      perUser: 10,
      ofUsers: {},
      perService: 10,
      ofServices: {},
      withEvents: true,
      seconds: 30,
    })
    assert.deepEqual(await deliverDue(due[0]!, secretKeys, notifyForTests({ push })), { is: 'taken' })
    start()
    await pause(1_200)
    assert.equal(service.requests.length, 1, 'taken by the process that died, until its time is over')
    await makeDue()
    await isEmpty()
    const [first, second] = contents()
    assert.equal(first!['tag'], second!['tag'])
  })

  it('sends each once, however many processes there are', async () => {
    const other = await openDatabase(url, 4)
    try {
      for (let count = 0; count < 40; count += 1) await addWaiting()
      start()
      start(undefined, other)
      await isEmpty()
      const tags = contents().map(({ tag }) => tag)
      assert.deepEqual([tags.length, new Set(tags).size], [40, 40])
    } finally {
      await Promise.all(senders.map((sender) => sender.stop()))
      await other.close(true)
    }
  })

  it('tries again after a failure, later each time, and after what the push service asks for', async () => {
    await addWaiting()
    service.answers(() => ({ status: 500 }))
    start()
    await eventually(async () => {
      const [row] = await outbox()
      assert.ok(row!.attempts === 1 && row!.wait <= 2)
    })
    service.answers(() => ({ status: 429, headers: { 'retry-after': '240' } }))
    await makeDue()
    await eventually(async () => {
      const [row] = await outbox()
      assert.ok(row!.attempts === 2 && row!.wait > 200)
    })
    service.answers(() => ({ status: 201 }))
    await makeDue()
    await isEmpty()
    assert.deepEqual(counted, ['waiting failed', 'waiting failed', 'waiting taken'])
  })

  for (const status of [404, 410])
    it(`pauses a browser when the push service says ${status}`, async () => {
      await addWaiting()
      service.answers(() => ({ status }))
      start()
      await isEmpty()
      const [paused] = await listChannels(database.em.fork(), account.userId)
      assert.match(paused!.pauseReason!, new RegExp(String(status)))
    })

  it('sends nothing to an address that is on the list no longer', async () => {
    await addWaiting()
    push = { ...push, isPushService: () => false }
    start()
    await isEmpty()
    assert.deepEqual(service.requests, [])
  })

  it('notifies every browser of the owner, and no others', async () => {
    const owner = account
    const second = await subscribe()
    account = await createAccount(database.em)
    await subscribe()
    await addWaiting({ accountId: owner.id })
    start()
    await isEmpty()
    const told = service.requests.map(({ path }) => service.origin + path)
    assert.deepEqual(
      told.toSorted(),
      [browser, second].map(({ channel }) => channel.settings.endpoint).toSorted(),
    )
  })

  describe('beside browsers whose push service does not answer', () => {
    let other: PushService
    beforeEach(async () => {
      other = await startPushService()
      push = pushForTests([service.origin, other.origin])
    })
    afterEach(() => other.stop())

    const addUser = () => createAccount(database.em)
    /** Signals of an account that wait for a decision. */
    const waitFor = async ({ id }: { id: string }, count: number) => {
      for (let added = 0; added < count; added += 1) await addWaiting({ accountId: id })
    }
    const dead = (prefix: string) => (request: { path: string }) =>
      request.path.startsWith(prefix) ? null : { status: 201 }
    const notifiedOf = ({ origin, requests }: PushService, made: ReturnType<typeof browserForTests>) =>
      requests.filter(({ path }) => origin + path === made.channel.settings.endpoint)

    it('no user waits for those of another user, with any number waiting there: at the same service, or at another', async function () {
      const user = account
      const busy = await addUser()
      for (let count = 0; count < 10; count += 1) await subscribe(`${service.origin}/dead/${count}`, busy)
      const elsewhere = await subscribe(`${other.origin}/phone`, user)
      await waitFor(busy, 500)
      assert.equal((await outbox()).length, 5_000)
      service.answers(dead('/dead'))
      start()
      await eventually(() => assert.ok(service.requests.length >= 8))
      for (let round = 0; round < 3; round += 1) {
        const asked = performance.now()
        await waitFor(user, 1)
        await eventually(() => {
          assert.equal(notifiedOf(service, browser).length, round + 1)
          assert.equal(notifiedOf(other, elsewhere).length, round + 1)
        })
        const took = performance.now() - asked
        assert.ok(took < 3_000, `told after ${Math.round(took)} ms`)
      }
      assert.ok(service.requests.length - 3 <= 8, 'of one user only so many are under way')
    })

    it('a service that fails for several users is left alone for all of them, and the others go on', async () => {
      const users = [await addUser(), await addUser()]
      for (const [index, user] of users.entries()) {
        await subscribe(`${other.origin}/first/${index}`, user)
        await waitFor(user, 1)
      }
      const late = await addUser()
      await subscribe(`${other.origin}/late`, late)
      other.answers(() => null)
      start(200)
      await eventually(() => assert.equal(other.requests.length, 2))
      await eventually(async () => assert.ok((await outbox()).every(({ wait }) => wait < 3)))
      await waitFor(late, 1)
      await waitFor(account, 1)
      await eventually(() => assert.equal(notifiedOf(service, browser).length, 1))
      assert.ok(!other.requests.some(({ path }) => path === '/late'), 'not tried while it is left alone')
      other.answers(() => ({ status: 201 }))
      await isEmpty()
      assert.ok(other.requests.some(({ path }) => path === '/late'))
    })

    it('a service that answers one user is not left alone, however many users have silent browsers there', async () => {
      for (let count = 0; count < 4; count += 1) {
        const user = await addUser()
        await subscribe(`${service.origin}/dead/${count}`, user)
        await waitFor(user, 2)
      }
      service.answers(dead('/dead'))
      start(3_000)
      await eventually(() => assert.equal(service.requests.length, 8))
      // While the silent ones take their time.
      await waitFor(account, 1)
      await eventually(() => assert.equal(notifiedOf(service, browser).length, 1))
      await eventually(async () => assert.ok((await outbox()).some(({ wait }) => wait < 25)))
      await waitFor(account, 1)
      const asked = performance.now()
      await eventually(() => assert.equal(notifiedOf(service, browser).length, 2))
      assert.ok(performance.now() - asked < 3_000)
    })

    it('a browser that subscribes again is tried at once', async () => {
      const silent = await subscribe(`${service.origin}/dead`)
      await waitFor(account, 1)
      service.answers(dead('/dead'))
      start(200)
      await eventually(async () => assert.equal((await outbox())[0]?.attempts, 1))
      service.answers(() => ({ status: 201 }))
      await database.em.execute(
        `update channels set failures = 6, retry_at = now() + interval '2 minutes' where endpoint like '%/dead'`,
      )
      await subscribe(silent.channel.settings.endpoint)
      await isEmpty()
    })
  })
})
