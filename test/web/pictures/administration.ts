import { fillSignIn, useApp } from '../browser.ts'
import { raiseAlert } from '../alerts.ts'
import { addPerson, codeOf, enrol, signInByTwoSteps } from '../people.ts'
import { useSignals } from '../signals.ts'
import { isAtRest, pictures } from './camera.ts'

describe('pictures of alerts, security and administration', function () {
  this.timeout(180_000)
  const app = useApp()
  const { waiting } = useSignals(app)

  pictures(app, 'every page of them', async ({ device, take }) => {
    const page = await app.signIn(device)
    const { id } = await waiting({ symbol: 'AMD' })
    await raiseAlert(app, 'unprotected_position', {
      signalId: id,
      message: 'The broker rejected the exit: insufficient qty available. It is tried again',
    })
    await raiseAlert(app, 'position_differs', {
      symbol: 'NVDA',
      message: 'The broker shows 50 NVDA where 5 were executed',
    })
    try {
      await page.getByRole('link', { name: 'Alerts, 2 not seen' }).click()
      await page.getByRole('button', { name: /^Seen/ }).nth(1).waitFor()
      await take(page, 'alerts')
    } finally {
      await app.stack.query('delete from alerts')
    }
    const domain = `${device.name}.example.com`
    const grace = await addPerson(app, 'admin', `grace@${domain}`)
    const alan = await addPerson(app, 'member', `alan@${domain}`)
    await app.stack.query(`update users set disabled_at = now() where email = '${alan.email}'`)
    const katherine = await addPerson(app, 'member', `katherine@${domain}`)

    const own = await app.browse(device)
    await own.goto(`${app.origin}/settings/security`)
    await fillSignIn(own, katherine)
    await own.getByRole('table', { name: 'What was done in your name' }).waitFor()
    const sessions = own.getByRole('heading', { name: 'Sessions and devices' })
    await sessions.scrollIntoViewIfNeeded()
    await isAtRest(own)
    await take(own, 'security-sessions')
    await own.evaluate('scrollTo(0, 0)')
    await own.getByRole('button', { name: 'Turn it on…' }).click()
    await own.getByRole('img', { name: /^QR code/ }).waitFor()
    await take(own, 'security')
    const secret = (await own.getByLabel('Secret', { exact: true }).textContent()) ?? ''
    await own.getByLabel('Code from your authenticator').fill(codeOf(secret, 0))
    await own.getByRole('button', { name: 'Turn it on', exact: true }).click()
    await own.getByText('They are shown now and never again').waitFor()
    await take(own, 'security-codes')

    const admin = await app.browse(device)
    await admin.goto(`${app.origin}/administration`)
    await signInByTwoSteps(admin, grace, await enrol(app, grace))
    await admin.getByRole('table', { name: 'Users' }).waitFor()
    await isAtRest(admin)
    await take(admin, 'administration')
    await admin.getByRole('link', { name: katherine.email }).click()
    await admin.getByRole('list', { name: 'Sessions' }).waitFor()
    await take(admin, 'administration-user')
    const parts = admin.getByRole('navigation', { name: 'Administration' })
    await parts.getByText('Log').click()
    await admin.getByRole('table', { name: 'Log' }).waitFor()
    await isAtRest(admin)
    await take(admin, 'administration-log')
    await parts.getByText('Service').click()
    await admin.getByText('Venue server').waitFor()
    await take(admin, 'administration-service')
  })
})
