import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { fileMailbox } from '#api/mail/mailbox.ts'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, assertFits, fillSignIn, useApp } from '../browser.ts'
import { addPerson, codeOf, enrol, signInByTwoSteps, type AddedPerson } from '../people.ts'

describe('the administration', function () {
  this.timeout(120_000)
  const app = useApp()

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
  const statusOfSignIn = async (person: AddedPerson): Promise<number> =>
    (await app.stack.api.post('/auth/login', person)).status
  const openUser = async (page: Page, { email }: Pick<AddedPerson, 'email'>): Promise<void> => {
    await page.getByRole('link', { name: email }).click()
    await page.getByRole('heading', { name: email }).waitFor()
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

  it('asks for a code when the proof is old, and goes on by itself', async () => {
    const person = await addPerson(app, 'admin')
    const secret = await enrol(app, person)
    const page = await app.browse()
    await page.goto(`${app.origin}/approvals`)
    await signInByTwoSteps(page, person, secret)
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await app.stack.query(`update sessions set verified_at = now() - interval '6 minutes',
      second_factor_at = case when second_factor_at is not null then now() - interval '6 minutes' end
      where user_id = (select id from users where email = '${person.email}')`)
    await page.getByRole('link', { name: 'Administration' }).filter({ visible: true }).click()
    const proof = page.getByRole('alertdialog', { name: 'Is it you?' })
    await proof.getByLabel('Code from your authenticator').fill(codeOf(secret, 1))
    await proof.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('table', { name: 'Users' }).getByText(person.email).waitFor()
  })

  it('suspends a user, who is refused at once and signed out, and lets them in again', async () => {
    const person = await addPerson(app)
    const theirs = await app.browse()
    await theirs.goto(`${app.origin}/approvals`)
    await fillSignIn(theirs, person)
    await theirs.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const page = await administrator()
    await openUser(page, person)
    await page.getByRole('list', { name: 'Sessions' }).getByText('Chrome on Linux').waitFor()
    await page.getByRole('button', { name: 'Suspend…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('suspended', { exact: true }).waitFor()
    await page.getByText('Signed in nowhere').waitFor()
    assert.equal(await statusOfSignIn(person), 401)
    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 30_000 })
    await page.getByRole('button', { name: 'Let them in again' }).click()
    await page.getByText('active', { exact: true }).waitFor()
    assert.equal(await statusOfSignIn(person), 200)
  })

  it('stops the trading of one user, who sees it and cannot lift it, and lifts it', async () => {
    const person = await addPerson(app)
    const theirs = await app.browse()
    await theirs.goto(`${app.origin}/approvals`)
    await fillSignIn(theirs, person)
    await theirs.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const page = await administrator()
    await openUser(page, person)
    const panel = page.getByRole('region', { name: 'Their trading' })
    await panel.getByLabel('How much').selectOption('pauseEntries')
    await panel.getByLabel('Why').fill('unpaid fees')
    await panel.getByRole('button', { name: 'Stop their trading' }).click()
    await panel.getByText('“unpaid fees”').waitFor()
    await theirs.getByText('unpaid fees').first().waitFor()
    assert.equal(await theirs.getByRole('button', { name: 'Resume…' }).count(), 0)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.reload()
    await panel.getByText('“unpaid fees”').waitFor()
    await panel.getByRole('button', { name: 'Lift the halt' }).click()
    await panel.getByRole('button', { name: 'Stop their trading' }).waitFor()
    await theirs.getByText('unpaid fees').first().waitFor({ state: 'detached' })
  })

  it('invites a user by a letter, says when the address is taken, and changes role and plan', async () => {
    const page = await administrator()
    const email = `invited-${Date.now()}@example.test`
    await page.getByRole('button', { name: 'Invite…' }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByLabel('Email').fill(app.stack.person.email)
    await sheet.getByRole('button', { name: 'Invite' }).click()
    await sheet.getByText('There is a user with this address already').waitFor()
    await sheet.getByLabel('Email').fill(email)
    await sheet.getByLabel('Plan').selectOption('BASIC')
    await sheet.getByRole('button', { name: 'Invite' }).click()
    await sheet.getByText(`The link for ${email} is in the mailbox`).waitFor()
    const mailbox = fileMailbox(join(dirname(app.stack.logFolder), 'mailbox.jsonl'))
    await eventually(async () => assert.ok((await mailbox.list()).some(({ to }) => to === email)))
    await sheet.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('row', { name: email }).getByText('invited', { exact: true }).waitFor()
    await openUser(page, { email })
    await page.getByLabel('Role').selectOption('admin')
    await page.getByLabel('Plan').selectOption('PRO')
    await page.getByRole('button', { name: 'Change it' }).click()
    await eventually(async () => {
      const [user] = await app.stack.query<{ role: string; plan: string }>(
        `select role, plan from users where email = '${email}'`,
      )
      assert.deepEqual(user, { role: 'admin', plan: 'PRO' })
    })
    await page.getByRole('link', { name: 'What was done in their name' }).click()
    const log = page.getByRole('table', { name: 'Log' })
    await log.getByText('User invited').waitFor()
    assert.equal(await log.getByText('User changed').count(), 1)
    await assertFits(page, 'the log')
  })

  it('ends all sessions of a user, and sends them a link for a new password', async () => {
    const person = await addPerson(app)
    assert.equal(await statusOfSignIn(person), 200)
    const page = await administrator()
    await assertFits(page, 'users')
    await openUser(page, person)
    await assertFits(page, 'a user')
    await page.getByRole('button', { name: 'End all' }).click()
    await page.getByText('Signed in nowhere').waitFor()
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText(`The link for ${person.email} is in the mailbox`).waitFor()
    const mailbox = fileMailbox(join(dirname(app.stack.logFolder), 'mailbox.jsonl'))
    await eventually(async () => {
      const letter = (await mailbox.list()).find(({ to }) => to === person.email)
      assert.match(letter?.text ?? '', /reset-password/)
    })
  })

  it('stops the whole service in words of the effect, shows it to everybody, and resumes it', async () => {
    const page = await administrator()
    const member = await app.browse()
    await member.goto(`${app.origin}/approvals`)
    await fillSignIn(member, await addPerson(app))
    await member.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    await page.getByRole('navigation', { name: 'Administration' }).getByText('Service').click()
    await page.getByText('Nothing is stopped for everybody.').waitFor()
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

  it('the administration never asks for a proof by itself, however old it is and whatever the stream tells', async () => {
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
