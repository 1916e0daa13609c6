import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { accessibilityFaults, fillSignIn, useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

const WIDTHS = [1440, 390, 320]
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
  const { waiting, open } = useSignals(app)

  /** Holds what is in sight to WCAG 2.2 AA and to the width of the page. */
  async function assertFits(page: Page, width: number, name: string): Promise<void> {
    assert.deepEqual(await accessibilityFaults(page), [], name)
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    assert.ok(wide <= 0, `${name}: ${wide} px too wide`)
    for (const button of await page.getByRole('button').filter({ visible: true }).all()) {
      const box = await button.boundingBox()
      assert.ok(!box || (box.x >= 0 && box.x + box.width <= width), `${name}: a button is cut off`)
      assert.ok(!box || width > 800 || box.height >= 40, `${name}: ${await button.innerText()} is small`)
    }
  }

  for (const theme of ['light', 'dark'] as const)
    it(`the appearance of the web app is accessible and fits at ${WIDTHS.join(', ')} px in ${theme}`, async () => {
      const { symbol } = await waiting({ metadata: { note: 'earnings' } })
      await waiting({ quantityType: 'percentEquity', quantity: 5 })
      const page = await app.browse({ theme })
      await page.goto(`${app.origin}/sign-in`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 })
        await assertFits(page, width, `sign-in at ${width} px`)
      }
      await fillSignIn(page, app.stack.person)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 })
        await open(page, symbol)
        await page.getByText(/checks pass/).waitFor()
        await assertFits(page, width, `approvals at ${width} px`)
      }
      await page.getByRole('button', { name: 'Edit' }).click()
      await assertFits(page, 320, 'an edit')
      await page.getByRole('button', { name: 'Stop trading' }).click()
      await assertFits(page, 320, 'the sheet that stops trading')
      await page.keyboard.press('Escape')
      await page.goto(`${app.origin}/settings`)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 })
        await assertFits(page, width, `settings at ${width} px`)
      }
    })

  it('tells the mode in the title, by shape and by word, on every page', async () => {
    await app.stack.query(`update users set trading_mode = 'LIVE'`)
    try {
      const page = await app.signIn()
      for (const address of ['/approvals', '/settings']) {
        await page.goto(app.origin + address)
        await page.getByText('LIVE · real money').waitFor()
        assert.match(await page.title(), /^\[LIVE\] /)
      }
    } finally {
      await app.stack.query(`update users set trading_mode = 'PAPER'`)
    }
  })

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

  it('the appearance of the web app has keys that can be switched off, and a theme that is kept', async () => {
    const page = await app.signIn()
    await page.getByRole('link', { name: 'Settings' }).filter({ visible: true }).click()
    await page.getByLabel(/^Keys decide/).uncheck()
    await page.getByLabel('Dark').check()
    const { symbol } = await waiting()
    await page.goto(`${app.origin}/approvals`)
    await page.getByRole('heading', { name: symbol }).waitFor()
    await page.keyboard.press('r')
    assert.equal(await page.getByLabel('Reason').count(), 0)
    assert.equal(await page.evaluate(`getComputedStyle(document.documentElement).colorScheme`), 'dark')
  })

  it('asks the API at most eight times until the first card of a person who comes back', async () => {
    const { symbol } = await waiting()
    const page = await app.signIn()
    const asked: string[] = []
    page.on('request', (request) => {
      // What the page asked that is left does not count.
      if (request.isNavigationRequest()) asked.splice(0)
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}`)
    })
    const beforeTheCard = page.waitForResponse(/\/check$/).then(() => [...asked])
    await page.reload()
    await page.getByRole('heading', { name: symbol }).waitFor()
    const needed = await beforeTheCard
    assert.ok(needed.length <= 8, needed.join('\n'))
  })

  it('asks the API at most four times in twenty seconds while a card is looked at', async () => {
    const { symbol } = await waiting()
    const page = await app.signIn()
    await open(page, symbol)
    await page
      .getByRole('list', { name: 'Waiting signals' })
      .getByText(/\d\.\d\d %/)
      .waitFor()
    const asked: string[] = []
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await page.waitForTimeout(20_000)
    assert.ok(asked.length <= 4, asked.join('\n'))
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

  it('loads at most 180 KB of scripts and 25 KB of styles for the first view', async () => {
    const page = await app.browse()
    const sizes = { script: 0, stylesheet: 0 }
    const received: Promise<void>[] = []
    page.on('requestfinished', (request) => {
      const type = request.resourceType()
      if (type === 'script' || type === 'stylesheet')
        received.push(request.sizes().then(({ responseBodySize }) => void (sizes[type] += responseBodySize)))
    })
    await page.goto(`${app.origin}/approvals`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await Promise.all(received)
    console.log(`      ${sizes.script} bytes of scripts, ${sizes.stylesheet} of styles`)
    assert.ok(sizes.script > 0 && sizes.script <= 180_000)
    assert.ok(sizes.stylesheet > 0 && sizes.stylesheet <= 25_000)
  })
})
