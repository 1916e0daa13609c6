import { fillSignIn, useApp } from '../browser.ts'
import { linkFor } from '../letters.ts'
import { addPerson, enrol } from '../people.ts'
import { isAtRest, pictures } from './camera.ts'

describe('pictures of signing in', function () {
  this.timeout(120_000)
  const app = useApp({ api: { REGISTRATION: 'open' } })

  pictures(app, 'every way in', async ({ device, take, show }) => {
    const page = await app.browse(device)
    const goTo = async (path: string, heading: string) => {
      await page.goto(app.origin + path)
      await page.getByRole('heading', { name: heading }).waitFor()
    }
    await goTo('/sign-in', 'Sign in')
    await take(page, 'sign-in')
    await fillSignIn(page, { email: app.stack.person.email, password: 'not the password' })
    await page.getByRole('alert').waitFor()
    await take(page, 'sign-in-refused')

    const person = await addPerson(app, 'member', `ada@${device.name}.example.com`)
    await enrol(app, person)
    await fillSignIn(page, person)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await take(page, 'second-step')

    const email = `grace@${device.name}.example.com`
    const password = 'harbour lantern thirty-nine steps'
    await goTo('/register', 'Register')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await take(page, 'register')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText(/its mailbox, which npm start names/).waitFor()
    await take(page, 'registered')
    await page.goto(await linkFor(app, email))
    await page.getByLabel('The password that you chose').fill(password)
    await take(page, 'confirm')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('You are registered. Sign in now.').waitFor()

    await goTo('/forgot-password', 'Forgotten password')
    await page.getByLabel('Email').fill(email)
    await take(page, 'forgot-password')
    await goTo('/reset-password?token=made-up', 'Choose a new password')
    await page.getByLabel('New password').fill(password)
    await take(page, 'reset-password')

    const { body } = await app.stack.api.post('/auth/device-login', { deviceName: 'Terminal of ada' })
    await page.goto(`${app.origin}/device?code=${body.data.userCode}`)
    await fillSignIn(page, { email, password })
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText(/^Terminal of ada at .* wants to sign in as you$/).waitFor()
    await take(page, 'device')

    await show(page, '/settings', 'Appearance', 'settings')
    await page.goto(`${app.origin}/no-such-page`)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await take(page, 'not-found')
    await app.stack.query(`update users set plan = 'PRO' where email = '${email}'`)
    await page.goto(`${app.origin}/set-up/tokens/new`)
    await isAtRest(page)
    await app.stack.query(`update sessions set verified_at = now() - interval '10 minutes'`)
    await page.getByLabel('Name').fill('my script')
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByRole('alertdialog', { name: 'Is it you?' }).waitFor()
    await take(page, 'proof')
  })
})
