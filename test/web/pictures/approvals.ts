import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'
import { pictures } from './camera.ts'

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
    await sendThree(symbol)
    await atCard(page, symbol)
    await take(page, 'approvals')
  })

  pictures(app, 'the question to stop trading', async ({ device, take }) => {
    const page = await app.signIn(device)
    await page.getByRole('button', { name: 'Stop trading' }).click()
    await page.getByRole('alertdialog').waitFor()
    await take(page, 'stop-trading')
  })

  pictures(app, 'decisions with real money', async ({ device, take }) => {
    await sendThree('INTC')
    await app.stack.query(`update accounts set is_demo = false`)
    await app.stack.query(`update users set trading_mode = 'LIVE'`)
    try {
      const page = await app.signIn(device)
      await page.getByText('LIVE · real money').waitFor()
      await atCard(page, 'TSLA')
      await page.getByRole('button', { name: 'Approve…' }).click()
      await page.getByRole('button', { name: /with real money$/ }).waitFor()
      await take(page, 'approvals-live-sheet')
    } finally {
      await app.stack.query(`update accounts set is_demo = true`)
      await app.stack.query(`update users set trading_mode = 'PAPER'`)
    }
  })
})
