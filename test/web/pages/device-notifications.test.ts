import assert from 'node:assert/strict'
import type { PushContent } from '#api/push/message.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Page } from 'playwright-core'
import { startPushService, type PushService } from '../../api/support/push-service.ts'
import { accessibilityFaults, useApp, type Device } from '../browser.ts'
import { usePush } from '../push-browser.ts'
import { newSymbol, useSignals } from '../signals.ts'

describe('notifications of the web app', function () {
  this.timeout(90_000)
  const app = useApp()
  const { waiting, recordOf } = useSignals(app)
  let pushService: PushService
  const { openNotifications, turnedOn, deliver, shown, press, keyOf, known } = usePush(app, () => pushService)
  before(async () => {
    pushService = await startPushService()
    await app.stack.parts.api.restart({ PUSH_SERVICES: pushService.origin })
  })
  after(() => pushService.stop())
  afterEach(() => app.stack.query('delete from push_subscriptions'))

  const waitsAs = (id: string): PushContent => ({
    kind: 'waiting',
    title: 'A signal waits for you',
    body: 'Open it to decide.',
    tag: `signal-${id}`,
    url: `/approvals?signal=${id}`,
    expiresAt: null,
  })
  /** The message that the service has sent of a signal. */
  const told = (messages: () => Record<string, unknown>[], kind: PushContent['kind'], id: string) =>
    eventually(() => {
      const found = messages().find((each) => each['kind'] === kind && each['tag'] === `signal-${id}`)
      assert.ok(found, `${kind} is told`)
      return found
    })

  async function rejectElsewhere(id: string): Promise<void> {
    const person = await app.stack.signIn()
    assert.equal((await person.post(`/signals/${id}/reject`, {})).status, 200)
  }

  it('notifications of the web app are turned on by one press, arrive, and are turned off by another', async () => {
    const { page, messages } = await openNotifications()
    await page.getByText('No device yet').waitFor()
    assert.equal(await page.evaluate('globalThis.permissionsAsked'), 0)
    await page.getByLabel('Name of this device').fill('The desk')
    await page.getByRole('button', { name: 'Turn on notifications' }).click()
    await page.getByText('On.', { exact: true }).waitFor()
    const device = page.getByRole('list', { name: 'Devices' }).getByRole('listitem')
    await device.filter({ hasText: 'The desk' }).getByText('this device').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('1 message sent. It takes a few seconds.').waitFor()
    await device.getByText(/^Last sent /).waitFor()
    const [test] = messages()
    assert.ok(test)
    await deliver(page, test)
    await eventually(async () =>
      assert.deepEqual(
        (await shown(page)).map(({ title, tag }) => [title, tag]),
        [['Notifications arrive', 'test']],
      ),
    )
    await page.getByRole('button', { name: 'Turn off on this device' }).click()
    await page.getByText('Off.', { exact: true }).waitFor()
    await page.getByText('No device yet').waitFor()
    assert.deepEqual([await keyOf(page), await shown(page), await known()], [null, [], []])
  })

  it('notifications of the web app of a signal lead the open tab to its card, approve nothing, and go when it is settled', async () => {
    const { page, messages } = await turnedOn()
    const [{ id, symbol }, other] = [await waiting(), await waiting()]
    await page.evaluate('globalThis.isSamePage = true')
    await deliver(page, await told(messages, 'waiting', id))
    await eventually(async () =>
      assert.deepEqual(await shown(page), [
        {
          title: 'A signal waits for you',
          body: 'Open it to decide.',
          tag: `signal-${id}`,
          actions: 0,
        },
      ]),
    )
    await press(page, `signal-${id}`)
    await page.getByRole('heading', { name: symbol }).waitFor()
    assert.equal(new URL(page.url()).search, `?signal=${id}`)
    assert.equal(await page.evaluate('globalThis.isSamePage'), true)
    assert.equal((await recordOf(id)).status, 'pending')
    assert.deepEqual(await shown(page), [])
    await deliver(page, await told(messages, 'waiting', other.id))
    await eventually(async () => assert.equal((await shown(page)).length, 1))
    await rejectElsewhere(other.id)
    await deliver(page, await told(messages, 'settled', other.id))
    await eventually(async () => assert.deepEqual(await shown(page), []))
  })

  it('notifications of the web app tell of a fill and of the result, where that was chosen, and lead to the signal', async () => {
    const { page, messages } = await turnedOn()
    for (const choice of ['Fills', 'Closed positions', 'Figures on the lock screen']) {
      await page.getByLabel(choice).click()
      await page.getByText(`${choice}: saved`).waitFor()
    }
    const symbol = newSymbol()
    const { status, body } = await app.stack.api.post('/signals', {
      symbol,
      action: 'openLong',
      accountId: app.stack.accountId,
      quantity: 10,
      executeMode: 'immediate',
      exitTriggerType: 'immediate',
    })
    assert.ok(status < 300, JSON.stringify(body))
    const { id } = body.signal
    const outcome = (kind: PushContent['kind']) =>
      eventually(
        () => {
          const found = messages().find((each) => each['tag'] === `${kind}-${id}`)
          assert.ok(found, `${kind} is told`)
          return found
        },
        { within: 40_000 },
      )
    const filled = await outcome('filled')
    assert.match(String(filled['body']), new RegExp(`^Bought 10 ${symbol} at \\$`))
    const closed = await outcome('closed')
    assert.match(String(closed['body']), new RegExp(`^${symbol}: [+−]\\$[\\d.,]+$`))
    await deliver(page, closed)
    await eventually(async () =>
      assert.deepEqual(
        (await shown(page)).map(({ title }) => title),
        ['Position closed'],
      ),
    )
    await press(page, `closed-${id}`)
    await page.waitForURL(`${app.origin}/signals/${id}`)
    await app.stack.query('delete from notification_choices')
  })

  it('the open app counts what waits in the title of the tab, and plays what was chosen once for all its tabs', async () => {
    const page = await app.browse()
    await page.context().addInitScript(`globalThis.tones = 0
      const start = OscillatorNode.prototype.start
      OscillatorNode.prototype.start = function (when) { globalThis.tones++; return start.call(this, when) }`)
    await page.goto(`${app.origin}/settings/notifications`)
    await app.signInAt(page)
    const tones = (of: Page) => of.evaluate<number>('globalThis.tones')
    await page.getByRole('button', { name: 'Try it: A signal waits' }).click()
    await eventually(async () => assert.equal(await tones(page), 2))
    await page.getByRole('checkbox', { name: 'A signal waits' }).check()
    const other = await page.context().newPage()
    await other.goto(`${app.origin}/positions`)
    await other.getByRole('heading', { name: 'Positions', level: 1 }).click()
    await waiting()
    await eventually(async () => {
      assert.equal(await other.title(), '(1) Positions · Durable Trader')
      assert.equal(await page.title(), '(1) Notifications · Durable Trader')
    })
    await eventually(async () => assert.equal(await tones(page), 4))
    assert.equal(await tones(other), 0)
    await page.reload()
    assert.ok(await page.getByRole('checkbox', { name: 'A signal waits' }).isChecked())
  })

  it('notifications of the web app of a signal that was decided meanwhile lead to what came of it, and to no other card', async () => {
    const { page } = await turnedOn()
    const [decided, other] = [await waiting(), await waiting()]
    await deliver(page, waitsAs(decided.id))
    await eventually(async () => assert.equal((await shown(page)).length, 1))
    await rejectElsewhere(decided.id)
    await press(page, `signal-${decided.id}`)
    await page.getByText('It was decided elsewhere.').waitFor()
    assert.equal(new URL(page.url()).search, `?signal=${decided.id}`)
    assert.equal(await page.getByRole('heading', { name: other.symbol }).count(), 0)
  })

  it('end with the sign-out: the device shows nothing of the former user any more', async () => {
    const { page } = await turnedOn()
    await deliver(page, waitsAs('2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'))
    await eventually(async () => assert.equal((await shown(page)).length, 1))
    await page.goto(`${app.origin}/settings`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await eventually(async () =>
      assert.deepEqual([await keyOf(page), await shown(page), await known()], [null, [], []]),
    )
  })

  it('end on this device when its session was ended elsewhere', async () => {
    const { page } = await turnedOn()
    await app.stack.query('update sessions set ended_at = now() where ended_at is null')
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await eventually(async () => assert.equal(await keyOf(page), null))
  })

  it('notifications of the web app are subscribed anew when the service has another key, under the same name', async () => {
    const { page } = await turnedOn()
    const [right, [device]] = [await keyOf(page), await known()]
    assert.equal(right?.length, 65)
    await page.evaluate(`const kept = JSON.parse(localStorage.getItem('subscription-of-the-test'))
      localStorage.setItem('subscription-of-the-test', JSON.stringify({ ...kept, key: [4, 1, 2] }))`)
    await page.reload()
    await eventually(async () => assert.deepEqual(await keyOf(page), right))
    await eventually(async () => assert.deepEqual(await known(), [device]))
    await page.getByText('On.', { exact: true }).waitFor()
  })

  it('notifications of the web app are removed from another device by its name, and stay off there', async () => {
    const { page } = await turnedOn()
    const there = await openNotifications({ width: 390, height: 844 })
    await there.page.getByRole('button', { name: /^Remove / }).click()
    await there.page.getByText('No device yet').waitFor()
    await page.reload()
    await page.getByText('Off.', { exact: true }).waitFor()
    assert.deepEqual(await known(), [])
  })

  it('tell what was chosen, which is kept at once', async () => {
    const { page } = await openNotifications()
    const figures = page.getByLabel('Figures on the lock screen')
    assert.deepEqual(
      [await page.getByLabel('Signals that wait').isChecked(), await figures.isChecked()],
      [true, false],
    )
    await figures.click()
    await page.getByText('Figures on the lock screen: saved').waitFor()
    await page.reload()
    await eventually(async () => assert.ok(await figures.isChecked()))
    await figures.click()
    await page.getByText('Figures on the lock screen: saved').waitFor()
    await page.context().setOffline(true)
    await page.getByText(/^No connection since/).waitFor()
    assert.ok(await figures.isDisabled())
    assert.ok(await page.getByRole('button', { name: 'Turn on notifications' }).isDisabled())
  })

  it('say how the device stands before the worker of the app is there', async () => {
    const page = await app.browse({ hasWorker: true, mayNotify: true })
    await page.addInitScript('navigator.serviceWorker.register = () => new Promise(() => {})')
    await page.goto(`${app.origin}/settings/notifications`)
    await app.signInAt(page)
    await page.getByText('Off.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Turn on notifications' }).waitFor()
  })

  const OBSTACLES: [name: string, words: RegExp, device: Device, script: string][] = [
    ['the browser blocks them', /blocks notifications of this app/, { mayNotify: false }, ''],
    [
      'an iPhone has not added the app to its home screen',
      /First add the app to the home screen/,
      {},
      `Object.defineProperty(navigator, 'userAgent', { value: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' })`,
    ],
  ]
  for (const [name, words, device, script] of OBSTACLES)
    it(`say why there are none and what to do when ${name}`, async () => {
      const page = await app.browse({ hasWorker: true, mayNotify: true, width: 390, height: 844, ...device })
      await page.addInitScript(script)
      await page.goto(`${app.origin}/settings/notifications`)
      await app.signInAt(page)
      await page.getByText(words).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Turn on notifications' }).count(), 0)
      assert.deepEqual(await accessibilityFaults(page), [])
    })
})
