import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

/** What ten tabs show; the first one reads the stream. */
const TABS = ['/approvals', '/approvals', '/approvals', '/signals', '/orders', '/positions', '/', '/alerts']
const HOUR_MS = 3_600_000
/** A tab that reads for the others is silent for so long before one of them takes its place. */
const SILENCE_MS = 30_000

describe('the web app in many tabs, and after a sleep', function () {
  this.timeout(180_000)
  const app = useApp()
  const { waiting, row, open, recordOf } = useSignals(app)

  const isLive = (page: Page, within = 10_000) =>
    page.getByText('live', { exact: true }).filter({ visible: true }).first().waitFor({ timeout: within })
  async function another(context: BrowserContext, address = '/approvals'): Promise<Page> {
    const page = await context.newPage()
    await page.goto(app.origin + address)
    await isLive(page)
    return page
  }
  /** The requests of a browser to the API, and those streams that are open. */
  function listenTo(context: BrowserContext) {
    const asked: string[] = []
    const streams = new Set<object>()
    const refused: string[] = []
    context.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}`)
      if (pathname === '/api/v1/events') streams.add(request)
    })
    context.on('requestfinished', (request) => void streams.delete(request))
    context.on('requestfailed', (request) => void streams.delete(request))
    context.on('response', (response) => {
      if (response.status() === 429) refused.push(response.url())
    })
    return { asked, streams, refused }
  }
  /**
   * Stops all scripts of a tab, as the browser does with one that has been in the background for long. What it holds, such
   * as a lock, stays held.
   *
   * @param first run in the tab when it sleeps
   */
  async function putToSleep(page: Page, first = '0'): Promise<() => Promise<void>> {
    const session = await page.context().newCDPSession(page)
    await session.send('Debugger.enable')
    const sleeps = new Promise((resolve) => session.once('Debugger.paused', resolve))
    await session.send('Debugger.pause')
    await sleeps
    await session.send('Runtime.evaluate', { expression: first })
    return async () => {
      await session.send('Debugger.resume')
      await session.detach()
    }
  }
  /** Brings a tab to the front, or another one before it; headless, every tab believes that it is in front. */
  const setHidden = (page: Page, isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', {
      value: ${JSON.stringify(isHidden ? 'hidden' : 'visible')}, configurable: true,
    })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)

  it('reads one stream in ten tabs, shows a decision of one in all, and asks little while nothing happens', async () => {
    const first = await app.browse()
    const context = first.context()
    const { asked, streams, refused } = listenTo(context)
    await first.goto(`${app.origin}/approvals`)
    await app.signInAt(first)
    const tabs = [first, await another(context, '/approvals')]
    for (const address of TABS) tabs.push(await another(context, address))
    const { symbol } = await waiting()
    const queues = tabs.filter((page) => new URL(page.url()).pathname === '/approvals')
    assert.equal(queues.length, 5)
    for (const page of queues) await row(page, symbol).waitFor()
    assert.equal(streams.size, 1)
    await open(queues[2]!, symbol)
    await queues[2]!.getByRole('button', { name: 'Approve', exact: true }).click()
    await queues[2]!.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
    for (const page of queues) await row(page, symbol).waitFor({ state: 'detached' })
    for (const address of ['/signals', '/orders', '/positions']) {
      const page = tabs.find((tab) => new URL(tab.url()).pathname === address)!
      await page.getByRole('link', { name: symbol }).filter({ visible: true }).first().waitFor()
    }
    const [front, ...others] = tabs
    for (const page of others) await setHidden(page, true)
    // What the news have set off is over.
    await first.waitForTimeout(5_000)
    asked.splice(0)
    await first.waitForTimeout(30_000)
    console.log(`      ${asked.length} requests of ten tabs in 30 s`)
    assert.ok(asked.length <= 15, asked.join('\n'))
    assert.deepEqual([streams.size, refused], [1, []])
    // A tab that comes to the front shows what has changed meanwhile.
    const positions = tabs.find((tab) => new URL(tab.url()).pathname === '/positions')!
    await app.stack.venue.pin(symbol, 321.45)
    await setHidden(front!, true)
    await setHidden(positions, false)
    await positions.getByRole('row', { name: symbol }).getByText('$321.45').first().waitFor()
  })

  it('goes on in another tab at once when the tab is closed that reads the stream', async () => {
    const first = await app.signIn()
    const second = await another(first.context())
    await first.close()
    const { symbol } = await waiting()
    await row(second, symbol).waitFor()
    await isLive(second)
  })

  it('the web app in many tabs, and after a sleep is live in the tab that is looked at although the tab that reads the stream sleeps', async () => {
    const first = await app.signIn()
    const context = first.context()
    const { streams } = listenTo(context)
    const second = await another(context)
    const wake = await putToSleep(first)
    // Opened now, a tab hears that nobody answers, and reads itself.
    const third = await context.newPage()
    await third.goto(`${app.origin}/approvals`)
    await isLive(third)
    const { symbol } = await waiting()
    await row(third, symbol).waitFor()
    await row(second, symbol).waitFor()
    await wake()
    await row(first, symbol).waitFor()
    await eventually(() => assert.equal(streams.size, 1))
  })

  it('the web app in many tabs, and after a sleep is live again in an open tab half a minute after the one that reads the stream fell asleep', async () => {
    const first = await app.signIn()
    const second = await another(first.context())
    const wake = await putToSleep(first)
    const { symbol } = await waiting()
    await row(second, symbol).waitFor({ timeout: SILENCE_MS + 15_000 })
    await isLive(second)
    await wake()
    await isLive(first)
    await row(first, symbol).waitFor()
  })

  it('the web app in many tabs, and after a sleep is true again after an hour of sleep: signed in anew, read anew, and nothing of before is sent', async () => {
    const page = await app.browse()
    await page.addInitScript(`
      const now = Date.now.bind(Date), steady = performance.now.bind(performance)
      globalThis.slept = 0
      Date.now = () => now() + slept
      performance.now = () => steady() + slept`)
    await page.goto(`${app.origin}/approvals`)
    await app.signInAt(page)
    const decided = await waiting()
    const mine = await waiting()
    await open(page, mine.symbol)
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByLabel('Reason').press('Enter')
    await page.getByRole('button', { name: /^Undo/ }).waitFor()
    const wake = await putToSleep(page, `slept = ${HOUR_MS}`)
    const person = await app.stack.signIn()
    assert.equal((await person.post(`/signals/${decided.id}/reject`, {})).status, 200)
    const later = await waiting()
    // The connection does not survive an hour.
    await app.stack.parts.api.restart()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname)
    })
    await wake()
    await page.getByText('This device slept before it was sent.').first().waitFor()
    await row(page, later.symbol).waitFor()
    await row(page, decided.symbol).waitFor({ state: 'detached' })
    await isLive(page)
    assert.deepEqual(sent, ['/api/v1/auth/refresh'])
    assert.equal((await recordOf(mine.id)).status, 'pending')
    await open(page, later.symbol)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('heading', { name: `Bought 10 ${later.symbol}` }).waitFor()
  })
})
