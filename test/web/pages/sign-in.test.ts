import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, fillSignIn, useApp } from '../browser.ts'
import { linkFor } from '../letters.ts'

describe('signing in at the web app', function () {
  this.timeout(60_000)
  const app = useApp({ api: { REGISTRATION: 'open' } })

  const atApprovals = (page: Page) => page.getByRole('heading', { name: 'Approvals' }).waitFor()
  /** Where those begin who have never sent a signal. */
  const atToday = (page: Page) => page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
  const signOut = async (page: Page) => {
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  /** Registers somebody in the browser, by the link of the letter. */
  async function register(page: Page): Promise<{ email: string; password: string }> {
    const person = { email: `${randomUUID()}@example.test`, password: `harbour lantern ${randomUUID()}` }
    await page.goto(`${app.origin}/sign-in`)
    await page.getByRole('link', { name: 'Register' }).click()
    // The form of sign-in has the same fields and stays until the code of the next page has come.
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    assert.equal(await page.getByLabel('Set-up secret').count(), 0)
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText(/its mailbox, which npm start names/).waitFor()
    await page.goto(await linkFor(app, person.email))
    await page.getByLabel('The password that you chose').fill(person.password)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('You are registered. Sign in now.').waitFor()
    return person
  }

  it('signing in at the web app is refused with a wrong password, lasts over a reload, and ends with the sign-out', async () => {
    const page = await app.browse()
    await page.goto(`${app.origin}/approvals`)
    await fillSignIn(page, { email: app.stack.person.email, password: 'not the password' })
    await page.getByRole('alert').waitFor()
    await fillSignIn(page, app.stack.person)
    await atApprovals(page)
    await page.reload()
    await atApprovals(page)
    await signOut(page)
    await page.goto(`${app.origin}/approvals`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('leaves nothing for scripts to take but half a session: the refresh token is in a cookie that they cannot read', async () => {
    const page = await app.signIn()
    const readable = 'document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })'
    assert.doesNotMatch(await page.evaluate<string>(readable), /refresh|eyJ/)
    const cookies = await page.context().cookies()
    assert.ok(cookies.length > 0)
    for (const { name, httpOnly, sameSite } of cookies)
      assert.deepEqual([httpOnly, sameSite], [true, 'Strict'], name)
  })

  it('goes to sign-in once from an address inside, and back to that address afterwards', async () => {
    for (const [address, heading] of [
      ['/settings', 'Settings'],
      ['/device?code=ABCD-EFGH', 'Confirm a device'],
      ['/', 'Today'],
    ] as const) {
      const page = await app.browse()
      const seen: string[] = []
      page.on('framenavigated', (frame) => void seen.push(new URL(frame.url()).pathname))
      await page.goto(`${app.origin}${address}`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      assert.equal(seen.filter((pathname) => pathname === '/sign-in').length, 1, seen.join(' '))
      await fillSignIn(page, app.stack.person)
      await page.getByRole('heading', { name: heading }).waitFor()
      assert.ok(page.url().startsWith(app.origin + address), page.url())
    }
  })

  it('signing in at the web app never takes another site for the way back from a sign-in', async () => {
    const page = await app.browse()
    await page.goto(`${app.origin}/sign-in?to=${encodeURIComponent('//elsewhere.example/approvals')}`)
    await fillSignIn(page, app.stack.person)
    await atToday(page)
    assert.equal(new URL(page.url()).origin, app.origin)
  })

  it('asks for a fresh proof where one is needed, and the action then goes on by itself', async () => {
    const page = await app.signIn()
    const person = await app.stack.signIn()
    await person.put('/settings/halt', { level: 'pauseEntries', reason: 'earnings day' })
    await page.getByText('Entries are paused').waitFor()
    await app.stack.query(`update sessions set verified_at = now() - interval '6 minutes'`)
    await page.getByRole('button', { name: 'Resume…' }).click()
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    const sheet = page.getByRole('alertdialog', { name: 'Confirm your identity' })
    assert.deepEqual(await accessibilityFaults(page), [])
    await sheet.getByLabel('Password').fill('not the password')
    await sheet.getByRole('button', { name: 'Go on' }).click()
    await sheet
      .getByRole('alert')
      .or(sheet.getByText(/password/i).nth(1))
      .first()
      .waitFor()
    await sheet.getByLabel('Password').fill(app.stack.person.password)
    await sheet.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Entries are paused').waitFor({ state: 'detached' })
  })

  it('begins with a registration and its letter, and again after a forgotten password', async () => {
    const page = await app.browse({ width: 390, height: 844 })
    const { email, password } = await register(page)
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await page.getByRole('link', { name: 'Forgotten password' }).click()
    await page.getByRole('heading', { name: 'Forgotten password' }).waitFor()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText(/its mailbox, which npm start names/).waitFor()
    await eventually(async () => assert.match(await linkFor(app, email), /reset-password/))
    await page.goto(await linkFor(app, email))
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Keep this password' }).click()
    await page.locator('[aria-invalid="true"]').waitFor()
    await page.getByLabel('New password').fill(`${password} anew`)
    await page.getByRole('button', { name: 'Keep this password' }).click()
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await fillSignIn(page, { email, password })
    await page.getByRole('alert').waitFor()
    await fillSignIn(page, { email, password: `${password} anew` })
    await atToday(page)
  })

  it('lets a device in after its name and code were seen', async () => {
    const { body } = await app.stack.api.post('/auth/device-login', { deviceName: 'Terminal of ada' })
    const page = await app.browse({ width: 320, height: 640 })
    await page.goto(`${app.origin}/device?code=${body.data.userCode}`)
    await fillSignIn(page, app.stack.person)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText(/^Terminal of ada at .* wants to sign in as you$/).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The device is signed in').waitFor()
    const { deviceCode } = body.data
    const answer = await app.stack.api.post('/auth/device-login/token', { deviceCode })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  })

  it('the first visit, at the sign-in page, takes few requests and bytes', async () => {
    const page = await app.browse()
    const session = await page.context().newCDPSession(page)
    let [requests, bytes] = [0, 0]
    await session.send('Network.enable')
    session.on('Network.requestWillBeSent', () => (requests += 1))
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto(`${app.origin}/`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.ok(requests <= 15 && bytes <= 190_000, `${requests} requests, ${bytes} bytes`)
  })
})
