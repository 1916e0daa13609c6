import assert from 'node:assert/strict'
import fc from 'fast-check'
import { deliverTo } from '#api/notify/deliver.ts'
import { createOutgoing, type OutgoingOptions } from '#api/notify/outgoing.ts'
import { inJsonBytes, plainText, shortened, unlinked } from '#api/notify/plain-text.ts'
import type { ChannelDeps, Delivery, Notice } from '#api/notify/port.ts'
import { newWebhookSecret, postEvent } from '#api/notify/webhook/deliver.ts'
import type { ChannelKind } from '#domain/alert/channels.ts'
import { browserForTests, pushForTests } from '../support/push.ts'

const NOW = Date.parse('2027-03-01T15:00:00Z')
const BROWSER = browserForTests('https://fcm.googleapis.com/send/secret-endpoint')
const { endpoint, keys } = BROWSER.channel.settings

const SETTINGS: Record<ChannelKind, object> = {
  push: { endpoint, ...keys, keyId: 'k1' },
  telegram: { botToken: '1:secret-token', chatId: '5' },
  ntfy: { server: 'https://ntfy.example', topic: 'secret-topic', token: null },
  discord: { url: 'https://discord.example/api/webhooks/1/secret-token?thread_id=9#x' },
  slack: { url: 'https://slack.example/services/T/B/secret-token' },
  webhook: { url: 'https://hook.example/secret-path', secrets: [newWebhookSecret()] },
  email: { address: 'jane@example.test' },
}

const NOTICE: Notice = {
  id: 'notice-7',
  kind: 'waiting',
  urgency: 'decision',
  title: 'A signal needs your approval',
  body: 'Buy 3 AAPL',
  details: null,
  tag: 'signal-0b0e1f6e-3a61-4f0e-9b1c-0c5b8f7f2a11',
  url: '/approvals?signal=1',
  expiresAt: null,
  decides: null,
}

interface Answered {
  status: number
  body?: string | object
  headers?: Record<string, string>
}

describe('answers of the services of channels', () => {
  const requests: { url: string; options: OutgoingOptions }[] = []
  beforeEach(() => void requests.splice(0))

  function depsFor(answer: Answered | Error): ChannelDeps {
    const { status, body = '', headers = {} } = answer as Answered
    const request: ChannelDeps['request'] = async (url, options) => {
      requests.push({ url, options })
      if (answer instanceof Error) throw answer
      return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
    }
    return {
      request,
      requestService: request,
      publicUrl: 'https://trader.example.com',
      telegramUrl: 'https://telegram.example',
      mailer: {
        close: () => undefined,
        send: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve()),
      },
      push: pushForTests(),
      now: () => NOW,
    }
  }
  const deliver = (kind: ChannelKind, answer: Answered | Error, notice = NOTICE): Promise<Delivery> =>
    deliverTo(kind, SETTINGS[kind], notice, depsFor(answer))

  const telegram = (status: number, description: string): Answered => ({
    status,
    body: { ok: false, error_code: status, description },
  })
  for (const [kind, answer, expected] of [
    ['telegram', telegram(400, 'Bad Request: chat not found'), 'gone'],
    ['telegram', telegram(401, 'Unauthorized'), 'gone'],
    ['telegram', telegram(404, 'Not Found'), 'gone'],
    ['telegram', telegram(400, 'Bad Request: BUTTON_URL_INVALID'), 'refused'],
    ['telegram', { status: 200, body: { ok: true } }, 'taken'],
    ['telegram', { status: 200, body: '<html>' }, 'failed'],
    ['ntfy', { status: 401 }, 'refused'],
    ['ntfy', { status: 403 }, 'refused'],
    ['ntfy', { status: 413 }, 'refused'],
    ['ntfy', { status: 307 }, 'failed'],
    ['discord', { status: 204 }, 'taken'],
    ['discord', { status: 401 }, 'gone'],
    ['discord', { status: 400 }, 'refused'],
    ['discord', { status: 403 }, 'refused'],
    ['slack', { status: 403, body: 'action_prohibited' }, 'refused'],
    ['slack', { status: 400, body: 'invalid_payload' }, 'refused'],
    ['slack', { status: 404, body: 'no_service' }, 'gone'],
    ['webhook', { status: 299 }, 'taken'],
    ['webhook', { status: 401 }, 'failed'],
    ['webhook', { status: 404 }, 'failed'],
    ['webhook', { status: 504 }, 'failed'],
    ['push', { status: 201 }, 'taken'],
    ['push', { status: 404 }, 'gone'],
    ['push', { status: 413 }, 'refused'],
  ] as const)
    it(`an answer ${answer.status} ${JSON.stringify('body' in answer ? answer.body : '')} of ${kind} is ${expected}`, async () => {
      const delivery = await deliver(kind, answer)
      assert.equal(delivery.is, expected, JSON.stringify(delivery))
    })

  for (const [name, given, expected] of [
    ['no such mailbox', { responseCode: 550, command: 'RCPT TO', response: '550 5.1.1 unknown' }, 'gone'],
    ['a policy', { responseCode: 550, command: 'RCPT TO', response: '550 5.7.1 spam' }, 'refused'],
    ['a refused sender', { responseCode: 550, command: 'MAIL FROM', response: '550 no' }, 'refused'],
    ['a refused text', { responseCode: 554, command: 'DATA', response: '554 5.6.0 no' }, 'refused'],
    ['a full mailbox', { responseCode: 452, command: 'RCPT TO', response: '452 4.2.2 full' }, 'failed'],
    ['a wrong password of ours', { responseCode: 535, code: 'EAUTH', command: 'AUTH PLAIN' }, 'failed'],
    ['no connection', { code: 'ESOCKET' }, 'failed'],
  ] as const)
    it(`a mail server that reports ${name} makes the delivery ${expected}`, async () => {
      const delivery = await deliver('email', Object.assign(new Error('to jane@example.test'), given))
      assert.equal(delivery.is, expected)
      assert.ok('reason' in delivery && !delivery.reason.includes('jane'))
    })

  it('the webhook of Discord is asked for its message, in the thread of its address', async () => {
    await deliver('discord', { status: 204 })
    const { pathname, searchParams } = new URL(requests[0]!.url)
    assert.equal(pathname, '/api/webhooks/1/secret-token')
    assert.deepEqual(Object.fromEntries(searchParams), { thread_id: '9', wait: 'true' })
  })

  it('a redirect of a receiver is named', async () => {
    const delivery = await deliver('webhook', { status: 308 })
    assert.deepEqual(delivery, {
      is: 'failed',
      reason: 'it answers with a redirect, which is not followed',
      retryAfter: null,
    })
  })

  for (const [header, expected] of [
    ['7', 7_000],
    ['0.25', 250],
    ['Mon, 01 Mar 2027 15:01:00 GMT', 60_000],
    ['Mon, 01 Mar 2027 14:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['Thu, 01 Jan 9999 00:00:00 GMT', 86_400_000],
    ['-1', null],
    ['soon', null],
    ['', null],
  ] as const)
    it(`Retry-After "${header}" is a pause of ${expected} ms`, async () => {
      const delivery = await deliver('webhook', { status: 429, headers: { 'retry-after': header } })
      assert.equal('retryAfter' in delivery && delivery.retryAfter, expected)
    })

  it('an error of the network whose words hold settings is reported without them', async () => {
    for (const kind of ['telegram', 'discord', 'slack', 'webhook', 'push', 'ntfy'] as const) {
      const words = `fetch ${JSON.stringify(SETTINGS[kind])} https://x.example/secret/a?b at /api/webhooks/1/secret-token`
      const delivery = await deliver(kind, new Error(words))
      assert.ok(delivery.is === 'failed' && delivery.reason.startsWith('fetch '))
      if (kind === 'discord') assert.doesNotMatch(delivery.reason, /secret/)
      for (const text of Object.values(SETTINGS[kind]).flat().filter(Boolean))
        assert.ok(String(text).length < 6 || !delivery.reason.includes(String(text)), delivery.reason)
    }
  })

  it('an address that the operator does not allow refuses the notice', async () => {
    const { request } = createOutgoing({ allowedNetworks: '', trustedOrigins: [] })
    const deps = { ...depsFor({ status: 200 }), request }
    const settings = { url: 'https://127.0.0.1/secret-path', secrets: [newWebhookSecret()] }
    for (const delivery of [
      await deliverTo('webhook', settings, NOTICE, deps),
      await postEvent(settings, { id: 'e', type: 'a.b', timestamp: '', data: {} }, deps),
    ])
      assert.ok(delivery.is === 'refused' && !delivery.reason.includes('secret'), JSON.stringify(delivery))
  })

  it('a browser gets nothing without keys of the service, and nothing at an unknown push service', async () => {
    const deps = depsFor({ status: 201 })
    const to = (settings: object, others: Partial<ChannelDeps> = {}) =>
      deliverTo('push', { ...SETTINGS.push, ...settings }, NOTICE, { ...deps, ...others })
    assert.equal((await to({}, { push: null })).is, 'refused')
    assert.equal((await to({ endpoint: 'https://evil.example/x' })).is, 'refused')
    assert.equal((await to({ keyId: 'k0' })).is, 'gone')
    assert.equal((await to({ auth: 'short' })).is, 'failed')
    assert.deepEqual(requests, [])
  })

  for (const [fields, ttl, topic] of [
    [{ expiresAt: '2027-03-01T15:00:30.500Z' }, '31', '0b0e1f6e3a614f0e9b1c0c5b8f7f2a11'],
    [{ expiresAt: '2027-03-01T14:00:00Z' }, '0', '0b0e1f6e3a614f0e9b1c0c5b8f7f2a11'],
    [{ kind: 'test', tag: 'test' }, '60', 'T'],
    [
      { urgency: 'outcome', tag: 'filled-0b0e1f6e-3a61-4f0e-9b1c-0c5b8f7f2a11' },
      '21600',
      'Fb0e1f6e3a614f0e9b1c0c5b8f7f2a11',
    ],
    [{ urgency: 'alarm', tag: 'alert-12' }, '3600', '12'],
  ] as const)
    it(`a push message ${JSON.stringify(fields)} is kept for ${ttl} s`, async () => {
      await deliver('push', { status: 201 }, { ...NOTICE, ...fields })
      const { TTL, Urgency, Topic } = requests[0]!.options.headers!
      assert.deepEqual([TTL, Urgency, Topic], [ttl, 'high', topic])
    })
})

describe('plain text', () => {
  it('plain text keeps within its bound, whole characters and one line', () => {
    const strings = fc.string({ unit: 'binary', maxLength: 60 })
    fc.assert(
      fc.property(strings, fc.integer({ min: 1, max: 40 }), (text, most) => {
        const plain = plainText(text, most)
        assert.ok(plain.length <= most && plain.isWellFormed() && !/[\p{Cc}\p{Cf}\n]/u.test(plain))
        assert.equal(plainText(plain, most), plain)
        const cut = shortened(plain, most + 10, inJsonBytes)
        assert.ok(Buffer.byteLength(JSON.stringify(cut)) - 2 <= most + 10)
      }),
    )
  })

  it('plain text is shortened between characters', () => {
    assert.equal(plainText('😀😀😀', 5), '😀😀…')
    assert.equal(plainText('one two', 5), 'one…')
    assert.equal(plainText('a\r\n\r\n\r\nb\u2028c\td', 20, { lineBreaks: true }), 'a\n\nb\nc d')
    assert.equal(plainText('a\r\nb\u202ec', 20), 'a bc')
  })

  it('amounts, symbols and times of our own texts are no links', () => {
    const text = 'Bought 3 BRK.B at $182.50 · until 15:04 New York, +$1.20 (0.5 %). Open it: BTC/USD 1/2'
    assert.equal(unlinked(text), text)
    assert.equal(unlinked('see https://evil.example @you'), 'see https[:]//evil[.]example [@]you')
  })
})
