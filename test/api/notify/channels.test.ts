import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { smtpMailer } from '#api/mail/mail.ts'
import { deliverTo } from '#api/notify/deliver.ts'
import { createOutgoing } from '#api/notify/outgoing.ts'
import type { ChannelDeps, Delivery, Notice } from '#api/notify/port.ts'
import { newWebhookSecret } from '#api/notify/webhook/deliver.ts'
import { CHANNEL_KINDS, type ChannelKind } from '#domain/alert/channels.ts'
import {
  readDiscord,
  readMail,
  readNtfy,
  readSlack,
  readTelegram,
  readWebhook,
  telegramMessage,
  type Shown,
} from '../support/channel-readers.ts'
import {
  startMailServer,
  startServices,
  type ServiceFault,
  type ServiceRequest,
} from '../support/channel-stand-ins.ts'
import { HOSTILE_JSON } from '../support/hostile-values.ts'
import { browserForTests, pushForTests } from '../support/push.ts'
import { decrypted, startPushService, type PushAnswer } from '../support/push-service.ts'

const PUBLIC_URL = 'https://trader.example.com'
const LINK = `${PUBLIC_URL}/signals/4`
const TIME_LIMIT_MS = 400

const TOKEN = '123456789:AAFsecretSECRETsecretSECRETsecret12'
const [NEW_SECRET, OLD_SECRET] = [newWebhookSecret(), newWebhookSecret()]

const noticeOf = (fields: Partial<Notice> = {}): Notice => ({
  id: randomUUID(),
  kind: 'alert',
  urgency: 'alarm',
  title: 'Alert: exit refused',
  body: 'Bought 3 AAPL at $182.50 (0.5 %), and 2 more',
  details: null,
  tag: `alert-${randomUUID()}`,
  url: '/signals/4',
  expiresAt: null,
  decides: null,
  ...fields,
})

/** What strangers chose, which programs of receivers may act on. */
const HOSTILE: readonly string[] = [
  ...HOSTILE_JSON.map((json): unknown => JSON.parse(json)).filter((value) => typeof value === 'string'),
  '**x** __x__ ~~x~~ *x* _x_',
  '<@1> <@&2> <#3> <!channel> <!here|here> <U123> @everyone @here',
  '[a](http://evil) <http://evil|bank> <http://evil> http://evil https://evil.example/x?y#z',
  'evil.example 😀.com www.evil.example evil。com xn--80ak6aa92e.com tg://resolve?domain=x 169.254.169.254/latest',
  'a@evil.example @evilbot #tag $AAPL /approve /decline@evilbot mailto:a@evil.example',
  '` `` ``` ````\n```\n||x|| <t:1:R> :skull: <:skull:1>',
  '```js\nx```\n@everyone http://evil.example\n```',
  '# x\n> x\n>>> x\n- x\n-# x\n1. x',
  '&lt;!channel&gt; & <b>x</b> <a href="http://evil">x</a>',
  '.\n..\nline\r\nBcc: eve@evil.example\r\n\r\n.\r\nMAIL FROM:<eve@evil.example>',
  '\u202edesrever\u202c \u2066x\u2069 \u200be\u200bvil\ufeff.example \u00ad\u061c\u180e',
  '\u0000\u0007\u001b]0;x\u0007\u009b31m\u007f\u2028\u2029\u0085',
  '\ud800 \udc00 \ud83d',
  '👩‍👩‍👧‍👦🏳️‍🌈🇺🇸😀',
  '\\'.repeat(5_000),
  '"'.repeat(10_000),
  '😀'.repeat(10_000),
  'x'.repeat(10_000),
  '<@a'.repeat(5_000),
  '\n'.repeat(10_000),
  '\u200b'.repeat(500),
]

/** Neither control, format, direction nor zero-width characters, nor halves of characters. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

/** A channel and its service, as the contract's tests use it. */
interface Subject {
  settings: object
  /** Milliseconds that the service asks for by its fault `limited`. */
  asked: number | null
  fail(fault: ServiceFault): void
  /** The channel's settings where no service listens. */
  nowhere: { settings: object; deps?: Partial<ChannelDeps> }
  /** Of the latest message. */
  read(): Shown
  /** Of every message, by what its receiver recognises a repetition: an id, or all of it. */
  ids(): string[]
}

describe('channels of notices', () => {
  let services: Awaited<ReturnType<typeof startServices>>
  let mails: Awaited<ReturnType<typeof startMailServer>>
  let pushes: Awaited<ReturnType<typeof startPushService>>
  let browser: ReturnType<typeof browserForTests>
  let deps: ChannelDeps
  let subjects: Record<ChannelKind, Subject>

  beforeEach(async () => {
    services = await startServices()
    services.state.secrets = [NEW_SECRET, OLD_SECRET]
    mails = await startMailServer()
    pushes = await startPushService()
    browser = browserForTests(`${pushes.origin}/push/secretOfTheBrowser`)
    const { request } = createOutgoing({
      allowedNetworks: '127.0.0.0/8',
      trustedOrigins: [],
      timeLimit: TIME_LIMIT_MS,
    })
    deps = {
      request,
      requestService: request,
      publicUrl: PUBLIC_URL,
      telegramUrl: services.origin,
      mailer: smtpMailer(mails.address, 'Durable Trader <trader@example.test>'),
      push: pushForTests([pushes.origin, 'http://127.0.0.1:1']),
      now: Date.now,
    }
    subjects = {
      ...httpSubjects(),
      email: {
        settings: { address: 'jane@example.test' },
        asked: null,
        fail: (fault) => (mails.state.fault = fault),
        nowhere: {
          settings: { address: 'jane@example.test' },
          deps: { mailer: smtpMailer('smtp://127.0.0.1:1', 'trader@example.test') },
        },
        read: () => readMail(mails.letters.at(-1)!, LINK),
        ids: () => mails.letters.map((letter) => JSON.stringify(readMail(letter, LINK))),
      },
      push: pushSubject(),
    }
  })
  afterEach(async () => {
    deps.mailer.close()
    mails.stop()
    await Promise.all([services.stop(), pushes.stop()])
  })

  function httpSubjects(): Omit<Record<ChannelKind, Subject>, 'push' | 'email'> {
    const last = (): ServiceRequest => services.received.at(-1)!
    const subject = (
      settingsAt: (origin: string) => object,
      asked: number,
      read: (request: ServiceRequest, link: string) => Shown,
      idOf = ({ body }: ServiceRequest): unknown => body,
    ): Subject => ({
      settings: settingsAt(services.origin),
      asked,
      fail: (fault) => (services.state.fault = fault),
      nowhere: { settings: settingsAt('http://127.0.0.1:1'), deps: { telegramUrl: 'http://127.0.0.1:1' } },
      read: () => readWellFormed(read),
      ids: () => services.received.map((request) => String(idOf(request))),
    })
    const readWellFormed = (read: (request: ServiceRequest, link: string) => Shown): Shown => {
      assert.deepEqual(services.wrong, [])
      return read(last(), LINK)
    }
    return {
      telegram: subject(() => ({ botToken: TOKEN, chatId: '-1000000001' }), 7_000, readTelegram),
      ntfy: subject(
        (origin) => ({ server: `${origin}/`, topic: 'secret-topic', token: 'tk_secretOfNtfy' }),
        5_000,
        readNtfy,
        ({ body }) => (JSON.parse(body) as Record<string, unknown>)['sequence_id'],
      ),
      discord: subject((origin) => ({ url: `${origin}/api/webhooks/12/secretOfDiscord` }), 450, readDiscord),
      slack: subject((origin) => ({ url: `${origin}/services/T1/B2/secretOfSlack` }), 30_000, readSlack),
      webhook: subject(
        (origin) => ({ url: `${origin}/receiver/secretOfHook`, secrets: [NEW_SECRET, OLD_SECRET] }),
        120_000,
        readWebhook,
        ({ headers }) => headers['webhook-id'],
      ),
    }
  }

  function pushSubject(): Subject {
    const answers: Partial<Record<ServiceFault, PushAnswer>> = {
      limited: { status: 429, headers: { 'retry-after': '240' } },
      gone: { status: 410 },
      silent: { status: 302 },
      broken: { status: 503 },
      mute: null,
    }
    const settingsOf = ({ channel }: ReturnType<typeof browserForTests>) => {
      const { endpoint, keys } = channel.settings
      return { endpoint, ...keys, keyId: 'k1' }
    }
    return {
      settings: settingsOf(browser),
      asked: 240_000,
      fail: (fault) => pushes.answers(() => answers[fault]!),
      nowhere: { settings: settingsOf(browserForTests('http://127.0.0.1:1/push/secretEnd')) },
      read() {
        const content = decrypted(pushes.requests.at(-1)!, browser) as unknown as Notice
        assert.deepEqual(Object.keys(content), ['kind', 'title', 'body', 'tag', 'url', 'expiresAt'])
        // A notice of the system gets no markup and makes no links.
        return { title: content.title, body: content.body, acting: [] }
      },
      ids: () => pushes.requests.map(({ headers }) => String(headers['topic'])),
    }
  }

  const send = (
    kind: ChannelKind,
    notice = noticeOf(),
    settings = subjects[kind].settings,
    others: Partial<ChannelDeps> = {},
  ): Promise<Delivery> => deliverTo(kind, settings, notice, { ...deps, ...others })

  const SECRETS = /secret|AAF|jane@|whsec|redacted\]\[/i
  function assertHoldsNoSecret(delivery: Delivery): void {
    assert.ok('reason' in delivery && delivery.reason.length > 5, JSON.stringify(delivery))
    assert.doesNotMatch(delivery.reason, SECRETS)
  }

  for (const kind of CHANNEL_KINDS) {
    it(`the channel ${kind} delivers title and text as they are`, async () => {
      const notice = noticeOf()
      assert.deepEqual(await send(kind, notice), { is: 'taken' })
      const { title, body } = subjects[kind].read()
      assert.deepEqual([title, body], [notice.title, notice.body])
    })

    it(`the channel ${kind} delivers ${kind === 'push' ? 'the short text' : 'the details'} of a notice`, async () => {
      const details = 'Done\nBought 3 AAPL\n\nOpen: nothing'
      await send(kind, noticeOf({ details }))
      assert.equal(subjects[kind].read().body, kind === 'push' ? noticeOf().body : details)
    })

    it(`the channel ${kind} waits as long as its service asks when there are too many messages`, async () => {
      subjects[kind].fail('limited')
      const delivery = await send(kind)
      assertHoldsNoSecret(delivery)
      assert.deepEqual(
        delivery.is === 'failed' && { retryAfter: delivery.retryAfter },
        { retryAfter: subjects[kind].asked },
        JSON.stringify(delivery),
      )
    })

    for (const [fault, is] of [
      ['gone', 'gone'],
      ['silent', 'failed'],
      ['broken', 'failed'],
    ] as const)
      it(`the channel ${kind} reports a service that is ${fault} as ${is}`, async () => {
        subjects[kind].fail(fault)
        const delivery = await send(kind)
        assert.equal(delivery.is, is, JSON.stringify(delivery))
        assertHoldsNoSecret(delivery)
      })

    it(`the channel ${kind} fails when its service does not listen or does not answer`, async () => {
      const { nowhere, fail } = subjects[kind]
      const refused = await send(kind, noticeOf(), nowhere.settings, nowhere.deps)
      fail('mute')
      for (const delivery of [refused, await send(kind)]) {
        assert.equal(delivery.is, 'failed', JSON.stringify(delivery))
        assertHoldsNoSecret(delivery)
      }
    })

    it(`the channel ${kind} sends a second attempt under the identity of the first`, async () => {
      const notice = noticeOf()
      await send(kind, notice)
      await send(kind, notice)
      const [first, second, ...more] = subjects[kind].ids()
      assert.ok(first && first !== 'undefined' && first === second && more.length === 0, `${first} ${second}`)
      await send(kind, { ...noticeOf(), body: 'Another one' })
      assert.notEqual(subjects[kind].ids().at(-1), first)
    })

    it(`the channel ${kind} sends texts of strangers without markup, mentions, links and control characters`, async function () {
      this.timeout(60_000)
      for (const text of HOSTILE)
        for (const details of [null, `${text}\n${text}`]) {
          const delivery = await send(kind, noticeOf({ title: text, body: text, details }))
          assert.deepEqual(
            delivery,
            { is: 'taken' },
            `${services.wrong} ${JSON.stringify(text.slice(0, 90))}`,
          )
          const { title, body, acting } = subjects[kind].read()
          assert.deepEqual(acting, [], text)
          assert.ok(title !== '' && !NOT_PLAIN.test(title), JSON.stringify(title))
          assert.doesNotMatch(body.replaceAll('\n', ''), NOT_PLAIN)
        }
    })
  }

  it('the channel telegram reports the chat into which its group was changed', async () => {
    subjects.telegram.fail('moved')
    assert.deepEqual(
      await send('telegram', noticeOf(), { botToken: TOKEN, chatId: '-1', callbackSecret: 'kept' }),
      { is: 'moved', settings: { botToken: TOKEN, chatId: '-1001234567890', callbackSecret: 'kept' } },
    )
  })

  it('the channel telegram offers a decision by buttons, and a link where https leads to the app', async () => {
    const decides = randomUUID()
    await send('telegram', noticeOf({ decides, title: 'A 😀' }))
    await send('telegram', noticeOf(), undefined, { publicUrl: 'http://127.0.0.1:3000' })
    const [first, second] = services.received.map(telegramMessage)
    assert.deepEqual(first!.reply_markup!.inline_keyboard, [
      [
        { text: 'Open', url: LINK },
        { text: 'Approve', callback_data: `approve:${decides}` },
        { text: 'Reject', callback_data: `decline:${decides}` },
      ],
    ])
    assert.deepEqual(first!.entities, [{ type: 'bold', offset: 0, length: 4 }])
    assert.equal(second!.reply_markup, undefined)
    assert.ok(second!.text.endsWith('\nhttp://127.0.0.1:3000/signals/4'))
  })
})
