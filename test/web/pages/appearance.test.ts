import assert from 'node:assert/strict'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

/** Pages whose parts stay where they are while they are read. */
const STEADY = [
  '/',
  '/performance',
  '/signals',
  '/orders',
  '/positions',
  '/trades',
  '/alerts',
  '/settings',
  '/settings/security',
  '/settings/notifications',
]

describe('the appearance of the web app', function () {
  this.timeout(90_000)
  // A test of these opens more pages in a minute than a person does.
  const app = useApp({ api: { RATE_LIMITS: 'off' } })
  const { waiting } = useSignals(app)

  it('the appearance of the web app is used by keys alone: through the queue, to a card, and past a dialog', async () => {
    const [{ symbol: first }, { symbol: second }] = [await waiting(), await waiting()]
    const page = await app.signIn()
    await page.getByRole('heading', { name: first }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: second }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: first }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('location.hash'), '#main')
    const stop = page.getByRole('button', { name: 'Stop trading' })
    await stop.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    // A key that decides is a letter where somebody writes.
    await page.getByLabel('Why').press('a')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('document.activeElement?.ariaLabel'), 'Stop trading')
    await page.getByRole('heading', { name: first }).waitFor()
  })

  for (const width of [1440, 390])
    it(`moves nothing in sight while a list or a setting is read, at ${width} px`, async () => {
      await waiting()
      const page = await app.signIn({ width, height: 844 })
      await page.addInitScript(`
        globalThis.shift = 0
        new PerformanceObserver((list) => {
          for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value
        }).observe({ type: 'layout-shift', buffered: true })`)
      const shifts: Record<string, number> = {}
      for (const address of STEADY) {
        await page.goto(app.origin + address)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('.waiting-shape').first().waitFor({ state: 'detached' })
        // What comes after the lists, such as prices, may move something as well.
        await page.waitForTimeout(1_000)
        shifts[address] = await page.evaluate<number>('globalThis.shift')
      }
      console.log(`      ${JSON.stringify(shifts)}`)
      for (const [address, shift] of Object.entries(shifts)) assert.ok(shift <= 0.02, `${address}: ${shift}`)
    })
})
