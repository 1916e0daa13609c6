import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { accessibilityFaults, fillSignIn, useApp } from '../browser.ts'
import { addPerson, codeOf, signInByTwoSteps, type AddedPerson } from '../people.ts'

describe('the security page', function () {
  this.timeout(120_000)
  const app = useApp()

  /** Another browser, signed in as the person and at their security. */
  async function atSecurity(person: AddedPerson): Promise<Page> {
    const page = await app.browse()
    await page.goto(`${app.origin}/settings/security`)
    await fillSignIn(page, person)
    await page.getByRole('heading', { name: 'Sessions and devices' }).waitFor()
    return page
  }
  const answerOfSignIn = async ({ email, password }: AddedPerson) =>
    app.stack.api.post('/auth/login', { email, password })
  /** Turns two-step sign-in on; resolves with the secret and the backup codes. */
  async function turnOn(page: Page): Promise<{ secret: string; codes: string[] }> {
    await page.getByRole('button', { name: 'Turn it on…' }).click()
    const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? ''
    assert.match(secret, /^[A-Z2-7]{16,}$/)
    await page.getByRole('img', { name: /^QR code/ }).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByLabel('Code from your authenticator').fill('000000')
    await page.getByRole('button', { name: 'Turn it on', exact: true }).click()
    await page.getByText('code is wrong').waitFor()
    await page.getByLabel('Code from your authenticator').fill(codeOf(secret, -1))
    await page.getByRole('button', { name: 'Turn it on', exact: true }).click()
    await page.getByText('They are shown now and never again').waitFor()
    const codes = await page
      .getByRole('list', { name: 'Backup codes' })
      .getByRole('listitem')
      .allTextContents()
    return { secret, codes }
  }

  it('turns two-step sign-in on by a code, hands out backup codes once, and asks for the step from then on', async () => {
    const person = await addPerson(app)
    const page = await atSecurity(person)
    const { secret, codes } = await turnOn(page)
    assert.equal(codes.length, 10)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as a file' }).click()
    assert.deepEqual((await readFile(await (await download).path(), 'utf8')).trim().split('\n'), codes)
    // Only the person puts them away.
    await page.keyboard.press('Escape')
    await page.getByRole('list', { name: 'Backup codes' }).waitFor()
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await page.getByText('10 backup codes are left').waitFor()
    assert.equal(await page.getByText(codes[0]!).count(), 0)

    const other = await app.browse()
    await other.goto(`${app.origin}/settings/security`)
    await signInByTwoSteps(other, person, secret)
    await other.getByText('10 backup codes are left').waitFor()
  })

  it('lets a backup code sign in once and never again', async () => {
    const person = await addPerson(app)
    const page = await atSecurity(person)
    const { codes } = await turnOn(page)
    for (const isGood of [true, false]) {
      const other = await app.browse()
      await other.goto(`${app.origin}/settings/security`)
      await fillSignIn(other, person)
      await other.getByRole('button', { name: 'Use a backup code' }).click()
      await other.getByLabel('Backup code').fill(codes[0]!)
      await other.getByRole('button', { name: 'Sign in' }).click()
      if (isGood) await other.getByText('9 backup codes are left').waitFor()
      else await other.getByRole('alert').waitFor()
    }
  })

  it('makes new backup codes and turns the step off, both by password and code alone', async () => {
    const person = await addPerson(app)
    const page = await atSecurity(person)
    const { secret, codes } = await turnOn(page)
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await page.getByRole('button', { name: 'New backup codes…' }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByLabel('Password').fill('not the password')
    await sheet.getByLabel('Code from your authenticator').fill(codeOf(secret, 0))
    await sheet.getByRole('button', { name: 'Make new codes' }).click()
    await sheet.getByText('The password is wrong').waitFor()
    await sheet.getByLabel('Password').fill(person.password)
    await sheet.getByRole('button', { name: 'Make new codes' }).click()
    await page.getByText('They are shown now and never again').waitFor()
    const fresh = await page
      .getByRole('list', { name: 'Backup codes' })
      .getByRole('listitem')
      .allTextContents()
    assert.ok(fresh.every((code) => !codes.includes(code)))
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await page.getByRole('button', { name: 'Turn it off…' }).click()
    await sheet.getByLabel('Password').fill(person.password)
    await sheet.getByLabel('Code from your authenticator').fill(fresh[0]!)
    await sheet.getByRole('button', { name: 'Turn it off' }).click()
    await page.getByRole('button', { name: 'Turn it on…' }).waitFor()
    const { body } = await answerOfSignIn(person)
    assert.ok(body.data.accessToken)
  })

  it('changes the password, says what is wrong with it at its field, and ends the other sessions', async () => {
    const person = await addPerson(app)
    const other = await atSecurity(person)
    const page = await atSecurity(person)
    const change = async (current: string, fresh: string) => {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel('New password').fill(fresh)
      await page.getByRole('button', { name: 'Change the password' }).click()
    }
    const fresh = `quiet harbour ${person.email}`.slice(0, 40).replace('@', ' at ')
    await change(person.password, 'password1')
    await page.getByText(/^newPassword /).waitFor()
    assert.equal(await page.getByLabel('New password').getAttribute('aria-invalid'), 'true')
    await change('not the password', `${fresh} lantern`)
    await page.getByText('The password is wrong').waitFor()
    await change(person.password, `${fresh} lantern`)
    await page.getByText('The new password is set; your other sessions were ended').waitFor()
    await page
      .getByRole('table', { name: 'What was done in your name' })
      .getByText('Password changed')
      .waitFor()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 30_000 })
    assert.equal((await answerOfSignIn(person)).status, 401)
    assert.equal((await answerOfSignIn({ ...person, password: `${fresh} lantern` })).status, 200)
  })

  it('shows where somebody is signed in, ends one session, and then all others', async () => {
    const person = await addPerson(app)
    const [first, second, third] = [
      await atSecurity(person),
      await atSecurity(person),
      await atSecurity(person),
    ]
    const page = third
    await page.reload()
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await sessions.nth(2).waitFor()
    assert.equal(await sessions.count(), 3)
    await sessions.nth(0).getByText('this device').waitFor()
    assert.equal(await sessions.nth(0).getByRole('button').count(), 0)
    // The one that was seen last of the others stands first.
    await sessions
      .nth(1)
      .getByRole('button', { name: /^End the session of Chrome on Linux/ })
      .click()
    await sessions.nth(2).waitFor({ state: 'detached' })
    await second.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 30_000 })
    await page.getByRole('button', { name: 'End all others…' }).click()
    await page.getByRole('button', { name: 'End them' }).click()
    await sessions.nth(1).waitFor({ state: 'detached' })
    await first.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 30_000 })
    await page
      .getByRole('table', { name: 'What was done in your name' })
      .getByText('Session ended')
      .first()
      .waitFor()
  })

  it('shows a failed sign-in in the log', async () => {
    const person = await addPerson(app)
    await answerOfSignIn({ ...person, password: 'not the password' })
    const page = await atSecurity(person)
    const log = page.getByRole('table', { name: 'What was done in your name' })
    await log.getByRole('row', { name: 'Sign-in failed: wrong password' }).getByText('not known').waitFor()
    await log
      .getByRole('row', { name: /^Signed in / })
      .getByText('you')
      .waitFor()
  })
})
