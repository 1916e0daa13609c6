import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { accessibilityFaults, assertFits, fillSignIn, useApp } from '../browser.ts'
import { type AddedPerson, addPerson, codeOf, enrol, signInByTwoSteps } from '../people.ts'

describe('security and administration in the web app', function () {
  this.timeout(120_000)
  const app = useApp()

  describe('the security page', function () {
    /** Another browser, signed in as the person and at their security. */
    async function atSecurity(person: AddedPerson): Promise<Page> {
      const page = await app.browse()
      await page.goto(`${app.origin}/settings/security`)
      await fillSignIn(page, person)
      await page.getByRole('heading', { name: 'Sessions and devices' }).waitFor()
      return page
    }
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
      await page.getByText('Shown only once').waitFor()
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

    it('shows where its user is signed in, ends one session, and then all others', async () => {
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
        .getByRole('table', { name: 'Your activity log' })
        .getByText('Session ended')
        .first()
        .waitFor()
    })
  })

  describe('the administration', function () {
    /** An administrator with two-step sign-in, signed in by it and at the list of users. */
    async function administrator(): Promise<Page> {
      const person = await addPerson(app, 'admin')
      const secret = await enrol(app, person)
      const page = await app.browse()
      await page.goto(`${app.origin}/administration`)
      await signInByTwoSteps(page, person, secret)
      await page.getByRole('table', { name: 'Users' }).waitFor()
      return page
    }

    it('the administration is shown to administrators only, and to them with two-step sign-in only', async () => {
      const member = await app.browse()
      await member.goto(`${app.origin}/administration`)
      await fillSignIn(member, await addPerson(app))
      await member.getByText('For administrators only').waitFor()
      assert.equal(
        await member.getByRole('navigation', { name: 'Main' }).getByText('Administration').count(),
        0,
      )
      const admin = await app.browse()
      await admin.goto(`${app.origin}/approvals`)
      await fillSignIn(admin, await addPerson(app, 'admin'))
      await admin.getByRole('link', { name: 'Administration' }).filter({ visible: true }).click()
      await admin.getByText('Administration needs two-step sign-in').waitFor()
      await admin.getByRole('link', { name: 'Turn it on' }).click()
      await admin.getByRole('heading', { name: 'Security' }).waitFor()
    })

    it('stops the whole service in words of the effect, shows it to everybody, and resumes it', async () => {
      const page = await administrator()
      const member = await app.browse()
      await member.goto(`${app.origin}/approvals`)
      await fillSignIn(member, await addPerson(app))
      await member.getByRole('heading', { name: 'Nothing needs approval' }).waitFor()
      await page.getByRole('navigation', { name: 'Administration' }).getByText('Service').click()
      await page.getByText('Trading is not stopped for all users.').waitFor()
      await assertFits(page, 'the service')
      await page.getByRole('button', { name: 'Stop the whole service…' }).click()
      const sheet = page.getByRole('alertdialog')
      await sheet.getByText('For every user and account, within a second.').waitFor()
      await sheet.getByLabel('Why').fill('the exchange is down')
      await sheet.getByRole('button', { name: /^Full stop/ }).click()
      try {
        await member.getByText('Everything is stopped for the whole service').waitFor()
        assert.equal(await member.getByRole('button', { name: 'Resume…' }).count(), 0)
        await page.getByRole('status').getByRole('button', { name: 'Resume…' }).click()
        await sheet.getByRole('button', { name: 'Resume' }).click()
        await member.getByText('Everything is stopped for the whole service').waitFor({ state: 'detached' })
      } finally {
        await app.stack.query(
          `update trading_halts set lifted_at = now(), lifted_by = 'operator' where lifted_at is null`,
        )
      }
      await page.getByRole('navigation', { name: 'Administration' }).getByText('Log').click()
      await page.getByRole('table', { name: 'Log' }).getByText('Whole service resumed').first().waitFor()
    })

    it('the administration never asks for a proof by itself, however old it is and for any news of the stream', async () => {
      const page = await administrator()
      await app.stack.query(
        `update sessions set verified_at = now() - interval '1 hour', second_factor_at = null`,
      )
      await page.context().setOffline(true)
      await page.getByText(/^No connection since/).waitFor()
      await page.context().setOffline(false)
      await page.getByText(/^No connection since/).waitFor({ state: 'detached' })
      await page.getByRole('table', { name: 'Users' }).waitFor()
      assert.equal(await page.getByRole('alertdialog').count(), 0)
    })
  })
})
