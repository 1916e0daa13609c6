import assert from 'node:assert/strict'
import { raiseAlert } from '../alerts.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
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

  it('cost no request while nothing happens', async () => {
    const page = await app.signIn()
    // The bell reads once for itself, after the page has what it is about.
    const isBell = (url: string) => url.includes('/api/v1/alerts?') && url.includes('limit=100')
    await page.goto('about:blank')
    const bell = page.waitForResponse((response) => isBell(response.url()))
    await page.goto(`${app.origin}/alerts`)
    await page.getByText('No alert is open').waitFor()
    await bell
    const asked: string[] = []
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await page.waitForTimeout(20_000)
    assert.ok(asked.length <= 10, asked.join('\n'))
    assert.ok(!asked.includes('/api/v1/alerts'), asked.join('\n'))
  })

  it('the alerts are accessible and fit at 1440, 390 and 320 px in both themes', async () => {
    const { id } = await waiting()
    await raiseAlert(app, 'unprotected_position', {
      signalId: id,
      message: `The exit cannot be sent: ${'x'.repeat(90)}`,
    })
    await raiseAlert(app, 'untrusted_message', { message: 'A message was dropped' })
    await raiseAlert(app, 'fill_after_end', { message: 'The broker reported a fill' })
    for (const theme of ['light', 'dark'] as const) {
      const page = await app.signIn({ theme })
      await page.goto(`${app.origin}/alerts`)
      for (const width of [1440, 390, 320]) {
        await page.setViewportSize({ width, height: 844 })
        await page.getByRole('button', { name: /^Seen/ }).nth(2).waitFor()
        assert.deepEqual(await accessibilityFaults(page), [], `${theme} ${width}`)
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(wide <= 0, `${wide} px too wide at ${width}`)
      }
    }
  })
})
