import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { deliverDue } from '#api/notify/deliver-due.ts'
import { createOutgoing } from '#api/notify/outgoing.ts'
import { sealSettings } from '#api/notify/settings.ts'
import { ROUTES } from '#api/routes.ts'
import { AnswerOverdue, GatewayUnavailable, UpdateRejected } from '#api/temporal/calls.ts'
import { MEMBER_ROLE } from '#db/engine/row-security.ts'
import type { Signal } from '#db/entities/index.ts'
import { findChannelTarget, pauseChannel } from '#db/notify/channels.ts'
import type { NotifiedSignal } from '#db/notify/news.ts'
import { recordDeclined, recordDue } from '#db/signal/decision-ledger.ts'
import { createAccount, createSignal } from '../../support/factories.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { addAdministrator } from '../support/administrator.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { addPerson, type Person } from '../support/person.ts'
import { browserForTests, notifyForTests } from '../support/push.ts'
import { askRaw } from '../support/raw-request.ts'
import { refusedByTelegram, TAKEN, useBotApi } from '../support/telegram-bot-api.ts'
import { useApi, useCounts } from '../support/use-api.ts'

const SECRET_HEADER = 'X-Telegram-Bot-Api-Secret-Token'
const PENDING = { executeMode: 'pending', status: 'pending' } as const
const NOT_FOUND = { status: 404, code: 'CHANNEL_NOT_FOUND', error: 'There is no such channel' }
const OUTGOING_LIMIT_MS = 1_500

const newToken = (): string => `${randomInt(1e8, 1e9)}:AAF${randomUUID().replaceAll('-', '')}`
const newChat = (): string => String(randomInt(1e8, 1e9))

interface Channel {
  id: string
  botToken: string
  chatId: string
  secret: string
}

/** What differs from a press of the owner that Telegram reports. */
interface PressChanges {
  from?: number
  id?: string
  secret?: string | null
  messageId?: number | null
}

/** As Telegram writes it: Bot API, Update and CallbackQuery. */
const updateOf = ({ chatId }: Channel, data: string | undefined, changes: PressChanges = {}) => {
  const { from = Number(chatId), id = randomUUID(), messageId = 7 } = changes
  return {
    update_id: randomInt(1e9),
    callback_query: {
      id,
      from: { id: from, is_bot: false, first_name: 'Ada' },
      ...(messageId !== null && {
        message: {
          message_id: messageId,
          chat: { id: Number(chatId), type: 'private', first_name: 'Ada' },
          date: 1_772_000_000,
          text: 'A signal needs your approval',
        },
      }),
      chat_instance: '-3824',
      ...(data !== undefined && { data }),
    },
  }
}

async function post(api: ApiServer, channelId: string, body: string, headers: Record<string, string>) {
  const { status, text } = await askRaw(
    api.address,
    'POST',
    `/api/v1/telegram/${channelId}`,
    { 'Content-Type': 'application/json', ...headers },
    body,
  )
  const { code, error } = (text === '' ? {} : JSON.parse(text)) as { code?: string; error?: string }
  return { status, code, error }
}

/** Answers what the service answers Telegram, once its own calls have ended. */
async function press(api: ApiServer, channel: Channel, data: string | undefined, changes: PressChanges = {}) {
  const { secret = channel.secret } = changes
  const headers = secret === null ? {} : { [SECRET_HEADER]: secret }
  const answer = await post(api, channel.id, JSON.stringify(updateOf(channel, data, changes)), headers)
  await api.whenIdle()
  return answer
}

const fails = (error: Error) => async () => {
  throw error
}

describe('decisions in Telegram', function () {
  this.timeout(60_000)
  const telegram = useBotApi()
  const { request } = createOutgoing({
    allowedNetworks: '127.0.0.0/8',
    trustedOrigins: [],
    timeLimit: OUTGOING_LIMIT_MS,
  })
  const notify = {
    request,
    get telegramUrl() {
      return telegram.origin
    },
  }
  const api = useApi({ answerDeadline: 400, notify })
  let person: Person
  let accountId: string
  let channel: Channel
  beforeEach(async () => {
    person = await addPerson(api)
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
    channel = await addChannel(person)
    telegram.calls.length = 0
    api.gateway.messages.length = 0
    api.gateway.onApprove = async ({ signalId }, { by, quantity, limitPrice, sendBefore }) => {
      await recordDue(api.database.em, signalId, now(), { by, quantity, limitPrice, sendBefore })
      return { status: 'queued', orderId: null, reason: null, detail: null }
    }
    api.gateway.onDecline = async ({ signalId }, { by, reason }) => {
      await recordDeclined(api.database.em, signalId, now(), { by, reason })
      return { status: 'rejected', reason: 'DECLINED' }
    }
  })

  const now = () => new Date().toISOString()
  const add = (who: Person, settings: object) =>
    who.call('POST', '/channels', { kind: 'telegram', name: 'my phone', settings })
  async function addChannel(who: Person, chatId = newChat()): Promise<Channel> {
    const botToken = newToken()
    const { status, body } = await add(who, { botToken, chatId })
    assert.equal(status, 201)
    const { secret_token: secret } = telegram.of('setWebhook').at(-1) ?? {}
    return { id: body.data.channel.id, botToken, chatId, secret }
  }
  const store = (fields: Partial<Signal> = {}) =>
    createSignal(api.database.em, { ...PENDING, accountId, workflowStartedAt: new Date(), ...fields })
  const rowOf = async (id: string) => {
    const [row] = await api.database.em.execute<Record<string, unknown>[]>(
      `select to_jsonb(s) as signal, (select count(*) from signal_events e where e.signal_id = s.id) as events
       from signals s where id = ?`,
      [id],
    )
    return row!
  }
  const kinds = () => api.gateway.messages.map(({ kind }) => kind)
  const answered = (): string | undefined => telegram.of('answerCallbackQuery').at(-1)?.['text']
  /** Everything that is kept or written about anything. */
  async function everythingKept(): Promise<string> {
    const tables = await Promise.all(
      ['channels', 'audit_events', 'deliveries', 'outbox'].map((table) =>
        api.database.em.execute(`select to_jsonb(t)::text as row from ${table} t`),
      ),
    )
    return JSON.stringify([tables, api.log])
  }

  describe('a Telegram channel', () => {
    it('a Telegram channel has Telegram report presses alone, with a secret of its own, where https leads here', async () => {
      const before = await addChannel(person)
      const { id, chatId, secret, botToken } = await addChannel(person)
      const [, { token, content }] = telegram.calls as [unknown, (typeof telegram.calls)[number]]
      assert.equal(token, botToken)
      assert.deepEqual(content, {
        url: `https://trader.example.com/api/v1/telegram/${id}`,
        secret_token: secret,
        allowed_updates: ['callback_query'],
        drop_pending_updates: true,
      })
      assert.match(secret, /^[\w-]{43}$/)
      assert.notEqual(secret, before.secret)
      const listed = await person.call('GET', '/channels')
      const shown = JSON.stringify([listed.body, (await person.call('GET', '/audit-log')).body])
      assert.ok(shown.includes('channel.added'))
      for (const text of [shown, await everythingKept()])
        for (const hidden of [botToken, secret, chatId]) assert.ok(!text.includes(hidden), hidden)
    })

    it('a Telegram channel has no callback, and its messages no buttons, where the address is no https', async () => {
      const plain = await startApi({
        notify: { request, telegramUrl: telegram.origin, publicUrl: 'http://127.0.0.1:3000' },
      })
      try {
        const somebody = await addPerson(plain)
        const chatId = newChat()
        const { body } = await add(somebody, { botToken: newToken(), chatId })
        const { id } = body.data.channel
        assert.deepEqual(telegram.calls, [])
        assert.deepEqual(await buttonsOf(plain, id, randomUUID()), [])
        for (const secret of ['', 'null', 'undefined', null]) {
          const answer = await press(plain, { id, chatId, botToken: '', secret: '' }, 'approve', { secret })
          assert.deepEqual(answer, NOT_FOUND)
        }
      } finally {
        await plain.stop()
      }
    })

    it('a Telegram channel that Telegram refuses is refused with its words, without the token, and is not stored', async () => {
      const botToken = newToken()
      const refused = async () => {
        const { status, body } = await add(person, { botToken, chatId: newChat() })
        assert.deepEqual([status, body.code], [409, 'CHANNEL_REFUSED'])
        return String(body.error)
      }
      telegram.answers = () => refusedByTelegram(401, 'Unauthorized')
      assert.match(await refused(), /Telegram refuses the bot: .*Unauthorized$/)
      telegram.answers = ({ content }) =>
        refusedByTelegram(
          404,
          `No /bot${botToken}/setWebhook\n${content['secret_token']} ${'x'.repeat(5_000)}`,
        )
      const long = await refused()
      const { secret_token: secret } = telegram.of('setWebhook').at(-1)!
      assert.ok(!long.includes(botToken) && !long.includes(secret) && long.length < 500, long)
      telegram.answers = () => null
      assert.match(await refused(), /it does not answer/)
      telegram.answers = () => ({ status: 502, body: {} })
      assert.match(await refused(), /502/)
      const { body } = await person.call('GET', '/channels')
      assert.deepEqual(
        body.data.map(({ id }: Channel) => id),
        [channel.id],
      )
      for (const hidden of [botToken, secret]) assert.ok(!(await everythingKept()).includes(hidden))
    })

    it('a Telegram channel of a service that Telegram cannot reach has no buttons', async () => {
      telegram.answers = () =>
        refusedByTelegram(400, 'Bad Request: bad webhook: IP address 10.1.2.3 is reserved')
      const { status, body } = await add(person, { botToken: newToken(), chatId: newChat() })
      assert.equal(status, 201)
      telegram.answers = () => ({ status: 200, body: { ok: true, result: {} } })
      const { id } = await store()
      assert.deepEqual(await buttonsOf(api, body.data.channel.id, id), [])
      await person.call('DELETE', `/channels/${body.data.channel.id}`)
    })

    it('a Telegram channel of a private chat offers a decision by buttons; that of a group, or real money, does not', async () => {
      const { id } = await store()
      assert.deepEqual(await buttonsOf(api, channel.id, id), [`approve:${id}`, `decline:${id}`])
      assert.deepEqual(await buttonsOf(api, channel.id, id, { isLive: true }), [])
      for (const chatId of [`-${newChat()}`, '-1001234567890', '@my_channel'])
        assert.deepEqual(await buttonsOf(api, (await addChannel(person, chatId)).id, id), [], chatId)
    })
  })

  /** Callback data of the buttons of the message about a waiting signal. */
  async function buttonsOf(
    of: ApiServer,
    channelId: string,
    signalId: string,
    fields = {},
  ): Promise<string[]> {
    const target = await findChannelTarget(of.database.em.fork(), channelId)
    const signal: NotifiedSignal = {
      id: signalId,
      symbol: 'AAPL',
      action: 'openLong',
      quantity: '10',
      quantityType: 'fixed',
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      validUntil: null,
      filledQuantity: '0',
      avgFillPrice: null,
      statusDetail: null,
      isLive: false,
      result: null,
      ...fields,
    }
    const due = {
      id: '1',
      subjectId: signalId,
      attempts: 1,
      expiresAt: new Date(),
      showFigures: true,
      target: target!,
      failures: 0,
      failingSince: null,
      more: 0,
      news: { kind: 'waiting' as const, signal },
    }
    const delivered = await deliverDue(
      due,
      secretKeys,
      notifyForTests({ request, telegramUrl: telegram.origin }),
    )
    assert.deepEqual(delivered, { is: 'taken' })
    const { reply_markup: markup } = telegram.of('sendMessage').at(-1)!
    const buttons: { url?: string; callback_data?: string }[] = markup.inline_keyboard.flat()
    const { url } = buttons.find((button) => button.url)!
    assert.equal(url, `https://trader.example.com/approvals?signal=${signalId}`)
    return buttons.flatMap(({ callback_data: data }) => data ?? [])
  }

  const linkAlone = (id: string) => ({
    chat_id: channel.chatId,
    message_id: 7,
    reply_markup: {
      inline_keyboard: [[{ text: 'Open', url: `https://trader.example.com/approvals?signal=${id}` }]],
    },
  })

  it('a press of a button in Telegram approves as its person, by Telegram, without edits, and leaves the link', async () => {
    const { id } = await store()
    const [approve] = await buttonsOf(api, channel.id, id)
    const pressId = randomUUID()
    const begin = Date.now()
    assert.equal((await press(api, channel, approve, { id: pressId })).status, 200)
    const [{ kind, to, content }] = api.gateway.messages as [(typeof api.gateway.messages)[number]]
    const { sendBefore, ...edits } = content as Record<string, string>
    assert.deepEqual([kind, to.signalId, to.terms.userId], ['approve', id, person.userId])
    assert.deepEqual(edits, { by: `${person.email} by Telegram`, quantity: null, limitPrice: null })
    assert.ok(Math.abs(Date.parse(sendBefore!) - begin - 60_000) < 2_000)
    const [, { token }] = telegram.calls as [unknown, (typeof telegram.calls)[number]]
    assert.equal(token, channel.botToken)
    assert.deepEqual(telegram.of('answerCallbackQuery'), [
      { callback_query_id: pressId, text: 'The signal is queued', show_alert: true },
    ])
    assert.deepEqual(telegram.of('editMessageReplyMarkup'), [linkAlone(id)])
    const logged = api.log.findLast(
      ({ msg, path }) => msg === 'request' && String(path).includes(channel.id),
    )!
    assert.deepEqual([logged['userId'], logged['signalId']], [person.userId, id])
    for (const hidden of [channel.botToken, channel.secret])
      assert.ok(!(await everythingKept()).includes(hidden))
  })

  it('a press of a button in Telegram is on the timeline with its person and its way', async () => {
    for (const [decision, words, said] of [
      ['approve', 'Approved', 'The signal is queued'],
      ['decline', 'Declined', 'Rejected'],
    ] as const) {
      const { id } = await store()
      await press(api, channel, `${decision}:${id}`)
      assert.equal(answered(), said)
      const by = `${person.email} by Telegram`
      const { body } = await person.call('GET', `/signals/${id}/events`)
      const messages: string[] = body.data.events.map(({ message }: { message: string }) => message)
      assert.ok(
        messages.some((message) => message.startsWith(words) && message.includes(by)),
        messages.join(),
      )
      assert.equal((await person.call('GET', `/signals/${id}`)).body.data.decidedBy, by)
    }
  })

  it('a press of a button in Telegram is answered like that of an unknown channel without the secret of its channel', async () => {
    const { id } = await store()
    const before = await rowOf(id)
    const other = await addChannel(person)
    const ntfy = await person.call('POST', '/channels', { kind: 'ntfy', name: 'n', settings: { topic: 't' } })
    const endpoint = `https://fcm.googleapis.com/${randomUUID()}`
    const browser = await person.call('POST', '/channels', browserForTests(endpoint).channel)
    const removed = await addChannel(person)
    await person.call('DELETE', `/channels/${removed.id}`)
    const unreadable = await addChannel(person)
    await api.database.em.execute(
      `update channels set sealed_settings = regexp_replace(sealed_settings, '^s1\\.[^.]+', 's1.gone') where id = ?`,
      [unreadable.id],
    )
    const older = await addChannel(person)
    const sealed = sealSettings(
      secretKeys,
      { id: older.id, userId: person.userId },
      { botToken: newToken(), chatId: '1' },
    )
    await api.database.em.execute('update channels set sealed_settings = ? where id = ?', [sealed, older.id])
    telegram.calls.length = 0
    const { secret } = channel
    const wrong = [
      null,
      '',
      'x',
      secret.slice(1),
      `${secret}x`,
      secret.toLowerCase(),
      other.secret,
      `${secret}, ${secret}`,
    ]
    for (const given of wrong)
      assert.deepEqual(
        await press(api, channel, `approve:${id}`, { secret: given }),
        NOT_FOUND,
        String(given),
      )
    for (const channelId of [
      randomUUID(),
      'no-id',
      removed.id,
      ntfy.body.data.channel.id,
      browser.body.data.channel.id,
      unreadable.id,
      older.id,
    ])
      for (const given of [secret, removed.secret, unreadable.secret, older.secret, null])
        assert.deepEqual(
          await press(api, { ...channel, id: channelId }, `approve:${id}`, { secret: given }),
          NOT_FOUND,
          channelId,
        )
    const { body } = await person.call('GET', '/channels')
    assert.ok(!body.data.some((listed: Channel) => listed.id === removed.id))
    assert.deepEqual([kinds(), telegram.calls, await rowOf(id)], [[], [], before])
  })

  it('a press of a button in Telegram decides nothing for anybody but the owner of the chat', async () => {
    const { id } = await store()
    const group = await addChannel(person, `-${newChat()}`)
    for (const from of [Number(newChat()), -Number(channel.chatId), 0]) {
      assert.equal((await press(api, channel, `approve:${id}`, { from })).status, 200)
      assert.equal(answered(), 'Only the owner of this chat decides')
    }
    if (group.secret !== undefined)
      for (const from of [Number(channel.chatId), -Number(group.chatId)])
        await press(api, group, `approve:${id}`, { from })
    assert.deepEqual([kinds(), telegram.of('editMessageReplyMarkup')], [[], []])
  })

  it('a press of a button in Telegram decides nothing by data that no button of ours has', async () => {
    const { id } = await store()
    for (const data of [
      undefined,
      '',
      id,
      `approve ${id}`,
      `approve:${id.toUpperCase()}`,
      `withdraw:${id}`,
      `approve:${id}:1`,
      `approve:${id.slice(1)}-`,
      `x\napprove:${id}`,
      'approve:------------------------------------',
      'constructor',
    ]) {
      assert.equal((await press(api, channel, data)).status, 200, data)
      assert.match(answered()!, /unknown/, data)
    }
    assert.deepEqual([kinds(), telegram.of('editMessageReplyMarkup')], [[], []])
  })

  it('a press of a button in Telegram does not find signals of another user, and does not say that they are there', async () => {
    const other = await addPerson(api)
    const foreign = await store({
      accountId: (await createAccount(api.database.em, { userId: other.userId })).id,
    })
    const others = await addChannel(other, channel.chatId)
    const before = await rowOf(foreign.id)
    for (const decision of ['approve', 'decline'])
      for (const id of [foreign.id, randomUUID()]) {
        await press(api, channel, `${decision}:${id}`)
        assert.equal(answered(), 'There is no such signal')
      }
    const own = await store()
    await press(api, others, `approve:${own.id}`)
    assert.equal(answered(), 'There is no such signal')
    assert.deepEqual([kinds(), await rowOf(foreign.id)], [[], before])
  })

  it('a press of a button in Telegram decides no signal that was decided, has expired or was replaced, and takes the buttons', async () => {
    const ended: [Partial<Signal>, RegExp][] = [
      [{ status: 'executed' }, /executed/],
      [{ status: 'rejected', statusReason: 'DECLINED' }, /rejected \(DECLINED\)/],
      [{ status: 'cancelled', statusReason: 'EXPIRED' }, /cancelled \(EXPIRED\)/],
      [{ status: 'cancelled', statusReason: 'SUPERSEDED', statusDetail: 'A newer alert' }, /SUPERSEDED/],
      [{ status: 'cancelled', statusReason: 'WITHDRAWN' }, /WITHDRAWN/],
      [{ status: 'queued', executeMode: 'immediate' }, /queued/],
    ]
    for (const [fields, words] of ended)
      for (const decision of ['approve', 'decline']) {
        const { id } = await store(fields)
        telegram.calls.length = 0
        assert.equal((await press(api, channel, `${decision}:${id}`)).status, 200)
        assert.match(answered()!, words)
        assert.deepEqual(telegram.of('editMessageReplyMarkup'), [linkAlone(id)])
      }
    const { id } = await store()
    api.gateway.onApprove = fails(new UpdateRejected('SIGNAL_NOT_PENDING', 'It was valid until noon'))
    await press(api, channel, `approve:${id}`)
    assert.equal(answered(), 'It was valid until noon')
    assert.deepEqual(kinds(), ['approve'])
  })

  it('a press of a button in Telegram that is reported again is the same decision, and one after it none', async () => {
    const { id } = await store()
    const refusals: number[] = []
    const approve = api.gateway.onApprove
    api.gateway.onApprove = async (...call) => {
      refusals.push(call[3])
      return approve(...call)
    }
    const twice = { id: randomUUID() }
    await Promise.all([1, 2].map(() => press(api, channel, `approve:${id}`, twice)))
    await press(api, channel, `approve:${id}`, twice)
    // Temporal takes one approval for each number of refusals.
    assert.deepEqual(new Set(refusals), new Set([0]))
    const { events } = await rowOf(id)
    await press(api, channel, `decline:${id}`)
    assert.match(answered()!, /The signal is queued/)
    assert.ok(!kinds().includes('decline'))
    assert.equal((await rowOf(id))['events'], events)

    const other = await store()
    await press(api, channel, `decline:${other.id}`)
    await press(api, channel, `decline:${other.id}`)
    await press(api, channel, `approve:${other.id}`)
    assert.match(answered()!, /rejected \(DECLINED\)/)
    assert.equal(kinds().filter((kind) => kind === 'decline').length, 1)
  })

  it('a press of a button in Telegram decides nothing about real money, not even after a fresh proof in the web app', async () => {
    await api.database.em.execute(`update users set trading_mode = 'LIVE' where id = ?`, [person.userId])
    const live = await createAccount(api.database.em, { userId: person.userId, isDemo: false })
    for (const decision of ['approve', 'decline']) {
      const { id } = await store({ accountId: live.id })
      const before = await rowOf(id)
      assert.equal((await press(api, channel, `${decision}:${id}`)).status, 200)
      assert.match(answered()!, /open the app/)
      assert.deepEqual([kinds(), await rowOf(id)], [[], before])
      assert.deepEqual(telegram.of('editMessageReplyMarkup').at(-1), linkAlone(id))
    }
  })

  it('a press of a button in Telegram decides nothing for a disabled user, or in a channel that is paused', async () => {
    const { id } = await store()
    const before = await rowOf(id)
    const owner = { id: channel.id, userId: person.userId }
    await pauseChannel(api.database.em.fork(), owner, 'Telegram answered 401: Unauthorized')
    assert.equal((await press(api, channel, `approve:${id}`)).status, 200)
    assert.match(answered()!, /paused/)
    assert.deepEqual([kinds(), telegram.of('editMessageReplyMarkup'), await rowOf(id)], [[], [], before])
    await person.call('POST', `/channels/${channel.id}/resume`)
    await api.database.em.execute('update users set disabled_at = now() where id = ?', [person.userId])
    assert.deepEqual(await press(api, channel, `approve:${id}`), NOT_FOUND)
    await api.database.em.execute('update users set disabled_at = null where id = ?', [person.userId])
    await press(api, channel, `approve:${id}`)
    assert.deepEqual(kinds(), ['approve'])
  })

  it('a press of a button in Telegram decides while no session of its person lasts: the channel is a credential of its own', async () => {
    await api.database.em.execute('update sessions set ended_at = now() where user_id = ?', [person.userId])
    await press(api, channel, `approve:${(await store()).id}`)
    assert.deepEqual(kinds(), ['approve'])
  })

  it('a press of a button in Telegram that is malformed, or within a body too large, decides nothing', async () => {
    const { id } = await store()
    const whole = updateOf(channel, `approve:${id}`)
    const { callback_query: query } = whole
    const change = (fields: object) => JSON.stringify({ ...whole, callback_query: { ...query, ...fields } })
    const headers = { [SECRET_HEADER]: channel.secret }
    for (const body of [
      '',
      '[]',
      'null',
      '"approve"',
      '{',
      change({ id: 1 }),
      change({ from: null }),
      change({ from: { id: channel.chatId } }),
      change({ data: ['approve', id] }),
      change({ data: `approve:${id}${' '.repeat(60)}` }),
      change({ message: { message_id: '7' } }),
      JSON.stringify({ ...whole, callback_query: [query] }),
      JSON.stringify(whole).replace('{"id"', '{"__proto__":{},"id"'),
      JSON.stringify(whole).replace('"data"', '"data":"approve:x","data"'),
      `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    ])
      for (const channelId of [channel.id, randomUUID()]) {
        const { status, code } = await post(api, channelId, body, headers)
        assert.deepEqual([status, code], [400, 'VALIDATION_ERROR'], body.slice(0, 100))
      }
    const huge = change({ padding: 'x'.repeat(70_000) })
    assert.equal((await post(api, channel.id, huge, headers)).status, 413)
    const asText = { ...headers, 'Content-Type': 'text/plain' }
    assert.equal((await post(api, channel.id, JSON.stringify(whole), asText)).status, 415)
    for (const body of ['{}', '{"message":{"text":"/approve"}}'])
      assert.equal((await post(api, channel.id, body, headers)).status, 200)
    assert.deepEqual([kinds(), telegram.calls], [[], []])
  })

  it('a press of a button in Telegram is taken by POST alone: other methods at its address decide nothing', async () => {
    const { id } = await store()
    const body = JSON.stringify(updateOf(channel, `approve:${id}`))
    const headers = { 'Content-Type': 'application/json', [SECRET_HEADER]: channel.secret }
    const query = `?callback_query=${encodeURIComponent(JSON.stringify(updateOf(channel, `approve:${id}`).callback_query))}`
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])
      for (const [target, sent] of [
        ['', method === 'GET' || method === 'HEAD' ? undefined : body],
        [query, undefined],
      ] as const) {
        const path = `/api/v1/telegram/${channel.id}${target}`
        assert.equal(
          (await askRaw(api.address, method, path, headers, sent)).status,
          405,
          `${method} ${target}`,
        )
      }
    assert.deepEqual([kinds(), telegram.calls], [[], []])
  })

  it('a GET with the id of a waiting signal decides nothing, at any address there is', async () => {
    const administrator = await addAdministrator(api)
    const { id } = await store()
    const before = await rowOf(id)
    const gets = ROUTES.filter(({ method }) => method === 'GET')
    assert.ok(gets.length > 40)
    const asked = gets.flatMap(({ address, query, access }) => {
      const path = address.replaceAll(/:\w+/g, id)
      const names = [...Object.keys(query.shape), 'signal', 'signalId', 'id', 'approve']
      return ['', ...names.map((name) => `?${name}=${id}`)].map((end) => ({
        path: `${path}${end}`,
        who: access.admin ? administrator : person,
      }))
    })
    const pages = [`/approvals?signal=${id}`, `/approvals?signal=${id}&approve=1`, `/signals/${id}`]
    const queue = [...asked, ...pages.map((path) => ({ path, who: person }))]
    let shown = 0
    const lookAtAll = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop())
        if ((await look(next.path, next.who)) === 200) shown += 1
    }
    await Promise.all(Array.from({ length: 8 }, lookAtAll))
    await api.whenIdle()
    assert.ok(shown > 40, `${shown} addresses showed something`)
    assert.deepEqual([api.gateway.messages, await rowOf(id)], [[], before])
  })

  async function look(path: string, { jwt }: Person): Promise<number> {
    const ask = async (method: string): Promise<number> => {
      const ending = new AbortController()
      const headers = { Authorization: `Bearer ${jwt}` }
      const { status } = await fetch(api.address + path, { method, headers, signal: ending.signal })
      // A stream of events has no end.
      ending.abort()
      assert.notEqual(status, 500, path)
      return status
    }
    await ask('HEAD')
    return ask('GET')
  }

  it('a press of a button in Telegram reaches only rows that the database shows its person', async () => {
    const { id } = await store()
    const { em } = api.database
    await em.execute(`revoke select on accounts from ${MEMBER_ROLE}`, [], 'run')
    try {
      assert.equal((await press(api, channel, `approve:${id}`)).status, 500)
    } finally {
      await em.execute(`grant select on accounts to ${MEMBER_ROLE}`, [], 'run')
    }
    assert.deepEqual(kinds(), [])
    await press(api, channel, `approve:${id}`)
    assert.deepEqual(kinds(), ['approve'])
  })

  it('a press of a button in Telegram is taken at once and stays decided where Telegram refuses or does not answer', async () => {
    for (const answer of [
      null,
      refusedByTelegram(400, 'Bad Request: query is too old'),
      { status: 502, body: {} },
    ]) {
      telegram.answers = () => answer
      const { id } = await store()
      const begin = performance.now()
      const body = JSON.stringify(updateOf(channel, `approve:${id}`))
      const { status } = await post(api, channel.id, body, { [SECRET_HEADER]: channel.secret })
      assert.equal(status, 200)
      assert.ok(performance.now() - begin < OUTGOING_LIMIT_MS, `${performance.now() - begin} ms`)
      await api.whenIdle()
      assert.equal((await person.call('GET', `/signals/${id}`)).body.data.status, 'queued')
    }
    assert.deepEqual(kinds(), ['approve', 'approve', 'approve'])
    const warned = api.log.filter(({ channelId, reason }) => channelId === channel.id && reason !== undefined)
    assert.equal(warned.length, 3)
    for (const hidden of [channel.botToken, channel.secret])
      assert.ok(!(await everythingKept()).includes(hidden))
  })

  it('a press of a button in Telegram keeps the buttons, and is not repeated by itself, where nothing was decided', async () => {
    const { id } = await store()
    const long = `Entries are paused: ${'a reason '.repeat(60)}`
    for (const [error, words] of [
      [new UpdateRejected('WOULD_BE_REFUSED', long, { code: 'TRADING_PAUSED' }), /^Entries are paused/],
      [new GatewayUnavailable('down'), /./],
      [new AnswerOverdue('late'), /^Not confirmed yet/],
    ] as const) {
      api.gateway.onApprove = fails(error)
      assert.equal((await press(api, channel, `approve:${id}`)).status, 200)
      assert.match(answered()!, words)
      assert.ok(answered()!.length <= 200, answered())
    }
    assert.deepEqual(telegram.of('editMessageReplyMarkup'), [])
    assert.equal(telegram.of('answerCallbackQuery').length, 3)
  })

  it('a press of a button in Telegram whose message is too old to be named is decided, and no message is changed', async () => {
    telegram.answers = () => TAKEN
    await press(api, channel, `approve:${(await store()).id}`, { messageId: null })
    assert.deepEqual([kinds(), telegram.of('editMessageReplyMarkup')], [['approve'], []])
  })
})

describe('limits of decisions in Telegram', function () {
  this.timeout(120_000)
  const telegram = useBotApi()
  const { limits } = useCounts()
  const notify = {
    get telegramUrl() {
      return telegram.origin
    },
  }
  const api = useApi({ limits, notify })

  it('a press of a button in Telegram is limited by its channel, and not by what strangers have Telegram send from the same address', async () => {
    const person = await addPerson(api)
    const account = await createAccount(api.database.em, { userId: person.userId })
    const settings = { botToken: newToken(), chatId: newChat() }
    const added = await person.call('POST', '/channels', { kind: 'telegram', name: 'x', settings })
    const { secret_token: secret } = telegram.of('setWebhook')[0]!
    const channel: Channel = { ...settings, id: added.body.data.channel.id, secret }
    const statuses = async (count: number, given: string) => {
      const found: number[] = []
      for (let sent = 0; sent < count; sent += 1)
        found.push((await post(api, channel.id, '{}', { [SECRET_HEADER]: given })).status)
      return found
    }
    const strangers = await statuses(220, 'wrong')
    assert.deepEqual([strangers[0], strangers.at(-1)], [404, 429])
    const { id } = await createSignal(api.database.em, {
      ...PENDING,
      accountId: account.id,
      workflowStartedAt: new Date(),
    })
    assert.equal((await press(api, channel, `decline:${id}`)).status, 200)
    assert.deepEqual(
      api.gateway.messages.map(({ kind }) => kind),
      ['decline'],
    )
    const own = await statuses(210, secret)
    assert.deepEqual([own[0], own.at(-1)], [200, 429])
  })
})
