import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'
import { isAtRest, pictures } from './camera.ts'

describe('pictures of approvals', function () {
  this.timeout(240_000)
  const app = useApp({
    api: { LIVE_TRADING: 'enabled' },
    worker: { LIVE_TRADING: 'enabled' },
    venue: { VENUE_CASH: '1000000' },
  })
  const { waiting, open, priceOf, recordOf } = useSignals(app)
  const validFor = (minutes: number) => ({
    validUntil: new Date(Date.now() + minutes * 60_000).toISOString(),
    timezone: 'America/New_York',
  })
  /** Holds a price, and waits until the service, which keeps quotes for a second, knows it. */
  async function pin(symbol: string, price: number): Promise<void> {
    await app.stack.venue.pin(symbol, price)
    await eventually(async () => assert.equal(await priceOf(symbol), price))
  }
  /** Three signals as a trader has them: one with a plan and an exit, one that ends soon, one whose price ran away. */
  async function sendThree(symbol: string): Promise<void> {
    await pin(symbol, 187.42)
    await pin('TSLA', 250.1)
    await pin('MSFT', 400)
    const metadata = { note: 'earnings Thursday' }
    const exit = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
    const protection = { stop: { percent: 4 }, target: { percent: 8 } }
    await waiting({ symbol, metadata, protection, ...exit, ...validFor(4.2) })
    const short = { action: 'openShort', quantity: 40, orderType: 'limit', limitPrice: 252 }
    await waiting({ symbol: 'TSLA', ...short, ...validFor(0.95) })
    const { id } = await waiting({
      symbol: 'MSFT',
      quantity: 5,
      quantityType: 'percentEquity',
      ...validFor(22),
    })
    // Its price is noted shortly after it was taken; only then may it run away.
    await eventually(async () => assert.equal((await recordOf(id)).heldPrice, 400))
    await pin('MSFT', 422.84)
  }
  async function atCard(page: Page, symbol: string): Promise<void> {
    await open(page, symbol)
    await page.getByText(/checks pass/).waitFor()
    await page
      .getByRole('list', { name: 'Waiting signals' })
      .getByText(/\d\.\d\d %/)
      .filter({ visible: true })
      .first()
      .waitFor()
  }

  // One for each device: the order of the plan on one position stands against buying more of it.
  const SYMBOLS = {
    'desk-light': 'AAPL',
    'desk-dark': 'AMZN',
    'phone-light': 'GOOG',
    'phone-dark': 'META',
  } as const

  pictures(app, 'decisions on paper', async ({ device, take }) => {
    const symbol = SYMBOLS[device.name]
    const page = await app.browse(device)
    await page.goto(`${app.origin}/approvals`)
    await app.signInAt(page)
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    await take(page, 'approvals-empty')
    await sendThree(symbol)
    await atCard(page, symbol)
    await take(page, 'approvals')
    await page.getByRole('button', { name: 'Select' }).click()
    for (const box of await page.getByRole('checkbox', { name: /^Select/ }).all()) await box.check()
    const all = page.getByText(/^3 orders, about/)
    await all.scrollIntoViewIfNeeded()
    await take(page, 'approvals-select')
    await page.getByRole('button', { name: 'Select' }).click()
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Quantity').fill('6')
    await page.getByText(/→ .*6 shares/).waitFor()
    await take(page, 'approvals-edit')
    await atCard(page, 'MSFT')
    const refusal = page.getByText('It would be refused').first()
    await refusal.waitFor()
    await page.getByText('+5.71 %').filter({ visible: true }).first().waitFor()
    await refusal.scrollIntoViewIfNeeded()
    await take(page, 'approvals-refused')
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByLabel('Reason').fill('earnings on Thursday')
    await page.getByRole('button', { name: 'Reject it' }).click()
    const undo = page.getByRole('button', { name: /^Undo/ })
    await undo.waitFor()
    await take(page, 'approvals-rejected')
    await undo.click()
    await atCard(page, symbol)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('heading', { name: new RegExp(`^Bought 10 ${symbol}`) }).waitFor()
    await take(page, 'approvals-filled')
    await page.context().setOffline(true)
    await page.getByText(/^Shown is what was known then/).waitFor({ timeout: 60_000 })
    await take(page, 'approvals-offline')
    await page.context().setOffline(false)
    await isAtRest(page)
  })

  pictures(app, 'the end of a signal, and stopping', async ({ device, take }) => {
    const page = await app.browse(device)
    await page.goto(`${app.origin}/approvals`)
    await app.signInAt(page)
    await waiting({ symbol: 'NVDA', ...validFor(0.1) })
    await open(page, 'NVDA')
    await page.getByText(/^Expired at .* Nothing was sent\.$/).waitFor({ timeout: 20_000 })
    await take(page, 'approvals-expired')
    await page.getByRole('button', { name: 'Stop trading' }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.waitFor()
    await take(page, 'stop-trading')
    await sheet.getByLabel('Why').fill('earnings day')
    await sheet.getByRole('button', { name: 'Pause entries' }).click()
    await page.getByText('Entries are paused').waitFor()
    await take(page, 'halted')
    const person = await app.stack.signIn()
    assert.equal((await person.delete('/settings/halt')).status, 200)
  })

  pictures(app, 'decisions with real money', async ({ device, take }) => {
    await sendThree('INTC')
    await app.stack.query(`update accounts set is_demo = false`)
    await app.stack.query(`update users set trading_mode = 'LIVE'`)
    try {
      const page = await app.signIn(device)
      await page.getByText('LIVE · real money').waitFor()
      await atCard(page, 'TSLA')
      await take(page, 'approvals-live')
      await page.getByRole('button', { name: 'Approve…' }).click()
      await page.getByRole('button', { name: /with real money$/ }).waitFor()
      await take(page, 'approvals-live-sheet')
    } finally {
      await app.stack.query(`update accounts set is_demo = true`)
      await app.stack.query(`update users set trading_mode = 'PAPER'`)
    }
  })
})
