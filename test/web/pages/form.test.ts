import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { assertFits, useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the form of an order in the web app', function () {
  this.timeout(60_000)
  const app = useApp()
  const { heldAtVenue } = tradingOf(app)

  const shares = (page: Page) => page.getByRole('textbox', { name: 'Shares' })
  /** A part of the form that is folded away. */
  const section = (page: Page, name: string) => page.locator('summary').filter({ hasText: name })
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.name')

  it('the form of an order is filled in and sent by the keyboard alone, and a fault takes the focus', async () => {
    const symbol = newSymbol()
    const page = await app.signIn()
    await page.goto(`${app.origin}/orders/new?symbol=${symbol}`)
    await shares(page).focus()
    await page.keyboard.press('Enter')
    await page.getByText('How many shares?').first().waitFor()
    assert.equal(await focused(page), 'quantity')
    await page.keyboard.type('½')
    await page.getByText('Enter a number, such as 1000').first().waitFor()
    await page.keyboard.press('Backspace')
    await page.keyboard.type('1,000')
    assert.equal(await page.getByText('Enter a number, such as 1000').count(), 0)
    await section(page, 'Exit').focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Stop loss: how it is said').selectOption('price')
    await page.getByLabel('Stop loss', { exact: true }).focus()
    await page.keyboard.type('1.005')
    await page
      .getByText(/^A price must have at most 2 decimals/)
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await eventually(async () => assert.equal(await focused(page), 'protection.stop'))
    await page.keyboard.press('Backspace')
    await page.getByLabel('Take profit: how it is said').selectOption('percent')
    await page.getByLabel('Take profit', { exact: true }).fill('6')
    assert.equal(await page.getByText(/^A price must have/).count(), 0, 'a fault of a figure that is mended')
    await page.getByText(/^Risks \$[\d,.]+ · gains \$[\d,.]+ · [\d.]+ R$/).waitFor()
    await page.getByLabel('Stop loss: how it is said').selectOption('percent')
    await page.getByLabel('Stop loss', { exact: true }).fill('3')
    await shares(page).fill('12')
    // Before it is checked: the question comes once it is.
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('alertdialog', { name: `Buy 12 ${symbol} at market?` })
    await sheet.getByText(/^Risks \$[\d,.]+ · gains \$[\d,.]+ · [\d.]+ R, before fees\.$/).waitFor()
    await sheet.locator('button:focus', { hasText: 'Go back' }).waitFor()
    await sheet.getByRole('button', { name: 'Buy', exact: true, disabled: false }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await sheet.getByRole('link', { name: 'Show the signal' }).waitFor()
    await eventually(async () => assert.equal(await heldAtVenue(symbol), 12))
  })

  it('the form of an order is used by touch on a phone, by what may be lost at the stop, and fits at each width', async () => {
    const symbol = newSymbol()
    const page = await app.signIn({ width: 390, height: 844, theme: 'dark' })
    await page.goto(`${app.origin}/orders/new?symbol=${symbol}`)
    await page.getByText('% at risk', { exact: true }).tap()
    await page.getByRole('textbox', { name: '% at risk' }).fill('0.0001')
    await page.getByText('Set the stop loss that the size is based on.').first().waitFor()
    await page.getByRole('button', { name: `Buy ${symbol}…` }).tap({ force: true })
    await eventually(async () => assert.equal(await focused(page), 'protection.stop'))
    await page.getByLabel('Trailing stop: how it is said').selectOption('percent')
    await page.getByLabel('Trailing stop', { exact: true }).fill('4')
    await page.getByText(new RegExp(`^[\\d.]+ shares of ${symbol}$`)).waitFor()
    for (const name of ['When', 'More']) await section(page, name).tap()
    await assertFits(page, '/orders/new')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: `Buy ${symbol}…` }).tap()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText(/^Risks \$[\d,.]+, before fees\.$/).waitFor()
    await sheet.getByRole('button', { name: 'Buy', exact: true }).tap()
    await sheet.getByRole('link', { name: 'Show the signal' }).waitFor()
    await eventually(async () => assert.ok((await heldAtVenue(symbol)) > 0))
  })
})
