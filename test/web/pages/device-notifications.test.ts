import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import type { PushPayload } from '#web/service-worker/notices.ts'
import type { Page } from 'playwright-core'
import { startPushService, type PushService } from '../../api/support/push-service.ts'
import { useApp } from '../browser.ts'
import { usePush } from '../push-browser.ts'
import { useSignals } from '../signals.ts'

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
  afterEach(() => app.stack.query('delete from channels'))

  const waitsAs = (id: string): PushPayload => ({
    kind: 'waiting',
    title: 'A signal needs your approval',
    body: 'Open it to decide.',
    tag: `signal-${id}`,
    url: `/approvals?signal=${id}`,
    expiresAt: null,
  })
  /** The message that the service has sent of a signal. */
  const told = (messages: () => Record<string, unknown>[], kind: PushPayload['kind'], id: string) =>
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
    await page.getByText('No channel yet').waitFor()
    assert.equal(await page.evaluate('globalThis.permissionsAsked'), 0)
    await page.getByLabel('Name of this device').fill('The desk')
    await page.getByRole('button', { name: 'Turn on notifications' }).click()
    await page.getByText('On.', { exact: true }).waitFor()
    const device = page.getByRole('list', { name: 'Channels' }).getByRole('listitem')
    await device.filter({ hasText: 'The desk' }).getByText('this device').waitFor()
    await page.getByRole('button', { name: 'Test The desk' }).click()
    await page.getByText('A test message was sent. It takes a few seconds.').waitFor()
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
    await page.getByText('No channel yet').waitFor()
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
          title: 'A signal needs your approval',
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

  it('the open app counts what waits in the title of the tab, and plays what was chosen once for all its tabs', async () => {
    const page = await app.browse()
    await page.context().addInitScript(`globalThis.tones = 0
      const start = OscillatorNode.prototype.start
      OscillatorNode.prototype.start = function (when) { globalThis.tones++; return start.call(this, when) }`)
    await page.goto(`${app.origin}/settings/notifications`)
    await app.signInAt(page)
    const tones = (of: Page) => of.evaluate<number>('globalThis.tones')
    await page.getByRole('button', { name: 'Try it: A signal needs approval' }).click()
    await eventually(async () => assert.equal(await tones(page), 2))
    await page.getByRole('checkbox', { name: 'A signal needs approval' }).check()
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
    assert.ok(await page.getByRole('checkbox', { name: 'A signal needs approval' }).isChecked())
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

  it('notifications of the web app are subscribed again when the service has another key, under the same name', async () => {
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
})
