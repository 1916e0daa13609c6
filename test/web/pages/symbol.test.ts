import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the page of a symbol', function () {
  this.timeout(60_000)
  const app = useApp()
  const { bought, resting, heldAtVenue } = tradingOf(app)

  /** Pixels of the charts of a page in the colours of rising and of falling bars, in which nothing else is drawn. */
  const pixelsOfBars = (page: Page) =>
    page.evaluate<[rising: number, falling: number]>(`(() => {
      const dot = document.createElement('canvas').getContext('2d')
      const probe = document.body.appendChild(document.createElement('span'))
      const colors = ['--color-buy', '--color-sell'].map((role) => {
        probe.style.color = 'var(' + role + ')'
        dot.fillStyle = getComputedStyle(probe).color
        dot.fillRect(0, 0, 1, 1)
        return new Uint32Array(dot.getImageData(0, 0, 1, 1).data.buffer)[0]
      })
      probe.remove()
      const counts = [0, 0]
      for (const canvas of document.querySelectorAll('[data-chart] canvas')) {
        if (canvas.width * canvas.height === 0) continue
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
        for (const pixel of new Uint32Array(data.buffer)) {
          const color = colors.indexOf(pixel)
          if (color >= 0) counts[color] += 1
        }
      }
      return counts
    })()`)

  it('draws the bars, lists bars and fills in a table, and shows the position with its planned exits', async () => {
    const { symbol } = await bought({
      quantity: 30,
      exitTriggerType: 'minutesAfterEntry',
      exitTriggerMinutes: 45,
    })
    await bought({ symbol, quantity: 20 })
    await resting(symbol, { side: 'SELL', quantity: 5 })
    const page = await app.signIn()
    await page.goto(`${app.origin}/symbols/${symbol}`)
    const chart = page.getByRole('img', { name: `${symbol} in bars of 5 min` })
    await chart.locator('canvas').first().waitFor()
    await eventually(async () => {
      const [rising, falling] = await pixelsOfBars(page)
      assert.ok(rising > 50 && falling > 50, `${rising} pixels of rising bars, ${falling} of falling ones`)
    })
    await page.getByText('50 long', { exact: true }).waitFor()
    await page.getByText('15 shares have no exit').waitFor()
    await page.getByText(`Sell 30 ${symbol}`, { exact: true }).waitFor()
    await page.getByText(/^in 4[45]:\d\d$/).waitFor()
    await page.getByText(`Sell 5 ${symbol}, limit`).waitFor()
    assert.equal(
      await page
        .getByRole('table', { name: `Round trips in ${symbol}` })
        .getByRole('row')
        .count(),
      3,
    )
    await page.getByText('The same as a table').click()
    const bars = page.getByRole('table', { name: `Bars of ${symbol}` })
    await bars.getByRole('row').nth(1).getByText('2 buys, 50 shares').waitFor()
    await page.getByText('1 d', { exact: true }).click()
    await page.waitForURL((url) => url.search === '?bars=1d')
    await page
      .getByRole('img', { name: `${symbol} in bars of 1 d` })
      .locator('canvas')
      .first()
      .waitFor()
  })

  it('closes the position', async () => {
    const { symbol } = await bought({ action: 'openShort' })
    const page = await app.signIn()
    await page.goto(`${app.origin}/symbols/${symbol}`)
    await page.getByText('10 short', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close position…' }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText(`Buy to cover 10 ${symbol} at market`, { exact: true }).waitFor()
    await sheet.getByRole('button', { name: 'Buy to cover', exact: true }).click()
    await sheet.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByText('Nothing is held', { exact: true }).waitFor({ timeout: 20_000 })
    const trips = page.getByRole('table', { name: `Round trips in ${symbol}` })
    await trips.getByText('open', { exact: true }).waitFor({ state: 'detached' })
    assert.equal(await heldAtVenue(symbol), 0)
  })

  it('says so where a symbol is not traded, holds nothing and plans nothing', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/symbols/${newSymbol()}`)
    for (const text of ['Nothing is held', 'Not traded yet', 'Nothing works and nothing is planned'])
      await page.getByText(text, { exact: true }).waitFor()
  })

  it('tells that the bars cannot be read, with a way to try again, and goes on showing the rest', async () => {
    const { symbol } = await bought()
    const page = await app.signIn()
    await page.route('**/market/bars?*', (route) => route.abort('connectionreset'))
    await page.goto(`${app.origin}/symbols/${symbol}`)
    await page.getByText('The bars could not be read').waitFor()
    await page.getByRole('button', { name: 'Try now' }).waitFor()
    await page.getByText('10 long', { exact: true }).waitFor()
    await page.unroute('**/market/bars?*')
    // It may have been read again by itself in the meantime, and the button be gone.
    await page.evaluate(
      `[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Try now')?.click()`,
    )
    await page.getByRole('img', { name: `${symbol} in bars` }).waitFor()
  })
})
