import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { eventually } from '#test/support/eventually.ts'
import { raiseAlert } from '../alerts.ts'
import { assertFits, useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

describe('the channels of the web app', function () {
  this.timeout(120_000)
  const app = useApp({ api: { RATE_LIMITS: 'off', OUTGOING_NETWORKS: '127.0.0.0/8' } })
  const { waiting } = useSignals(app)
  /** An ntfy server and the receiver of a webhook. */
  let service: Server
  let origin: string
  let status = 200
  const received: { body: Record<string, unknown>; isSigned: boolean }[] = []
  before(async () => {
    const receive = async (request: IncomingMessage, response: ServerResponse) => {
      const body = JSON.parse(await text(request)) as Record<string, unknown>
      received.push({ body, isSigned: 'webhook-signature' in request.headers })
      response.writeHead(status).end(JSON.stringify({ id: 'm1' }))
    }
    service = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
    await once(service, 'listening')
    origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  })
  after(() => service.close())
  beforeEach(() => {
    status = 200
    received.length = 0
  })
  afterEach(() => app.stack.query('delete from channels'))

  async function open(width = 390) {
    const page = await app.browse({ width, height: 844 })
    await page.goto(`${app.origin}/settings/notifications`)
    await app.signInAt(page)
    const add = async (kind: string, settings: Record<string, string>) => {
      await page.getByRole('button', { name: 'Add a channel' }).click()
      await page.getByLabel('Kind').selectOption(kind)
      for (const [label, value] of Object.entries(settings)) await page.getByLabel(label).fill(value)
      await page.getByRole('button', { name: 'Add it' }).click()
    }
    const item = (name: string) =>
      page.getByRole('list', { name: 'Channels' }).getByRole('listitem').filter({ hasText: name })
    const choose = async (name: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    return { page, add, item, choose }
  }

  it('the channels of the web app are added with the faults at their fields, tested, and show since when they refuse', async () => {
    const { page, add, item, choose } = await open()
    await page.getByText('No channel yet').waitFor()
    await page.getByText('Nothing yet').waitFor()
    await add('ntfy', { Server: 'ftp://nowhere', 'Name (optional)': 'Phone' })
    await page.getByText('Must be an address such as https://example.com').waitFor()
    assert.match(await page.getByLabel('Topic', { exact: true }).inputValue(), /^trader-[0-9a-f]{32}$/)
    await page.getByLabel('Topic', { exact: true }).fill('desk')
    await page.getByLabel('Server').fill(origin)
    await assertFits(page, 'the form of a channel', [390, 320])
    await page.getByRole('button', { name: 'Add it' }).click()
    await item('Phone').getByText('Nothing sent yet').waitFor()
    await page.getByRole('button', { name: 'Test Phone' }).click()
    await item('Phone').getByText('A test message was sent. It takes a few seconds.').waitFor()
    await item('Phone')
      .getByText(/^Last sent /)
      .waitFor()
    assert.deepEqual(
      received.map(({ body }) => [body['topic'], body['title']]),
      [['desk', 'Notifications arrive']],
    )

    await raiseAlert(app, 'untrusted_message', { message: 'A message was dropped' })
    const sent = page.getByRole('list', { name: 'What was sent' }).getByRole('listitem')
    await sent
      .filter({ hasText: 'An alert' })
      .filter({ hasText: 'Phone' })
      .getByText('sent')
      .waitFor({ timeout: 20_000 })

    status = 403
    await page.getByRole('button', { name: 'Test Phone' }).click()
    await item('Phone').getByText('Not sent: the ntfy server answered 403.').waitFor()
    await item('Phone')
      .getByText(/^Refuses messages since .*\(the ntfy server answered 403\)$/)
      .waitFor()
    await waiting()
    await sent.filter({ hasText: 'A signal to approve' }).getByText('refused').waitFor({ timeout: 20_000 })

    await choose('Phone', 'What it is sent…')
    await page.getByRole('checkbox', { name: 'Approvals' }).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await item('Phone')
      .getByText(/· alarms$/)
      .waitFor()
    status = 410
    await page.getByRole('button', { name: 'Test Phone' }).click()
    await item('Phone')
      .getByText(/^Paused since /)
      .waitFor()
    await page.getByRole('button', { name: 'Resume Phone' }).click()
    await item('Phone').getByText('Resumed.').waitFor()
    await assertFits(page, 'the channels')
    await choose('Phone', 'Remove…')
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('Phone: Removed.').waitFor()
    await page.getByText('No channel yet').waitFor()
  })

  it('the secret of a webhook is shown once, and its events are sent again', async () => {
    const { page, add, item, choose } = await open(1440)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await add('webhook', { Address: `${origin}/events`, 'Name (optional)': 'Journal' })
    await page.getByRole('button', { name: 'Copy the secret' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).innerText()
    assert.match(secret, /^whsec_/)
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await item('Journal')
      .getByText(/events: signals, approvals, orders, fills, trades, exits, alerts, halts/)
      .waitFor()
    await page.reload()
    await item('Journal').waitFor()
    assert.ok(!(await page.content()).includes(secret), 'the secret is shown only once')

    await choose('Journal', 'New secret…')
    await page.getByRole('button', { name: 'Create it' }).click()
    assert.notEqual(await page.getByLabel('Secret', { exact: true }).innerText(), secret)
    await page.getByRole('button', { name: 'I have stored it' }).click()

    await waiting()
    await eventually(() => assert.ok(received.some(({ isSigned }) => isSigned)), { within: 20_000 })
    const before = received.length
    await choose('Journal', 'Send again since…')
    await page.getByRole('button', { name: 'Send again' }).click()
    await item('Journal')
      .getByText(/^Events sent again: [1-9]/)
      .waitFor()
    await eventually(() => assert.ok(received.length > before), { within: 20_000 })
  })

  it('quiet hours are turned on in the zone of the browser, changed, and turned off', async () => {
    const { page } = await open()
    const isOn = page.getByRole('checkbox', { name: 'Quiet hours' })
    await isOn.click()
    await page.getByText('Quiet hours: saved').waitFor()
    assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Berlin')
    await page.getByLabel('Until').fill('22:00')
    await page.getByRole('button', { name: 'Save the hours' }).click()
    await page.getByText('must be another time than the beginning').waitFor()
    await page.getByLabel('Until').fill('06:30')
    await page.getByRole('button', { name: 'Save the hours' }).click()
    const stored = () =>
      app.stack.query('select quiet_from, quiet_until, quiet_zone from notification_choices')
    await eventually(async () =>
      assert.deepEqual(await stored(), [
        { quiet_from: '22:00:00', quiet_until: '06:30:00', quiet_zone: 'Europe/Berlin' },
      ]),
    )
    await isOn.click()
    await eventually(async () =>
      assert.deepEqual(await stored(), [{ quiet_from: null, quiet_until: null, quiet_zone: null }]),
    )
  })
})
