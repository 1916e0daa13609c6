import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { useApp } from './browser.ts'
import { useSignals } from './signals.ts'

const FOLDER = join(REPOSITORY, 'docs', 'images', 'web')
const DEVICES = [
  { name: 'desk-light', width: 1440, height: 900, theme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, theme: 'dark', pixels: 2 },
  { name: 'desk-dark', width: 1440, height: 900, theme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, theme: 'light', pixels: 2 },
] as const

/** Writes the pictures of the documentation: npm run screenshots. */
describe('pictures of the web app', function () {
  this.timeout(180_000)
  const app = useApp({
    api: { LIVE_TRADING: 'enabled' },
    worker: { LIVE_TRADING: 'enabled' },
    venue: { VENUE_CASH: '1000000' },
  })
  const { waiting, open, priceOf } = useSignals(app)
  const validFor = (minutes: number) => ({
    validUntil: new Date(Date.now() + minutes * 60_000).toISOString(),
    timezone: 'America/New_York',
  })
  before(() => mkdirSync(FOLDER, { recursive: true }))

  /** Three signals as a trader has them: one that ends soon, one with an exit, one whose price ran away. */
  async function sendThree(): Promise<void> {
    const metadata = { note: 'earnings Thursday' }
    const exit = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
    await waiting({ symbol: 'AAPL', metadata, ...exit, ...validFor(4.2) })
    const limitPrice = Math.round(await priceOf('TSLA')) + 2
    const short = { action: 'openShort', quantity: 40, orderType: 'limit', limitPrice }
    await waiting({ symbol: 'TSLA', ...short, ...validFor(0.95) })
    const price = await priceOf('MSFT')
    await waiting({ symbol: 'MSFT', quantity: 5, quantityType: 'percentEquity', ...validFor(22) })
    await app.stack.venue.pin('MSFT', Math.round(price * 105.71) / 100)
  }
  async function atCard(page: Page, symbol: string): Promise<void> {
    await open(page, symbol)
    await page.getByText(/checks pass/).waitFor()
    await page
      .getByRole('list', { name: 'Waiting signals' })
      .getByText(/\d\.\d\d %/)
      .first()
      .waitFor()
  }

  for (const { name, ...device } of DEVICES)
    it(`show every page and state as ${name}`, async () => {
      const take = (page: Page, state: string) =>
        page.screenshot({ path: join(FOLDER, `${state}-${name}.png`), animations: 'disabled' })
      const isMain = name === 'desk-light' || name === 'phone-dark'
      const page = await app.browse(device)
      await page.goto(`${app.origin}/sign-in`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      if (isMain) await take(page, 'sign-in')
      await app.signInAt(page)
      await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
      if (isMain) await take(page, 'approvals-empty')
      await sendThree()
      await atCard(page, 'AAPL')
      await take(page, 'approvals')
      if (isMain) {
        await page.getByRole('button', { name: 'Edit' }).click()
        await page.getByLabel('Quantity').fill('6')
        await page.getByText(/→ .*6 shares/).waitFor()
        await take(page, 'approvals-edit')
        await atCard(page, 'MSFT')
        await page.getByText('It would be refused').first().waitFor()
        await take(page, 'approvals-refused')
        await atCard(page, 'AAPL')
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        await page.getByText(/^Filled/).waitFor()
        await take(page, 'approvals-filled')
        await page.getByRole('button', { name: 'Stop trading' }).click()
        await page.getByRole('alertdialog').waitFor()
        await take(page, 'stop-trading')
        await page.keyboard.press('Escape')
        await page.getByRole('link', { name: 'Settings' }).filter({ visible: true }).click()
        await page.getByRole('heading', { name: 'Appearance' }).waitFor()
        await take(page, 'settings')
      }
      await app.stack.query(`update accounts set is_demo = false`)
      await app.stack.query(`update users set trading_mode = 'LIVE'`)
      try {
        await page.goto(`${app.origin}/approvals`)
        await page.getByText('LIVE · real money').waitFor()
        await atCard(page, 'TSLA')
        await take(page, 'approvals-live')
        if (isMain) {
          await page.getByRole('button', { name: 'Approve…' }).click()
          await page.getByRole('button', { name: /with real money$/ }).waitFor()
          await take(page, 'approvals-live-sheet')
        }
      } finally {
        await app.stack.query(`update accounts set is_demo = true`)
        await app.stack.query(`update users set trading_mode = 'PAPER'`)
      }
    })
})
