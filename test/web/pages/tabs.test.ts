import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { fillSignIn, useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'
import { addPerson } from '../people.ts'

/** What ten tabs show; the first one reads the stream. */
const TABS = ['/approvals', '/approvals', '/approvals', '/signals', '/orders', '/positions', '/', '/alerts']
const HOUR_MS = 3_600_000

describe('many tabs of the web app', function () {
  this.timeout(90_000)
  const app = useApp()

  describe('the web app in many tabs, and after a sleep', function () {
    this.timeout(180_000)
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

    it('the web app in many tabs, and after a sleep is true again after an hour of sleep: signed in again, read again, and nothing of before is sent', async () => {
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
      await page.getByText('This device was asleep before it was sent.').first().waitFor()
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

  describe('a session of the web app in many tabs, as it ends', function () {
    const { waiting, open, recordOf } = useSignals(app)

    const atSignIn = (page: Page, within = 10_000) =>
      page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: within })
    const atApprovals = (page: Page, within = 10_000) =>
      page.getByRole('heading', { name: 'Approvals' }).waitFor({ timeout: within })
    const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click()
    async function another(first: Page): Promise<Page> {
      const page = await first.context().newPage()
      await page.goto(`${app.origin}/approvals`)
      await atApprovals(page)
      return page
    }
    const markIn = (page: Page) => page.evaluate<string | null>(`localStorage.getItem('signed-in')`)
    const openSessions = async () =>
      (await app.stack.query<{ id: string }>('select id from sessions where ended_at is null')).length

    it('takes its unanswered questions along: the next person neither sees nor confirms them', async () => {
      const page = await app.signIn()
      const person = await app.stack.signIn()
      await person.put('/settings/halt', { level: 'pauseEntries', reason: 'earnings day' })
      try {
        await page.getByText('Entries are paused').waitFor()
        await app.stack.query(`update sessions set verified_at = now() - interval '6 minutes'`)
        await page.getByRole('button', { name: 'Resume…' }).click()
        await page.getByRole('button', { name: 'Resume', exact: true }).click()
        await page.getByRole('alertdialog', { name: 'Confirm your identity' }).waitFor()
        await signOut(await another(page))
        await atSignIn(page)
        const sent: string[] = []
        page.on('request', (request) => {
          if (request.method() === 'DELETE') sent.push(request.url())
        })
        await fillSignIn(page, await addPerson(app))
        await page.getByText('Nothing needs approval').first().waitFor()
        assert.equal(await page.getByRole('alertdialog').count(), 0)
        assert.deepEqual(sent, [])
      } finally {
        const { status } = await (await app.stack.signIn()).delete('/settings/halt')
        assert.equal(status, 200)
      }
    })

    it('ends in all tabs at once while the service does not answer the sign-out', async () => {
      const page = await app.signIn()
      const other = await another(page)
      const { id, symbol } = await waiting()
      await open(page, symbol)
      await page.keyboard.press('r')
      await page.getByRole('button', { name: 'Reject it' }).click()
      await page.getByRole('button', { name: /^Undo/ }).waitFor()
      await page.context().route('**/auth/logout', () => new Promise(() => {}))
      await signOut(page)
      for (const tab of [page, other]) await atSignIn(tab, 2_000)
      await page.getByText('The service has not confirmed it yet').waitFor({ timeout: 15_000 })
      // What was decided before is sent all the same, and the end is told when the app is opened again.
      await eventually(async () => assert.equal((await recordOf(id)).status, 'rejected'))
      const before = await openSessions()
      await page.context().unroute('**/auth/logout')
      await page.reload()
      await atSignIn(page)
      await eventually(async () => assert.equal(await openSessions(), before - 1))
      await eventually(async () => assert.equal(await markIn(page), null))
    })

    it('stays ended when the answer to a renewal at another tab comes after the sign-out', async () => {
      const page = await app.signIn()
      const other = await another(page)
      let letThrough = (): void => {}
      const isOut = new Promise<void>((resolve) => (letThrough = resolve))
      let isAsked = false
      await other.route('**/auth/refresh', async (route) => {
        const answer = await route.fetch()
        isAsked = true
        await isOut
        await route.fulfill({ response: answer })
      })
      await other.reload()
      await eventually(() => assert.ok(isAsked))
      await signOut(page)
      await atSignIn(page)
      letThrough()
      await atSignIn(other)
      await eventually(async () => assert.equal(await markIn(other), null))
      await other.reload()
      await atSignIn(other)
    })

    for (const status of [503, 429])
      it(`asks again where a renewal is answered with ${status}, and says nothing of a missing connection`, async () => {
        const page = await app.browse()
        await page.addInitScript(`new MutationObserver(() => {
        if (document.body?.innerText.includes('No connection')) globalThis.saidNoConnection = true
      }).observe(document, { childList: true, subtree: true, characterData: true })`)
        await page.goto(`${app.origin}/approvals`)
        await app.signInAt(page)
        let asked = 0
        await page.route('**/auth/refresh', (route) =>
          ++asked <= 2 ? route.fulfill({ status, json: { success: false } }) : route.continue(),
        )
        await page.reload()
        await atApprovals(page, 8_000)
        assert.equal(asked, 3)
        assert.equal(await page.evaluate('globalThis.saidNoConnection'), undefined)
      })

    it('goes on in a tab although another one has fallen asleep as it renewed the session', async () => {
      const page = await app.signIn()
      await page.evaluate(
        `new Promise((taken) => navigator.locks.request('session', () => {
        taken()
        return new Promise(() => {})
      }).catch(() => undefined))`,
      )
      const other = await page.context().newPage()
      await other.goto(`${app.origin}/approvals`)
      await atApprovals(other, 30_000)
    })
  })
})
