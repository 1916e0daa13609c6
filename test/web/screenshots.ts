import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { eventually } from '#test/support/eventually.ts'
import { raiseAlert } from './alerts.ts'
import { fillSignIn, useApp } from './browser.ts'
import { addPerson, codeOf, enrol, signInByTwoSteps } from './people.ts'
import { useSignals } from './signals.ts'
import { tradingOf } from './trading.ts'

const FOLDER = join(REPOSITORY, 'docs', 'images', 'web')
const DEVICES = [
  { name: 'desk-light', width: 1440, height: 900, theme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, theme: 'dark', pixels: 2 },
  { name: 'desk-dark', width: 1440, height: 900, theme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, theme: 'light', pixels: 2 },
] as const

/** Those of which every state is shown. */
const MAIN: ReadonlySet<string> = new Set(['desk-light', 'phone-dark'])

/** Writes the pictures of the documentation: npm run screenshots. */
describe('pictures of the web app', function () {
  this.timeout(180_000)
  const app = useApp({
    api: { LIVE_TRADING: 'enabled' },
    worker: { LIVE_TRADING: 'enabled' },
    venue: { VENUE_CASH: '1000000' },
  })
  const { waiting, open, priceOf, recordOf } = useSignals(app)
  const { bought, resting } = tradingOf(app)
  const validFor = (minutes: number) => ({
    validUntil: new Date(Date.now() + minutes * 60_000).toISOString(),
    timezone: 'America/New_York',
  })
  const takeAs = (page: Page, state: string, device: string) =>
    page.screenshot({ path: join(FOLDER, `${state}-${device}.png`), animations: 'disabled' })
  const isLiveAt = (page: Page) =>
    page.getByText('live', { exact: true }).filter({ visible: true }).first().waitFor()
  before(() => mkdirSync(FOLDER, { recursive: true }))

  /** Holds a price, and waits until the service, which keeps quotes for a second, knows it. */
  async function pin(symbol: string, price: number): Promise<void> {
    await app.stack.venue.pin(symbol, price)
    await eventually(async () => assert.equal(await priceOf(symbol), price))
  }
  /** Three signals as a trader has them: one that ends soon, one with an exit, one whose price ran away. */
  async function sendThree(): Promise<void> {
    await pin('AAPL', 187.42)
    await pin('TSLA', 250.1)
    await pin('MSFT', 400)
    const metadata = { note: 'earnings Thursday' }
    const exit = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
    await waiting({ symbol: 'AAPL', metadata, ...exit, ...validFor(4.2) })
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
      .first()
      .waitFor()
  }

  for (const { name, ...device } of DEVICES)
    it(`show every page and state as ${name}`, async () => {
      const take = (page: Page, state: string) => takeAs(page, state, name)
      const isMain = MAIN.has(name)
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
        const refusal = page.getByText('It would be refused').first()
        await refusal.waitFor()
        await page.getByText('+5.71 %').filter({ visible: true }).nth(1).waitFor()
        await refusal.evaluate((element) => element.scrollIntoView({ block: 'center' }))
        await take(page, 'approvals-refused')
        await atCard(page, 'AAPL')
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        await page.getByText(/^Filled/).waitFor()
        await take(page, 'approvals-filled')
        await page.getByRole('button', { name: 'Stop trading' }).click()
        await page.getByRole('alertdialog').waitFor()
        await take(page, 'stop-trading')
        await page.keyboard.press('Escape')
        await page.goto(`${app.origin}/settings`)
        await page.getByRole('heading', { name: 'Appearance' }).waitFor()
        await isLiveAt(page)
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

  for (const { name, ...device } of DEVICES.filter(({ name: each }) => MAIN.has(each)))
    it(`show the alerts, the security and the administration as ${name}`, async () => {
      const take = (page: Page, state: string) => takeAs(page, state, name)
      const page = await app.signIn(device)
      const { id } = await waiting({ symbol: 'AMD' })
      await raiseAlert(app, 'unprotected_position', {
        signalId: id,
        message: 'The broker rejected the exit: insufficient qty available. It is tried again',
      })
      await raiseAlert(app, 'position_differs', {
        message:
          'The broker shows other positions than its executions add up to: 50 NVDA where 5 were executed',
      })
      try {
        await page.getByRole('link', { name: 'Alerts, 2 not seen' }).click()
        await page.getByRole('button', { name: /^Seen/ }).nth(1).waitFor()
        await take(page, 'alerts')
      } finally {
        await app.stack.query('delete from alerts')
      }
      const domain = name.startsWith('desk') ? 'example.com' : 'example.org'
      const grace = await addPerson(app, 'admin', `grace@${domain}`)
      const alan = await addPerson(app, 'member', `alan@${domain}`)
      await app.stack.query(`update users set disabled_at = now() where email = '${alan.email}'`)
      const katherine = await addPerson(app, 'member', `katherine@${domain}`)
      const own = await app.browse(device)
      await own.goto(`${app.origin}/settings/security`)
      await fillSignIn(own, katherine)
      await own.getByRole('table', { name: 'What was done in your name' }).waitFor()
      await own.getByRole('button', { name: 'Turn it on…' }).click()
      await own.getByRole('img', { name: /^QR code/ }).waitFor()
      await isLiveAt(own)
      await take(own, 'security')
      const secret = (await own.getByLabel('Secret', { exact: true }).textContent()) ?? ''
      await own.getByLabel('Code from your authenticator').fill(codeOf(secret, 0))
      await own.getByRole('button', { name: 'Turn it on', exact: true }).click()
      await own.getByText('They are shown now and never again').waitFor()
      await take(own, 'security-codes')
      const admin = await app.browse(device)
      await admin.goto(`${app.origin}/administration`)
      await signInByTwoSteps(admin, grace, await enrol(app, grace))
      await admin.getByRole('table', { name: 'Users' }).waitFor()
      await isLiveAt(admin)
      await take(admin, 'administration')
      await admin.getByRole('link', { name: katherine.email }).click()
      await admin.getByRole('list', { name: 'Sessions' }).waitFor()
      await take(admin, 'administration-user')
      await admin.getByRole('navigation', { name: 'Administration' }).getByText('Log').click()
      await admin.getByRole('table', { name: 'Log' }).waitFor()
      await take(admin, 'administration-log')
      await admin.getByRole('navigation', { name: 'Administration' }).getByText('Service').click()
      await admin.getByText('Paper venue').waitFor()
      await take(admin, 'administration-service')
    })

  for (const { name, ...device } of DEVICES.filter(({ name: each }) => MAIN.has(each)))
    it(`show what is held and how a signal went as ${name}`, async () => {
      const take = (page: Page, state: string) => takeAs(page, state, name)
      const symbol = name.startsWith('desk') ? 'NVDA' : 'AMZN'
      const exit = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
      const { id } = await bought({ symbol, ...exit })
      await resting(symbol)
      await waiting({ symbol: 'AMD', ...validFor(12) })
      const page = await app.signIn(device)
      const show = async (path: string, words: string | RegExp, state: string) => {
        await page.goto(app.origin + path)
        await page.locator('#main').getByText(words).filter({ visible: true }).first().waitFor()
        await page.locator('.waiting-shape').first().waitFor({ state: 'detached' })
        await isLiveAt(page)
        await take(page, state)
      }
      await show('/', 'AMD', 'today')
      await show('/signals', symbol, 'signals')
      await show(`/signals/${id}`, /^Filled/, 'signal')
      await show('/positions', symbol, 'positions')
      await show('/orders', symbol, 'orders')
      await show(`/symbols/${symbol}`, /TradingView/, 'symbol')
      await page.goto(`${app.origin}/approvals`)
      await page.getByRole('heading', { name: /AMD/ }).waitFor()
      if (name.startsWith('desk')) await page.keyboard.press('Control+k')
      else {
        await page.getByRole('link', { name: 'More' }).click()
        await page.getByRole('button', { name: 'Find' }).click()
      }
      await page.getByRole('combobox', { name: /^Find/ }).fill(symbol.slice(0, 2))
      await page.getByRole('option', { name: new RegExp(`Buy 10 ${symbol}`) }).waitFor()
      await take(page, 'find')
    })

  for (const { name, ...device } of DEVICES)
    it(`show the set-up and the notifications as ${name}`, async () => {
      const take = (page: Page, state: string) => takeAs(page, state, name)
      const page = await app.browse({ ...device, hasWorker: true, mayNotify: true })
      await page.goto(`${app.origin}/settings/notifications`)
      await app.signInAt(page)
      await page.getByRole('button', { name: 'Turn on notifications', disabled: false }).waitFor()
      await page.getByText('No device yet').waitFor()
      await take(page, 'notifications')
      if (!MAIN.has(name)) return
      for (const [path, words, state] of [
        ['/set-up', 'Where orders are sent to', 'set-up'],
        ['/set-up/brokers', 'Last contact', 'brokers'],
        ['/set-up/brokers/new', 'API secret key', 'broker-new'],
        ['/set-up/accounts', 'Sync now', 'accounts'],
        ['/set-up/tokens/new', 'Place orders', 'token-new'],
        ['/set-up/limits', 'Nothing is changed', 'limits'],
      ] as const) {
        await page.goto(app.origin + path)
        await page.locator('#main').getByText(words).filter({ visible: true }).first().waitFor()
        await isLiveAt(page)
        await take(page, state)
      }
    })
})
