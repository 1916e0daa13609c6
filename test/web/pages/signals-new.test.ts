import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { useApp } from '../browser.ts'
import { forgetProofs, prove, realMoney } from '../real-money.ts'
import { newSymbol, useSignals } from '../signals.ts'

describe('a signal that is written in the web application', function () {
  this.timeout(60_000)
  const app = useApp({ api: { LIVE_TRADING: 'enabled' }, worker: { LIVE_TRADING: 'enabled' } })
  const signals = useSignals(app)

  const open = async (page: Page, search = ''): Promise<void> => {
    await page.goto(`${app.origin}/signals/new${search}`)
    await page.getByRole('form', { name: 'New signal' }).waitFor()
  }
  const fill = async (page: Page, symbol: string, quantity: string): Promise<void> => {
    await page.getByLabel('Symbol').fill(symbol)
    await page.getByLabel('Quantity').fill(quantity)
  }
  const send = (page: Page) => page.getByRole('button', { name: /^Send signal/ })
  const ready = (page: Page) => page.getByRole('button', { name: /^Send signal/, disabled: false })
  const outcome = (page: Page) => page.getByRole('complementary', { name: 'What it does' })
  /** The service's list of a symbol's signals. */
  const listOf = async (symbol: string) =>
    (await app.stack.api.get(`/signals?symbol=${symbol}`)).body.data.signals

  it('shows each fault at its field while it is typed, and the outcome once there is none', async () => {
    const page = await app.signIn()
    const symbol = newSymbol()
    await open(page)
    await fill(page, symbol, 'ten')
    const quantity = page.getByRole('textbox', { name: 'Quantity' })
    await page.getByText('It would be refused as it stands').waitFor()
    assert.equal(await quantity.getAttribute('aria-invalid'), 'true')
    assert.ok(await send(page).isDisabled())
    await quantity.fill('10')
    await page.getByText(`Buy 10 ${symbol}, at market, time in force: Day`).waitFor()
    assert.equal(await quantity.getAttribute('aria-invalid'), 'false')
    await page.getByLabel('Order', { exact: true }).selectOption('limit')
    const limit = page.getByRole('textbox', { name: 'Limit, $ a share' })
    await page.locator('[name=limitPrice][aria-invalid=true]').waitFor()
    await limit.fill('999999')
    await page
      .getByText(/lies [\d.]+ % from the last price/)
      .first()
      .waitFor()
    await page.getByText(/\d fails?( |$)/).waitFor()
    await limit.fill(String(await signals.priceOf(symbol)))
    await ready(page).waitFor()
    await page.getByLabel('When to leave').selectOption('atClockTime')
    await page.getByText('The exit is sent').waitFor()
    await page.getByLabel('When', { exact: true }).selectOption('scheduled')
    await page.locator('[name=scheduledProcessAt][aria-invalid=true]').waitFor()
    await page.getByLabel('Sent at').fill('2020-01-02T10:00')
    await page.getByText('scheduledProcessAt must be in the future').first().waitFor()
    assert.deepEqual(await listOf(symbol), [])
  })

  it('shows the answer to the last input, in whatever order the answers come', async () => {
    const page = await app.signIn()
    const symbol = newSymbol()
    await open(page)
    let letGo: () => void = () => undefined
    const isLate = new Promise<void>((resolve) => (letGo = resolve))
    await page.route('**/api/v1/signals', async (route) => {
      if (route.request().postDataJSON().quantity === 1) await isLate
      await route.continue()
    })
    const first = page.waitForRequest((request) => request.method() === 'POST')
    await fill(page, symbol, '1')
    await first
    await page.getByLabel('Quantity').fill('2')
    await page.getByText(`Buy 2 ${symbol}`).waitFor()
    const answered = page.waitForResponse((answer) => answer.request().postDataJSON()?.quantity === 1)
    letGo()
    await answered
    assert.equal(await page.getByText(`Buy 1 ${symbol}`).count(), 0)
    await page.getByText(`Buy 2 ${symbol}`).waitFor()
  })

  it('a signal that is written in the web application is sent once, and its outcome leads to its story', async () => {
    const page = await app.signIn({ width: 390, height: 844 })
    const symbol = newSymbol()
    await open(page)
    await fill(page, symbol, '3')
    await page.getByLabel('When to leave').selectOption('minutesAfterEntry')
    await page.getByLabel('Minutes', { exact: true }).fill('30')
    await ready(page).waitFor()
    await send(page).dblclick()
    await outcome(page).getByText('The broker accepted the order').waitFor()
    await outcome(page).getByText('exit planned').waitFor()
    const [signal, ...others] = await listOf(symbol)
    assert.equal(others.length, 0)
    assert.deepEqual(
      [signal.quantity, signal.sourceId.slice(0, 4), signal.exitRule.triggerMinutes, signal.sentBy],
      [3, 'web-', 30, app.stack.person.email],
    )
    await page.getByRole('link', { name: 'Open its story' }).click()
    await page.getByRole('heading', { name: `Buy 3 ${symbol}` }).waitFor()
  })

  it('becomes one order however often it is sent after its answer was lost', async () => {
    const page = await app.signIn()
    const symbol = newSymbol()
    await open(page)
    await fill(page, symbol, '4')
    await ready(page).waitFor()
    await page.route('**/api/v1/signals', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await send(page).click()
    await page.getByText('It is not known whether it was taken').waitFor()
    await page.unroute('**/api/v1/signals')
    await page.getByRole('button', { name: 'Send it again' }).click()
    await outcome(page)
      .getByText(/exists already/)
      .waitFor()
    assert.equal((await listOf(symbol)).length, 1)
    const { orders } = await app.stack.venue.ledger()
    assert.equal(orders.filter((order) => order.symbol === symbol).length, 1)
  })

  it('a signal that is written in the web application is told to have been refused where the rules deny it after all, with its story', async () => {
    const page = await app.signIn()
    const symbol = newSymbol()
    await open(page)
    await fill(page, symbol, '5')
    await ready(page).waitFor()
    await page.route('**/api/v1/signals', async (route) => {
      const body = route.request().postDataJSON()
      // What is allowed when it is checked may not be when it is sent.
      if (body.dryRun !== true) body.quantity = 100_000_000
      await route.continue({ postData: JSON.stringify(body) })
    })
    await send(page).click()
    await page.getByRole('heading', { name: 'Sent, and refused' }).waitFor()
    await page
      .getByRole('alert')
      .getByText(/the limit is 100,000 shares/)
      .waitFor()
    await page.getByRole('link', { name: 'Open its story' }).click()
    await page.getByRole('list', { name: 'Steps' }).getByText('Rejected').waitFor()
  })

  it('a signal that is written in the web application is filled from one that was sent before, for a paper account and under a name of its own', async () => {
    const page = await app.signIn()
    const before = await signals.waiting({
      quantity: 7,
      orderType: 'limit',
      limitPrice: 20,
      sourceId: `before-${newSymbol()}`,
      exitTriggerType: 'minutesBeforeClose',
      exitTriggerMinutes: 20,
      metadata: { note: 'earnings' },
    })
    await page.goto(`${app.origin}/signals/${before.id}`)
    await page.getByRole('link', { name: 'Send again on paper' }).click()
    await page.getByText(/^Filled from a signal that was sent before/).waitFor()
    const body = JSON.parse((await page.getByRole('region', { name: 'JSON' }).textContent()) ?? '')
    const { sourceId, ...others } = body
    assert.match(sourceId, /^web-/)
    assert.deepEqual(others, {
      symbol: before.symbol,
      action: 'openLong',
      accountId: app.stack.accountId,
      quantity: 7,
      executeMode: 'pending',
      orderType: 'limit',
      limitPrice: 20,
      exitTriggerType: 'minutesBeforeClose',
      exitTriggerMinutes: 20,
      metadata: { note: 'earnings' },
    })
    await ready(page).waitFor({ timeout: 30_000 })
    await send(page).click()
    await outcome(page).getByRole('heading', { name: 'Sent', exact: true }).waitFor()
    await outcome(page).getByText('It stands: needs approval').waitFor()
    assert.equal((await listOf(before.symbol)).length, 2)
  })

  it('a signal that is written in the web application is shown for programs, and that command line and that alert are taken by the service', async () => {
    const page = await app.signIn()
    const symbol = newSymbol()
    await open(page)
    await fill(page, symbol, '6')
    await ready(page).waitFor()
    const textOf = async (form: string): Promise<string> => {
      await page.getByRole('radio', { name: form, exact: true }).check()
      return (await page.getByRole('region', { name: form, exact: true }).textContent()) ?? ''
    }
    const curl = await textOf('curl')
    assert.ok(curl.includes(`${app.origin}/api/v1/signals`), curl)
    const alert = (await textOf('TradingView'))
      .replaceAll('{{ticker}}', symbol)
      .replaceAll('{{interval}}', '5')
      .replaceAll('{{timenow}}', '2026-03-02T15:00:00Z')
    for (const expected of [201, 200]) {
      const { status } = await app.stack.api.post('/signals', JSON.parse(alert))
      assert.equal(status, expected)
    }
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy TradingView' }).click()
    await page.getByText('Copied').waitFor()
    assert.ok((await page.evaluate<string>('navigator.clipboard.readText()')).includes('{{ticker}}'))
  })

  it('asks for a fresh proof before real money is spent, not while it is checked, and is then sent once', async () => {
    await realMoney(app, async () => {
      const page = await app.signIn()
      const symbol = newSymbol()
      const names: unknown[] = []
      page.on('request', (request) => {
        if (request.method() !== 'POST' || !request.url().endsWith('/api/v1/signals')) return
        const { dryRun, sourceId } = request.postDataJSON()
        if (dryRun !== true) names.push(sourceId)
      })
      await forgetProofs(app)
      await open(page)
      await page.getByLabel('Account').selectOption(app.stack.accountId)
      await fill(page, symbol, '2')
      await ready(page).waitFor()
      assert.equal(await page.getByRole('alertdialog', { name: 'Is it you?' }).count(), 0)
      const confirmed = async (): Promise<void> => {
        await send(page).click()
        await page.getByRole('button', { name: 'Send with real money' }).click()
      }
      await confirmed()
      const proof = page.getByRole('alertdialog', { name: 'Is it you?' })
      await proof.getByRole('button', { name: 'Go back' }).click()
      await outcome(page).getByText('Nothing was done: you did not confirm.').waitFor()
      assert.deepEqual(await listOf(symbol), [])

      await confirmed()
      await prove(page, app)
      await outcome(page).getByText('The broker accepted the order').waitFor()
      assert.equal(names.length, 3)
      assert.equal(new Set(names).size, 1, 'it is sent again by another name')
      assert.equal((await listOf(symbol)).length, 1)
      const { orders } = await app.stack.venue.ledger()
      assert.equal(orders.filter((order) => order.symbol === symbol).length, 1)
    })
  })
})
