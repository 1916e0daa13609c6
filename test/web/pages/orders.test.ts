import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { forgetProofs, prove, realMoney } from '../real-money.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the pages of orders', function () {
  this.timeout(60_000)
  const app = useApp({ api: { LIVE_TRADING: 'enabled' }, worker: { LIVE_TRADING: 'enabled' } })
  const { resting, heldAtVenue } = tradingOf(app)

  const ordersOf = async (symbol: string) => {
    const { orders } = await app.stack.venue.ledger()
    return orders.filter((order) => order.symbol === symbol)
  }

  const shares = (page: Page) => page.getByRole('textbox', { name: 'Shares' })
  /** A part of the form that is folded away. */
  const section = (page: Page, name: string) => page.locator('summary').filter({ hasText: name })

  it('place an order that is asked about first, and show it', async () => {
    const symbol = newSymbol()
    const page = await app.signIn()
    await page.goto(`${app.origin}/orders/new?symbol=${symbol}`)
    await shares(page).fill('7')
    await page.getByRole('button', { name: `Buy ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog', { name: `Buy 7 ${symbol} at market?` })
    await sheet.getByText(/^Costs about \$[\d,.]+, before fees\.$/).waitFor()
    await sheet.getByText(`${symbol}: nothing → 7 long.`).waitFor()
    assert.deepEqual(await sheet.getByRole('button').allTextContents(), ['Go back', 'Buy'])
    assert.deepEqual(await ordersOf(symbol), [], 'nothing is sent before it is confirmed')
    await sheet.getByRole('button', { name: 'Buy', exact: true }).click()
    await sheet.getByRole('link', { name: 'Show the order' }).click()
    await page.getByRole('heading', { name: `Buy 7 ${symbol}` }).waitFor()
    await page.getByText('filled', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Its signal' }).click()
    await page.getByRole('list', { name: 'Steps' }).getByText('7 at $').waitFor()
    await page
      .getByRole('list', { name: 'Steps' })
      .getByText(/^Filled/)
      .waitFor()
    assert.equal(await heldAtVenue(symbol), 7)
    assert.equal((await ordersOf(symbol)).length, 1)
  })

  it('place an order that waits for an approval, with a stop, as a signal of its person', async () => {
    const symbol = newSymbol()
    const page = await app.signIn({ width: 390, height: 844, theme: 'dark' })
    await page.goto(`${app.origin}/orders/new?symbol=${symbol}`)
    await shares(page).fill('4')
    await section(page, 'When').tap()
    await page.getByText('After approval', { exact: true }).tap()
    await section(page, 'Exit').tap()
    await page.getByLabel('Stop loss: how it is said').selectOption('percent')
    await page.getByLabel('Stop loss', { exact: true }).fill('3')
    await page.getByText('Sent once it is approved').waitFor()
    await page.getByRole('button', { name: `Buy ${symbol}…` }).tap()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText('It needs approval before it is sent.').waitFor()
    await sheet.getByRole('button', { name: 'Buy', exact: true }).tap()
    await sheet.getByRole('link', { name: 'Show the signal' }).tap()
    await page.getByRole('heading', { name: `Buy 4 ${symbol}` }).waitFor()
    assert.deepEqual(await ordersOf(symbol), [])
    const { body } = await app.stack.api.get(`/signals?symbol=${symbol}`)
    const [{ id, status }] = body.data.signals
    assert.equal(status, 'pending')
    const person = await app.stack.signIn()
    assert.equal((await person.post(`/signals/${id}/process`, {})).status, 200)
    await eventually(
      async () =>
        assert.deepEqual(
          (await ordersOf(symbol)).map(({ type, qty }) => `${type} ${qty}`),
          ['market 4', 'stop 4'],
        ),
      { within: 20_000 },
    )
  })

  it('ask for a fresh proof before real money is spent, place nothing without it, and with it one order', async () => {
    await realMoney(app, async () => {
      const symbol = newSymbol()
      const page = await app.signIn()
      const keys: (string | undefined)[] = []
      page.on('request', (request) => {
        const isOrder = request.method() === 'POST' && request.url().endsWith('/api/v1/orders')
        if (isOrder && request.postData()?.includes('dryRun') === false)
          keys.push(request.headers()['idempotency-key'])
      })
      await page.goto(`${app.origin}/orders/new?symbol=${symbol}`)
      await shares(page).fill('7')
      await forgetProofs(app)
      await page.getByRole('button', { name: `Buy ${symbol} with real money…` }).click()
      const sheet = page.getByRole('alertdialog', { name: `Buy 7 ${symbol} at market?` })
      await sheet.getByRole('button', { name: 'Buy with real money' }).click()
      const proof = page.getByRole('alertdialog', { name: 'Confirm your identity' })
      await proof.getByRole('button', { name: 'Go back' }).click()
      await sheet.getByText('Nothing was done: you did not confirm.').waitFor()
      assert.deepEqual(await ordersOf(symbol), [])

      await sheet.getByRole('button', { name: 'Buy with real money' }).click()
      await prove(page, app)
      await sheet.getByRole('link', { name: 'Show the order' }).waitFor()
      const [, refused, sent] = keys
      assert.equal(keys.length, 3)
      assert.ok(refused !== undefined && refused === sent, 'it is sent again with another key')
      assert.equal((await ordersOf(symbol)).length, 1)
    })
  })

  it('place nothing besides an order whose answer was lost, even where the amount is changed, and say that it arrived', async () => {
    const symbol = newSymbol()
    const page = await app.signIn()
    await page.goto(`${app.origin}/orders/new?symbol=${symbol}`)
    let isLost = false
    await page.route('**/api/v1/orders', async (route) => {
      const asked = route.request()
      if (isLost || asked.postData()?.includes('dryRun') === true) return route.continue()
      // It arrives and is done; only its answer does not come back.
      isLost = true
      await fetch(asked.url(), { method: 'POST', headers: asked.headers(), body: asked.postData() })
      return route.abort('connectionreset')
    })
    const sheet = page.getByRole('alertdialog')
    const buy = async (amount: string) => {
      await shares(page).fill(amount)
      await page.getByRole('button', { name: `Buy ${symbol}…` }).click()
      await sheet.getByRole('button', { name: 'Buy', exact: true }).click()
    }
    await buy('2')
    await sheet.getByText('Unknown yet: the answer did not arrive').waitFor()
    await sheet.getByRole('button', { name: 'Go back' }).click()
    await page.getByText('It is unknown whether the order arrived').waitFor()
    await buy('3')
    await sheet.getByText(/^Your earlier request arrived/).waitFor()
    assert.deepEqual(
      (await ordersOf(symbol)).map(({ qty }) => Number(qty)),
      [2],
    )
    await sheet.getByRole('button', { name: 'Go back' }).click()
    await buy('3')
    await sheet.getByRole('link', { name: 'Show the order' }).waitFor()
    assert.equal(await heldAtVenue(symbol), 5)
  })

  it('change an order that works: it is cancelled, and then the other one placed', async () => {
    const symbol = newSymbol()
    await resting(symbol, { quantity: 4 })
    const page = await app.signIn()
    await page.goto(`${app.origin}/orders?symbol=${symbol}`)
    await page.getByRole('link', { name: `Change Buy ${symbol}` }).click()
    assert.equal(await shares(page).inputValue(), '4')
    await shares(page).fill('2')
    await page.getByRole('button', { name: `Change to buy ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText('The working order is cancelled first').waitFor()
    await sheet.getByRole('button', { name: 'Change to buy' }).click()
    await sheet.getByRole('link', { name: 'Show the order' }).waitFor({ timeout: 20_000 })
    const orders = await ordersOf(symbol)
    assert.deepEqual(orders.map(({ qty, status }) => `${Number(qty)} ${status}`).toSorted(), [
      '2 new',
      '4 canceled',
    ])
  })

  it('sort a list that is whole, and cancel all orders that work, after asking with their number and money', async () => {
    const symbol = newSymbol()
    await resting(symbol, { quantity: 2 })
    await resting(symbol, { quantity: 3 })
    const page = await app.signIn()
    await page.goto(`${app.origin}/orders?symbol=${symbol}`)
    await page.getByRole('row').nth(1).getByText('Buy 3').waitFor()
    await page.getByRole('columnheader').getByRole('button', { name: 'Placed' }).click()
    await page.waitForURL((url) => url.search.includes('sort=placed.asc'))
    await page.getByRole('row').nth(1).getByText('Buy 2').waitFor()
    await page.getByRole('button', { name: 'Cancel all…' }).click()
    const sheet = page.getByRole('alertdialog', { name: 'Cancel 2 working orders?' })
    await sheet.getByText(/^\$[\d,.]+ of buying is cancelled/).waitFor()
    await sheet.getByRole('button', { name: 'Cancel 2 orders' }).click()
    await sheet
      .getByText(/^[12] (cancelled|(is|are) being cancelled)$/)
      .first()
      .waitFor()
    await eventually(async () => {
      const statuses = (await ordersOf(symbol)).map(({ status }) => status)
      assert.deepEqual(statuses, ['canceled', 'canceled'])
    })
  })

  it('place an order in two accounts, and say which of them has refused it', async () => {
    const symbol = newSymbol()
    const keys = { keyId: 'SECONDPAGE', secretKey: 'second-account-of-the-page' }
    await app.stack.venue.openAccount(keys, 1)
    const person = await app.stack.signIn()
    const made = await person.post('/brokers', { brokerType: 'paper', credentials: keys })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const [{ name }] = made.body.data.broker.accounts
    const page = await app.signIn()
    await page.goto(`${app.origin}/orders/new?symbol=${symbol}&account=${app.stack.accountId}`)
    await shares(page).fill('3')
    await page.getByRole('checkbox', { name }).check()
    await page.getByText(new RegExp(`^Not in ${name}: `)).waitFor()
    await page.getByRole('button', { name: `Buy ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText(/, one signal each\. The figures are those of the first\.$/).waitFor()
    await sheet.getByRole('button', { name: 'Buy', exact: true }).click()
    await sheet.getByText(/accepted for 1 of 2 accounts; refused: /).waitFor()
    assert.equal(await heldAtVenue(symbol), 3)
  })
})
