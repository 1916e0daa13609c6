import assert from 'node:assert/strict'
import { raiseAlert } from '../alerts.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

describe('the alerts', function () {
  this.timeout(90_000)
  const app = useApp()
  const { waiting } = useSignals(app)
  afterEach(() => app.stack.query('delete from alerts'))

  it('arrive live under the bell, say what to do, lead to the signal, and are acknowledged', async () => {
    const page = await app.signIn()
    const bell = page.getByRole('link', { name: 'Alerts', exact: true })
    await bell.waitFor()
    const { id, symbol } = await waiting()
    await raiseAlert(app, 'unprotected_position', {
      signalId: id,
      message: 'The exit cannot be sent: insufficient qty',
    })
    await page.getByRole('link', { name: 'Alerts, 1 not seen' }).click()
    const alert = page.getByRole('listitem').filter({ hasText: `${symbol} is unprotected` })
    await alert.getByText('The exit cannot be sent: insufficient qty.').waitFor()
    await alert.getByText(/^Close the position yourself if it cannot wait/).waitFor()
    await raiseAlert(app, 'untrusted_message', { message: 'A message was dropped' })
    await page.getByRole('link', { name: 'Alerts, 2 not seen' }).waitFor()
    await alert.getByRole('button', { name: /^Seen/ }).click()
    await alert.getByText(`seen by ${app.stack.person.email}`).waitFor()
    await page.getByRole('link', { name: 'Alerts, 1 not seen' }).waitFor()
    await alert.getByRole('link', { name: `Open the signal of ${symbol}` }).click()
    await page.getByText(symbol).first().waitFor()
    assert.equal(new URL(page.url()).pathname, `/signals/${id}`)
  })

  it('offer to accept a position of the broker, ask once more, and say why that is refused', async () => {
    await raiseAlert(app, 'position_differs', { symbol: 'SPLIT', message: 'The broker shows 100 SPLIT' })
    const page = await app.signIn()
    await page.goto(`${app.origin}/alerts`)
    const alert = page.getByRole('listitem').filter({ hasText: 'SPLIT is another position at the broker' })
    await alert.getByRole('button', { name: /^Accept: / }).click()
    await alert.getByRole('button', { name: /^Press again to accept it: / }).click()
    await alert.getByText(/The position in SPLIT is not what the alert tells any more/).waitFor()
  })

  it('the alerts are filtered by the address, and those that are over stay under All', async () => {
    await raiseAlert(app, 'fill_amended', { message: 'The broker has corrected an execution' })
    await raiseAlert(app, 'untrusted_message', { message: 'A message was dropped' })
    const page = await app.signIn()
    await page.goto(`${app.origin}/alerts`)
    const list = page.getByRole('list', { name: 'Alerts, the newest first' }).getByRole('listitem')
    await list.nth(1).waitFor()
    await page.getByLabel('Kind').selectOption({ label: 'changed execution' })
    await list.nth(1).waitFor({ state: 'detached' })
    await list.getByRole('button', { name: /^Seen/ }).click()
    // A person alone can tell that it is over.
    await page.getByText('No alert is like that').waitFor()
    await page.getByLabel('All', { exact: true }).check()
    await list.getByText(/over since/).waitFor()
    assert.equal(new URL(page.url()).search, '?kind=fill_amended&state=all')
    await page.getByRole('button', { name: 'Show all' }).click()
    await list.nth(1).waitFor()
  })

  it('say that none is open, how they reach a person, and that no e-mail is sent', async () => {
    const page = await app.signIn()
    await page.getByRole('link', { name: 'Alerts', exact: true }).click()
    await page.getByText('No alert is open').waitFor()
    await page.getByText('No e-mail tells of an alert.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'notifications' }).click()
    await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor()
  })
})
