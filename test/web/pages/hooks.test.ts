import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { forgetProofs, prove } from '../real-money.ts'
import { newSymbol, useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the pages of hooks', function () {
  this.timeout(120_000)
  // A test of these opens more pages in a minute than a person does.
  const app = useApp({ api: { RATE_LIMITS: 'off' } })
  useSignals(app)
  const { heldAtVenue } = tradingOf(app)

  /** What a sender posts to an address, whatever the name under which the service is known. */
  async function post(url: string, message: object | string): Promise<number> {
    const body = typeof message === 'string' ? message : JSON.stringify(message)
    const { pathname } = new URL(url)
    const headers = { 'Content-Type': 'text/plain' }
    return (await fetch(app.origin + pathname, { method: 'POST', headers, body })).status
  }

  /** Makes a hook by the API; resolves with its id and address. */
  async function hook(changes: object = {}): Promise<{ id: string; url: string }> {
    const person = await app.stack.signIn()
    const { status, body } = await person.post('/hooks', {
      name: 'Opening range',
      kind: 'traderspost',
      accountIds: [app.stack.accountId],
      ...changes,
    })
    assert.equal(status, 201, JSON.stringify(body))
    return { id: body.data.hook.id, url: body.data.url }
  }

  it('a hook is made in a few presses, its address is copied, and the first request becomes an order', async () => {
    const symbol = newSymbol()
    const page = await app.signIn()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${app.origin}/set-up/hooks`)
    await page.getByRole('link', { name: 'Create the first hook' }).click()
    await page.getByRole('checkbox', { name: 'Paper account' }).and(page.locator(':checked')).waitFor()
    await page.getByRole('radio', { name: /^TradersPost/ }).check()
    await forgetProofs(app)
    await page.getByRole('button', { name: 'Create the hook' }).click()
    await prove(page, app)
    await page.getByRole('button', { name: 'Copy the address' }).click()
    const url = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(url, await page.getByLabel('Address', { exact: true }).innerText())
    await page.getByText('Waiting for it').waitFor()

    await page.getByLabel('Check it with').fill(symbol)
    await page.getByRole('button', { name: 'Check it' }).click()
    await page.getByText(`Buy 10 ${symbol}, at market`).waitFor()
    assert.equal(await heldAtVenue(symbol), 0, 'nothing is sent by the check')

    assert.equal(await post(url, { ticker: symbol, action: 'buy', quantity: 10 }), 200)
    await page.getByText('It has come').waitFor({ timeout: 15_000 })
    await eventually(async () => assert.equal(await heldAtVenue(symbol), 10), { within: 20_000 })
    await page.getByRole('link', { name: 'See its outcome' }).click()
    await page.getByRole('list', { name: 'For each account' }).getByRole('link', { name: symbol }).click()
    await page.getByRole('heading', { name: `Buy 10 ${symbol}` }).waitFor()
    await page.getByText('hook "TradersPost"').first().waitFor()

    await page.goto(`${app.origin}/set-up/hooks`)
    await page.getByRole('row', { name: 'TradersPost' }).getByText(/ago/).first().waitFor()
    assert.ok(!(await page.content()).includes(url), 'the address is nowhere any more')
  })

  it('a refused request shows its mend, is corrected and tried, and is sent again by hand', async () => {
    const symbol = newSymbol()
    const { id, url } = await hook()
    assert.equal(await post(url, { ticker: symbol, action: '{{strategy.order.action}}', quantity: 3 }), 400)
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/hooks/${id}`)
    const row = page.getByRole('row', { name: symbol })
    await row.getByText('refused').waitFor()
    await row.getByRole('link', { name: symbol }).click()
    await page.getByText(/TradingView did not fill in/).waitFor()
    const body = page.getByLabel('As received, without keys and secrets')
    await body.fill(JSON.stringify({ ticker: symbol, action: 'buy', quantity: 3 }))
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText(`Buy 3 ${symbol}, at market`).waitFor()
    assert.equal(await heldAtVenue(symbol), 0)
    await page.getByRole('button', { name: 'Send it corrected…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send it' }).click()
    await page.getByText('sent again by you').waitFor()
    await eventually(async () => assert.equal(await heldAtVenue(symbol), 3), { within: 20_000 })
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByLabel('Outcome').selectOption('refused')
    await row.filter({ hasText: 'accepted' }).waitFor({ state: 'detached' })
    await row.getByText('refused').waitFor()
  })

  it('the page of a strategy says why nothing was traded today, and leads to the message and the signal', async () => {
    const person = await app.stack.signIn()
    const made = await person.post('/strategies', { name: 'Gap fade' })
    const strategyId: string = made.body.data.id
    const symbol = newSymbol()
    const { url } = await hook({ name: 'Gaps', strategyId, executeMode: 'pending' })
    const page = await app.signIn({ width: 390, height: 844, theme: 'dark' })
    await page.goto(`${app.origin}/strategies/${strategyId}`)
    await page.getByRole('heading', { name: 'No signal received today has filled' }).waitFor()
    const reasons = page.getByRole('list', { name: 'Why no order came, or not all' })
    await reasons.getByText('Gaps: no message came today; none ever did.').waitFor()
    assert.equal(await post(url, { ticker: symbol, action: '{{strategy.order.action}}', quantity: 3 }), 400)
    assert.equal(await post(url, { ticker: symbol, action: 'buy', quantity: 3 }), 200)
    await page.reload()
    await reasons.getByText(`${symbol} needs approval`).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await reasons.getByRole('link', { name: /Gaps: .*TradingView did not fill in/ }).tap()
    await page.getByRole('heading', { name: 'Outcome' }).waitFor()
    await page.goBack()
    await reasons.getByRole('link', { name: new RegExp(`${symbol} needs approval`) }).tap()
    await page.getByText(symbol).first().waitFor()
    await person.patch(`/strategies/${strategyId}`, { status: 'paused' })
    await page.goto(`${app.origin}/strategies/${strategyId}`)
    await reasons.getByText('The strategy is paused').waitFor()
  })
})
