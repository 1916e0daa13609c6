import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { raiseAlert } from '#test/web/alerts.ts'
import { assertFits, useApp, WIDTHS } from '#test/web/browser.ts'
import { newSymbol, useSignals } from '#test/web/signals.ts'
import { tradingOf } from '#test/web/trading.ts'

/** A name that becomes a script where a page believes it. */
const HOSTILE = `<img src=x onerror="document.title='owned'">`

/** Pages, and what is done on some of them to come to another state. */
const STATES: Record<string, ((page: Page) => Promise<unknown>)[]> = {
  '/': [(page) => page.keyboard.press('Control+k'), (page) => page.keyboard.type('nothing at all ¬')],
  '/positions': [],
  '/orders': [],
  '/orders?status=all': [],
  '/orders/new?symbol=AAPL': [],
  '/trades': [],
  '/signals': [(page) => page.getByRole('button', { name: 'More filters' }).click()],
  '/signals/new': [
    async (page) => {
      await page.getByLabel('Symbol').fill('AAPL')
      await page.getByRole('textbox', { name: 'Shares' }).fill('10')
      await page.getByLabel('Time exit').selectOption('minutesBeforeClose')
      await page.getByLabel('Exit order').selectOption('stopLimit')
      await page.locator('[name=exitLimitPrice][aria-invalid=true]').waitFor()
    },
  ],
  '/performance': [],
  '/alerts': [],
  '/approvals': [
    (page) => page.getByRole('button', { name: 'Edit', exact: true }).click(),
    (page) => page.getByRole('button', { name: 'Stop trading' }).click(),
  ],
  '/set-up': [],
  '/set-up/accounts': [],
  '/set-up/brokers': [(page) => page.getByRole('button', { name: 'New keys for' }).first().click()],
  '/set-up/brokers/new': [],
  '/set-up/hooks': [],
  '/set-up/hooks/new': [
    async (page) => {
      for (const summary of await page.locator('summary').all()) await summary.click()
    },
  ],
  '/set-up/hooks/address': [],
  '/set-up/limits': [],
  '/set-up/tokens': [],
  '/set-up/tokens/new': [],
  '/set-up/strategies': [],
  '/settings': [],
  '/settings/notifications': [],
  '/settings/security': [],
  '/administration': [],
}

/**
 * What of a page cannot be read: a cell that is narrower than its words, a table that is wider than its place, and an element that
 * leaves the window or a box which cuts it off. What a person can scroll to, and what ends in an ellipsis, can be read.
 */
const CUT = `(() => {
  const faults = []
  const nameOf = (each) => each.tagName.toLowerCase() + ' "' + (each.textContent ?? '').trim().slice(0, 50) + '"'
  const isEllipsis = (each) => getComputedStyle(each).textOverflow === 'ellipsis'
  // For those who listen alone: a box of one pixel.
  const isUnseen = (each) => {
    for (let around = each; around && around !== document.body; around = around.parentElement)
      if (getComputedStyle(around).position === 'absolute' && around.offsetWidth <= 1) return true
    return each.clientWidth <= 1
  }
  for (const table of document.querySelectorAll('[role=table]')) {
    const place = table.parentElement
    if (place.scrollWidth > place.clientWidth + 1)
      faults.push('table ' + table.getAttribute('aria-label') + ' is ' + place.scrollWidth + ' px in ' + place.clientWidth)
    for (const cell of table.querySelectorAll('[role=cell], [role=columnheader]'))
      if (cell.getClientRects().length > 0 && !isUnseen(cell) && cell.scrollWidth > cell.clientWidth + 1 && !(isEllipsis(cell) && cell.title !== ''))
        faults.push('cell ' + nameOf(cell))
  }
  for (const each of document.querySelectorAll('main *')) {
    if (!(each instanceof HTMLElement) || each.getClientRects().length === 0 || isUnseen(each)) continue
    const box = each.getBoundingClientRect()
    let around = each.parentElement
    for (; around && around !== document.body; around = around.parentElement) {
      const { overflowX } = getComputedStyle(around)
      if (overflowX !== 'visible' || isEllipsis(around)) break
    }
    const cuts = around && around !== document.body ? around.getBoundingClientRect() : { left: 0, right: innerWidth }
    if (around && around !== document.body && (isEllipsis(around) || /auto|scroll/.test(getComputedStyle(around).overflowX))) continue
    if (box.right > cuts.right + 1 || box.left < cuts.left - 1) faults.push('cut ' + nameOf(each) + ' ' + Math.round(box.left) + ' to ' + Math.round(box.right))
  }
  return faults
})()`

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

describe('the layout of the web app', function () {
  this.timeout(600_000)
  // A test of these opens more pages in a minute than a person does.
  const app = useApp({ api: { RATE_LIMITS: 'off' } })

  describe('the pages of the web app and their width', function () {
    const { waiting } = useSignals(app)
    const { bought, resting } = tradingOf(app)

    /** Waits until what a page is about has come; resolves with what is cut off at any width. */
    async function cutIn(page: Page, address: string, widths: readonly number[]): Promise<string[]> {
      await page.goto(app.origin + address)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.waiting-shape').first().waitFor({ state: 'detached' })
      const found: string[] = []
      for (const width of widths) {
        await page.setViewportSize({ width, height: 844 })
        // The tables take their layout, and the charts their size.
        await page.waitForTimeout(150)
        const faults = await page.evaluate<string[]>(CUT)
        found.push(...faults.slice(0, 5).map((fault) => `${address} at ${width} px: ${fault}`))
      }
      return found
    }

    /** Positions, plans, orders, trades, alerts, hooks, strategies and tokens; resolves with the pages of one of them. */
    async function everything(): Promise<string[]> {
      const level = { stop: { percent: 4 }, target: { percent: 8 } }
      const held = [await bought({ quantity: 1234, protection: level })]
      held.push(
        await bought({ quantity: 1234, protection: { trail: { percent: 3 }, target: { percent: 12 } } }),
      )
      held.push(await bought({ quantity: 1234 }), await bought({ action: 'openShort', quantity: 321 }))
      const closed = await bought()
      const close = `/positions/${app.stack.accountId}/${closed.symbol}/close`
      assert.ok((await app.stack.api.post(close, {})).status < 300)
      await resting(closed.symbol)
      await raiseAlert(app, 'untrusted_message', { message: `A message was dropped: ${'x'.repeat(90)}` })
      const person = await app.stack.signIn()
      const hook = await person.post('/hooks', {
        name: `Opening range of the first half hour, long and short ${HOSTILE}`,
        kind: 'traderspost',
        accountIds: [app.stack.accountId],
      })
      for (const { status, body } of [
        hook,
        await person.post('/strategies', { name: HOSTILE, description: HOSTILE, status: 'paused' }),
        await person.post('/tokens', { label: HOSTILE, scopes: ['trading:read'] }),
      ])
        assert.equal(status, 201, JSON.stringify(body))
      const { pathname } = new URL(hook.body.data.url)
      await fetch(app.origin + pathname, { method: 'POST', body: 'nothing that is known' })
      const ofHook = `/set-up/hooks/${hook.body.data.hook.id}`
      const [{ id, symbol }] = held as [{ id: string; symbol: string }]
      return [`/symbols/${symbol}`, `/signals/${id}`, ofHook, `${ofHook}/message`, `${ofHook}/settings`]
    }

    let ofOne: string[] | undefined
    for (const [theme, widths] of [
      ['light', WIDTHS],
      ['dark', [390]],
    ] as const)
      it(`the pages of the web app are accessible in the ${theme} theme and cut no cell and no element at any width, with something of every kind`, async () => {
        ofOne ??= await everything()
        const page = await app.browse({ theme })
        await page.goto(`${app.origin}/sign-in`)
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        await assertFits(page, 'sign-in', [...widths])
        await app.signInAt(page)
        await waiting({ symbol: newSymbol(), quantity: 4321, metadata: { note: HOSTILE } })
        const found: string[] = []
        for (const [address, states] of Object.entries({
          ...STATES,
          ...Object.fromEntries(ofOne.map((each) => [each, []])),
        })) {
          found.push(...(await cutIn(page, address, theme === 'light' ? [1280, 1024, ...widths] : widths)))
          await assertFits(page, address, [...widths])
          for (const [index, act] of states.entries()) {
            await act(page)
            await assertFits(page, `${address}, state ${index + 1}`, [390])
          }
          assert.notEqual(await page.title(), 'owned')
        }
        assert.deepEqual(found, [])
      })
  })

  describe('the appearance of the web app', function () {
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
        for (const [address, shift] of Object.entries(shifts))
          assert.ok(shift <= 0.02, `${address}: ${shift}`)
      })
  })
})
