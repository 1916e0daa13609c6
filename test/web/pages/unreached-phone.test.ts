import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { browserForTests } from '#test/api/support/push.ts'
import { eventually } from '#test/support/eventually.ts'
import { startPushService, type PushService } from '#test/api/support/push-service.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

describe('a signal whose phone is not reached', function () {
  this.timeout(180_000)
  const app = useApp({ api: { RATE_LIMITS: 'off' } })
  const { waiting } = useSignals(app)
  let apple: PushService
  let telegram: Server
  const messages: string[] = []
  before(async () => {
    apple = await startPushService()
    const take = async (request: IncomingMessage, response: ServerResponse) => {
      messages.push(String((JSON.parse(await text(request)) as { text?: string }).text))
      response.end(JSON.stringify({ ok: true, result: {} }))
    }
    telegram = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1')
    await once(telegram, 'listening')
    await app.stack.parts.api.restart({
      RATE_LIMITS: 'off',
      PUSH_SERVICES: apple.origin,
      TELEGRAM_URL: `http://127.0.0.1:${(telegram.address() as AddressInfo).port}`,
      PUBLIC_URL: app.origin,
    })
    await app.stack.untilReady()
    const person = await app.stack.signIn()
    const channel = { kind: 'telegram', name: 'Bot', urgencies: ['decision', 'outcome'] }
    const settings = { botToken: `123456:${'x'.repeat(35)}`, chatId: '42' }
    for (const body of [browserForTests(`${apple.origin}/phone`).channel, { ...channel, settings }])
      assert.equal((await person.post('/channels', body)).status, 201)
    const choices = (await person.get('/settings/notifications')).body.data
    await person.put('/settings/notifications', { ...choices, filled: true })
  })
  after(async () => {
    telegram?.close()
    await apple?.stop()
  })

  for (const [how, status] of [
    ['does not take', 503],
    ['refuses', 403],
  ] as const)
    it(`a signal whose push service ${how} its notice goes to Telegram, is decided by its link on a phone, and its outcome is notified`, async () => {
      messages.length = 0
      apple.answers(() => ({ status }))
      const { symbol } = await waiting()
      await eventually(() => assert.match(messages.at(-1) ?? '', /needs your approval/), { within: 60_000 })
      const [link] = /http\S+$/.exec(messages.at(-1)!)!
      const page = await app.browse({ width: 390, height: 844 })
      await page.goto(link)
      await app.signInAt(page)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
      await eventually(() => assert.match(messages.at(-1)!, /^Order filled/), { within: 30_000 })
      await page.close()
    })
})
