import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { fillSignIn, useApp } from '../browser.ts'
import { addPerson, type AddedPerson } from '../people.ts'

const halts = `select user_id from trading_halts where lifted_at is null`

describe('a page elsewhere, in the browser of a person who is signed in at the web app', function () {
  this.timeout(90_000)
  const app = useApp({ api: { RATE_LIMITS: 'on' } })
  let elsewhere: Server
  let html = ''
  /** Headers with which the browser has asked the other port. */
  const heard: IncomingHttpHeaders[] = []
  before(async () => {
    elsewhere = createServer((request, response) => {
      heard.push(request.headers)
      response.setHeader('Content-Type', 'text/html').end(html)
    })
    await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve))
  })
  after(() => {
    elsewhere.close()
    elsewhere.closeAllConnections()
  })
  beforeEach(() => app.stack.query('truncate sign_in_counts, request_counts'))
  const port = () => (elsewhere.address() as AddressInfo).port
  /** Another site, and another port of this one. */
  const origins = () => [`http://evil.localhost:${port()}`, `http://127.0.0.1:${port()}`]
  const show = async (page: Page, origin: string, body: string): Promise<void> => {
    html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${body}`
    await page.goto(`${origin}/`)
  }
  const idOf = async ({ email }: AddedPerson): Promise<string> =>
    (await app.stack.query<{ id: string }>(`select id from users where email = '${email}'`))[0]!.id
  const counts = () =>
    app.stack.query<{ key: string }>(
      `select key from sign_in_counts where key like 'auth:%' or key like 'refresh:%' or key like 'secondFactor:%'`,
    )
  const refreshCookie = async (page: Page): Promise<string> =>
    (await page.context().cookies(app.origin)).find(({ name }) => name === 'dt-refresh')!.value
  const atApprovals = async (page: Page): Promise<void> => {
    await page.goto(`${app.origin}/approvals`)
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
  }

  it('signs it in as no other person by a form: "Stop trading" stops the accounts of the person who presses it', async () => {
    const page = await app.signIn()
    const thief = await addPerson(app)
    const kept = await refreshCookie(page)
    for (const origin of origins())
      for (const form of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const fields = `{"email":"${thief.email}","session":"cookie","password":"${thief.password.replace(' ', '=')}"}`
        const [name = '', value = ''] = fields.split('=')
        await app.stack.query('truncate sign_in_counts')
        const answered = page.waitForResponse((response) => response.url().endsWith('/api/v1/auth/login'))
        await show(
          page,
          origin,
          `<form method=post enctype="${form}" action="${app.origin}/api/v1/auth/login"><input name='${name}' value='${value}'></form><script>document.forms[0].submit()</script>`,
        ).catch(() => undefined)
        assert.equal((await answered).status(), 403, `${origin} ${form}`)
        assert.equal(await refreshCookie(page), kept)
        assert.deepEqual(await counts(), [])
      }
    await atApprovals(page)
    await page.getByRole('button', { name: 'Stop trading' }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText(app.stack.person.email).waitFor()
    await sheet.getByLabel('Why').fill('a page elsewhere')
    await sheet.getByRole('button', { name: 'Pause entries' }).click()
    await page.getByText('Entries are paused').waitFor()
    assert.deepEqual(await app.stack.query(halts), [{ user_id: await idOf(app.stack.person) }])
    assert.equal((await (await app.stack.signIn()).delete('/settings/halt')).status, 200)
  })

  it('a page elsewhere, in the browser of a person who is signed in at the web app on another port is sent the refresh cookie, which renews and ends nothing there', async () => {
    const page = await app.signIn()
    heard.splice(0)
    await show(page, `http://127.0.0.1:${port()}`, '<script>fetch("/anything")</script>')
    await eventually(() => assert.ok(heard.some(({ cookie }) => cookie?.includes('dt-refresh='))))
    const cookie = heard.find((headers) => headers.cookie?.includes('dt-refresh='))!.cookie!
    const [, refreshToken] = /dt-refresh=([\w-]+)/.exec(cookie)!
    const redeem = (route: string, body: object, headers: Record<string, string>) =>
      fetch(`${app.origin}/api/v1/auth/${route}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...headers },
      })
    // The other port is a program as well, which may send any header.
    for (const route of ['refresh', 'logout'])
      for (const [body, headers] of [
        [{ refreshToken }, {}],
        [{}, { Cookie: cookie, Origin: app.origin }],
        [{}, { Cookie: cookie, Origin: app.origin, 'Renewal-Key': 'guessed' }],
      ] as const)
        assert.equal((await redeem(route, body, headers)).status, 401)
    await atApprovals(page)
  })

  describe('or another person, in another tab', () => {
    it('ends the first tab with words, and neither tab acts for the other person', async () => {
      const first = await app.signIn()
      const next = await addPerson(app)
      // As if the other tab had been signed out by hand, and this one had not heard of it.
      const second = await first.context().newPage()
      await second.goto(`${app.origin}/sign-in`)
      await second.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
      await second.evaluate(`localStorage.removeItem('signed-in')`)
      await second.evaluate(`sessionStorage.clear()`)
      await second.reload()
      await second.getByRole('heading', { name: 'Sign in' }).waitFor()
      await fillSignIn(second, next)
      await second.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
      await first.getByText('Another user has signed in in this browser').waitFor()
      await first.getByRole('heading', { name: 'Sign in' }).waitFor()
      await first.waitForTimeout(2_000)
      assert.equal(await first.getByText(next.email).count(), 0, 'it stays there')
      await second.getByRole('button', { name: 'Stop trading' }).click()
      await second.getByRole('alertdialog').getByText(next.email).waitFor()
      // Whoever has read that goes on as that person, or as themselves.
      await first.reload()
      await first.getByText(next.email).first().waitFor()
    })

    it('a page elsewhere, in the browser of a person who is signed in at the web app or another person, in another tab is not shown by a tab that comes back after the browser had put it away', async () => {
      const first = await app.signIn()
      const next = await addPerson(app)
      const second = await first.context().newPage()
      await second.goto(`${app.origin}/approvals`)
      await second.getByRole('heading', { name: 'Approvals' }).waitFor()
      // What the tab keeps stays with it; what it had in memory does not.
      await first.goto('about:blank')
      await second.getByRole('button', { name: 'Sign out' }).click()
      await second.getByRole('heading', { name: 'Sign in' }).waitFor()
      await fillSignIn(second, next)
      await second.getByText(next.email).first().waitFor()
      await first.goto(`${app.origin}/approvals`)
      await first.getByText('Another user has signed in in this browser').waitFor()
      assert.equal(await first.getByText(next.email).count(), 0)
    })
  })
})
