import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the page of positions', function () {
  this.timeout(60_000)
  const app = useApp()
  const { bought, resting, heldAtVenue } = tradingOf(app)

  /** Closes what earlier tests hold, so that each begins with an empty account. */
  afterEach(async () => {
    const { status } = await app.stack.api.post('/positions/flatten', {})
    assert.ok(status < 300)
    await eventually(async () => assert.deepEqual((await app.stack.venue.ledger()).positions, []), {
      within: 20_000,
    })
    await eventually(async () => {
      const { body } = await app.stack.api.get('/positions')
      assert.deepEqual(body.positions, [])
    })
  })

  it('says that nothing is held, and shows a position as soon as it is', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    await page.getByText('Nothing is held', { exact: true }).waitFor()
    const { symbol } = await bought()
    await page.getByRole('row', { name: symbol }).getByText('no protection, no exit').waitFor()
  })

  it('marks the shares that no exit closes, and tells of the others when they are closed', async () => {
    const { symbol } = await bought({
      quantity: 30,
      exitTriggerType: 'minutesAfterEntry',
      exitTriggerMinutes: 45,
    })
    await bought({ symbol, quantity: 20 })
    await resting(symbol, { side: 'SELL', quantity: 5 })
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    const row = page.getByRole('row', { name: symbol })
    await row.getByText('15 without an exit').waitFor()
    await row.getByText(/New York/).waitFor()
    await row.getByText('an order works').waitFor()
  })

  it('explains a close before it is confirmed, closes one position, and sends one order', async () => {
    const { symbol } = await bought()
    await resting(symbol, { side: 'SELL', quantity: 10 })
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    await page.getByRole('button', { name: `Close ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText(`First cancels “Sell 10 ${symbol}`).waitFor()
    await sheet.getByText(`Sell 10 ${symbol} at market`, { exact: true }).waitFor()
    await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
    await sheet.getByText(symbol, { exact: true }).waitFor()
    await sheet.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByText('Nothing is held', { exact: true }).waitFor({ timeout: 20_000 })
    assert.equal(await heldAtVenue(symbol), 0)
    const { orders } = await app.stack.venue.ledger()
    const sold = orders.filter((order) => order.symbol === symbol && order.side === 'sell')
    assert.deepEqual(
      sold.map(({ status }) => status).toSorted(),
      ['canceled', 'filled'],
      'the resting order was cancelled, and one order closed the position',
    )
  })

  it('closes half of a position at a limit by an order that may only reduce', async () => {
    const { symbol } = await bought()
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    await page.getByRole('button', { name: `Close ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByRole('button', { name: 'Half of the position' }).click()
    await sheet.getByText('At a limit').click()
    const { body } = await app.stack.api.get(`/market/quotes?symbols=${symbol}`)
    const limit = String(Math.round(body.data.quotes[0].last * 1.2))
    await sheet.getByLabel('Limit, $ a share').fill(limit)
    await sheet.getByText(new RegExp(`Sell 5 ${symbol} limit`)).waitFor()
    await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
    await sheet.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('row', { name: symbol }).getByText('an order works').waitFor()
    await page.getByRole('row', { name: symbol }).getByText('5 without an exit').waitFor()
  })

  it('a question that is open does not change: where other shares are held by then, it asks anew', async () => {
    const { symbol } = await bought()
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    await page.getByRole('button', { name: `Close ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet
      .getByText(/about \$[\d,.]+/)
      .first()
      .waitFor()
    await bought({ symbol })
    await sheet.getByText('The position has changed since you were asked').waitFor({ timeout: 20_000 })
    await sheet.getByText(`Sell 10 ${symbol} at market`).waitFor()
    assert.ok(await sheet.getByRole('button', { name: 'Sell', exact: true }).isDisabled())
    await sheet.getByRole('button', { name: 'Ask about what is held now' }).click()
    await sheet.getByText(`Sell 20 ${symbol} at market`).waitFor()
    await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
    await sheet.getByText(new RegExp(`^${symbol}: sold 20 at \\$`)).waitFor({ timeout: 20_000 })
  })

  it('plans an exit for shares that have none', async () => {
    const { symbol } = await bought()
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    await page.getByRole('link', { name: `Plan an exit of ${symbol}` }).click()
    await page.getByRole('heading', { name: `Plan an exit of ${symbol}` }).waitFor()
    const { body } = await app.stack.api.get(`/market/quotes?symbols=${symbol}`)
    await page.getByLabel('Stop, $ a share').fill(String(Math.round(body.data.quotes[0].last * 0.8)))
    await page.getByRole('button', { name: `Sell ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
    await sheet.getByRole('link', { name: 'Show the order' }).waitFor()
    await page.goto(`${app.origin}/positions`)
    const row = page.getByRole('row', { name: symbol })
    await row.getByText('an order works').waitFor()
    assert.equal(await row.getByText('no protection, no exit').count(), 0)
  })

  it('sorts the positions by the address, and closes all of an account and tells of each', async () => {
    // A phone offers to sort more positions than its first screen shows.
    const symbols = [newSymbol(), newSymbol(), newSymbol(), newSymbol()].toSorted()
    for (const symbol of symbols) await bought({ symbol })
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    const heads = page.getByRole('columnheader')
    await heads.and(page.locator('[aria-sort=ascending]')).getByRole('button', { name: 'Position' }).click()
    await page.waitForURL((url) => url.search === '?sort=symbol.desc')
    await page.getByRole('row').nth(1).getByText(symbols.at(-1)!).waitFor()
    await page.reload()
    await heads
      .and(page.locator('[aria-sort=descending]'))
      .getByRole('button', { name: 'Position' })
      .waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByLabel('Sort').selectOption('symbol A to Z')
    await page.getByRole('row').nth(1).getByText(symbols[0]!).waitFor()
    await page.getByRole('button', { name: 'Close all…' }).click()
    const sheet = page.getByRole('alertdialog')
    for (const symbol of symbols) await sheet.getByText(`Sell 10 ${symbol}`, { exact: true }).waitFor()
    await sheet.getByRole('button', { name: 'Close all', exact: true }).click()
    const told = sheet.getByRole('list', { name: 'What came of it' })
    for (const symbol of symbols) await told.getByText(`10 ${symbol}`, { exact: true }).waitFor()
    const line = told.getByRole('listitem').filter({ hasText: symbols[0]! })
    await line.getByText(/: closed at \$[\d.,]+, /).waitFor({ timeout: 20_000 })
    await sheet.getByText(/ in all, after fees$/).waitFor()
    await sheet.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByText('Nothing is held', { exact: true }).waitFor({ timeout: 20_000 })
  })

  it('closes a position once when the answer is lost and the button is pressed again', async () => {
    const { symbol } = await bought()
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    let lost = 0
    await page.route(`**/positions/*/${symbol}/close`, async (route) => {
      if (lost++ > 0) return route.continue()
      // It arrives and is done; only its answer does not come back.
      const asked = route.request()
      await fetch(asked.url(), { method: 'POST', headers: asked.headers(), body: asked.postData() })
      return route.abort('connectionreset')
    })
    await page.getByRole('button', { name: `Close ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByLabel('Shares').fill('3')
    // What the tests before have asked may have spent the share of looks at the broker.
    await sheet.getByRole('button', { name: 'Sell', exact: true }).click({ timeout: 40_000 })
    await sheet.getByText('Unknown yet: the answer did not arrive').waitFor()
    await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
    await sheet.getByRole('button', { name: 'Close', exact: true }).waitFor()
    await eventually(async () => assert.equal(await heldAtVenue(symbol), 7))
    const { orders } = await app.stack.venue.ledger()
    assert.equal(orders.filter((order) => order.symbol === symbol && order.side === 'sell').length, 1)
  })

  it('the page of positions never closes a position of real money by one press', async () => {
    const { symbol } = await bought()
    await app.stack.query(`update accounts set is_demo = false where id = '${app.stack.accountId}'`)
    try {
      const page = await app.signIn()
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('button', { name: `Close ${symbol}…` }).dblclick()
      const sheet = page.getByRole('alertdialog')
      await sheet.getByText('LIVE · real money').waitFor()
      await sheet.getByRole('button', { name: 'Sell with real money' }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await sheet.getByRole('button', { name: 'Go back' }).click()
      assert.equal(await heldAtVenue(symbol), 10)
    } finally {
      await app.stack.query(`update accounts set is_demo = true where id = '${app.stack.accountId}'`)
    }
  })
})
