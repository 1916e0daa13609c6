import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { fillSignIn, useApp } from '../browser.ts'
import { addPerson } from '../people.ts'
import { useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'

const WIDTHS = [1440, 1280, 1024, 390, 320]
const PAGES = [
  '/',
  '/positions',
  '/orders',
  '/orders?status=all',
  '/trades',
  '/signals',
  '/performance',
  '/alerts',
  '/approvals',
  '/set-up',
  '/set-up/accounts',
  '/set-up/brokers',
  '/set-up/brokers/new',
  '/set-up/hooks',
  '/set-up/hooks/new',
  '/set-up/tokens',
  '/set-up/strategies',
  '/settings',
  '/settings/security',
  '/administration',
]

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

describe('the pages of the web app and their width', function () {
  this.timeout(400_000)
  // A test of these opens more pages in a minute than a person does.
  const app = useApp({ api: { RATE_LIMITS: 'off' } })
  const { waiting } = useSignals(app)
  const { bought, resting } = tradingOf(app)

  async function assertWhole(page: Page, address: string): Promise<string[]> {
    await page.goto(app.origin + address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // What it is about has come.
    await page.locator('.waiting-shape').first().waitFor({ state: 'detached' })
    const found: string[] = []
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 })
      // The tables take their layout, and the charts their size.
      await page.waitForTimeout(150)
      const faults = await page.evaluate<string[]>(CUT)
      found.push(...faults.slice(0, 5).map((fault) => `${address} at ${width} px: ${fault}`))
    }
    return found
  }

  it('the pages of the web app cut no cell and no element at any width, with positions, plans, orders, trades, alerts and hooks', async () => {
    const held = []
    for (const protection of [
      { stop: { percent: 4 }, target: { percent: 8 } },
      { trail: { percent: 3 }, target: { percent: 12 } },
      undefined,
    ])
      held.push(await bought({ quantity: 1234, ...(protection && { protection }) }))
    await bought({ action: 'openShort', quantity: 321 })
    const closed = await bought()
    const { status } = await app.stack.api.post(
      `/positions/${app.stack.accountId}/${closed.symbol}/close`,
      {},
    )
    assert.ok(status < 300)
    await resting(closed.symbol)
    await waiting({ quantity: 4321, protection: { stop: { percent: 4 }, target: { percent: 8 } } })
    const person = await app.stack.signIn()
    const hook = await person.post('/hooks', {
      name: 'Opening range of the first half hour, long and short',
      kind: 'traderspost',
      accountIds: [app.stack.accountId],
    })
    assert.equal(hook.status, 201, JSON.stringify(hook.body))
    await fetch(app.origin + new URL(hook.body.data.url).pathname, {
      method: 'POST',
      body: 'nothing that is known',
    })
    const page = await app.signIn()
    const found: string[] = []
    for (const address of [
      ...PAGES,
      `/symbols/${held[0]!.symbol}`,
      `/signals/${held[0]!.id}`,
      `/set-up/hooks/${hook.body.data.hook.id}`,
    ])
      found.push(...(await assertWhole(page, address)))
    assert.deepEqual(found, [])
  })

  it('the page of positions shows three of them on the first screen of a phone, and a level leads to its plan', async () => {
    const protection = { stop: { percent: 4 }, target: { percent: 8 } }
    const held = [await bought({ protection }), await bought({ protection }), await bought({ protection })]
    const page = await app.signIn({ width: 390, height: 844 })
    await page.goto(`${app.origin}/positions`)
    await page.getByRole('row', { name: held[0]!.symbol }).getByText('Stop loss').waitFor()
    const bars = (await page.getByRole('navigation').filter({ visible: true }).last().boundingBox())!
    const rows = await page.getByRole('row').filter({ visible: true }).all()
    const boxes = await Promise.all(rows.map((each) => each.boundingBox()))
    const whole = boxes.filter((box) => box && box.height > 1 && box.y + box.height <= bars.y)
    assert.ok(whole.length >= 3, `${whole.length} whole rows`)
    await page.getByRole('row', { name: held[0]!.symbol }).getByText('Stop loss').tap()
    const plan = page.locator(`#plan-${held[0]!.id}`)
    await plan.getByText('Stop loss').first().waitFor()
    await eventually(async () => {
      const { y } = (await plan.boundingBox())!
      assert.ok(y >= 0 && y < 300, `the plan begins at ${y} px`)
    })
  })

  it('the first page of a new person cuts nothing, and leads to a paper account', async () => {
    const page = await app.browse({ width: 390, height: 844 })
    await page.goto(`${app.origin}/`)
    await fillSignIn(page, await addPerson(app))
    await page.getByRole('list', { name: 'First steps' }).waitFor()
    assert.deepEqual(await assertWhole(page, '/'), [])
  })
})
