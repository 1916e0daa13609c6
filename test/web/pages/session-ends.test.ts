import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { fillSignIn, useApp } from '../browser.ts'
import { addPerson } from '../people.ts'
import { useSignals } from '../signals.ts'

describe('a session of the web app in many tabs, as it ends', function () {
  this.timeout(90_000)
  const app = useApp()
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
      await page.getByRole('alertdialog', { name: 'Is it you?' }).waitFor()
      await signOut(await another(page))
      await atSignIn(page)
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'DELETE') sent.push(request.url())
      })
      await fillSignIn(page, await addPerson(app))
      await page.getByText('Nothing waits for you').first().waitFor()
      assert.equal(await page.getByRole('alertdialog').count(), 0)
      assert.deepEqual(sent, [])
    } finally {
      const { status } = await (await app.stack.signIn()).delete('/settings/halt')
      assert.equal(status, 200)
    }
  })

  it('closes what was open: neither the stop sheet nor the command palette is open for the next person', async () => {
    for (const key of ['stop', 'palette']) {
      const page = await app.signIn()
      const other = await another(page)
      if (key === 'stop') await page.getByRole('button', { name: 'Stop trading' }).click()
      else await page.keyboard.press('Control+k')
      await page.getByRole('alertdialog').or(page.getByRole('dialog')).waitFor()
      await signOut(other)
      await atSignIn(page)
      await fillSignIn(page, await addPerson(app))
      await page.getByText('Nothing waits for you').first().waitFor()
      assert.equal(await page.getByRole('alertdialog').or(page.getByRole('dialog')).count(), 0, key)
    }
  })

  it('a session of the web app in many tabs, as it ends is over in all tabs once one of them learns that the service has ended it', async () => {
    const page = await app.signIn()
    const other = await another(page)
    await app.stack.query('update sessions set ended_at = now() where ended_at is null')
    await page.reload()
    for (const tab of [page, other]) await atSignIn(tab)
    // A tab that is loaded after the other one has learned of it finds nobody signed in, and has nothing to explain.
    const said = (tab: Page) => tab.getByText('Your session has ended. Sign in again.').waitFor()
    await Promise.any([said(page), said(other)])
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
    await page.getByText('The service could not be told yet').waitFor({ timeout: 15_000 })
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
