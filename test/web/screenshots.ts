import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { useApp } from './browser.ts'

const FOLDER = join(REPOSITORY, 'docs', 'images')

/** Writes the pictures of the documentation: npm run screenshots. */
describe('pictures of the web application', function () {
  this.timeout(120_000)
  const app = useApp()
  const send = (symbol: string, minutes: number, changes: object = {}) =>
    app.stack.api.post('/signals', {
      symbol,
      action: 'openLong',
      accountId: app.stack.accountId,
      quantity: 10,
      executeMode: 'pending',
      validUntil: new Date(Date.now() + minutes * 60_000).toISOString(),
      timezone: 'America/New_York',
      ...changes,
    })

  it('show sign-in and approvals on the desk in light and on the phone in dark', async () => {
    mkdirSync(FOLDER, { recursive: true })
    const devices = [
      { name: 'desk-light', width: 1440, height: 900, theme: 'light' },
      { name: 'phone-dark', width: 390, height: 844, theme: 'dark' },
    ] as const
    for (const { name, ...device } of devices) {
      const signIn = await app.browse(device)
      await signIn.goto(`${app.origin}/sign-in`)
      await signIn.getByRole('heading', { name: 'Sign in' }).waitFor()
      await signIn.screenshot({ path: join(FOLDER, `sign-in-${name}.png`) })
      const page = await app.signIn(device)
      await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
      await page.screenshot({ path: join(FOLDER, `approvals-empty-${name}.png`) })
      await send('AAPL', 5, { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 })
      await send('TSLA', 1, { action: 'openShort', quantity: 40, orderType: 'limit', limitPrice: 330 })
      await send('MSFT', 23, { quantity: 5, quantityType: 'percentEquity' })
      const row = page.getByRole('list', { name: 'Waiting signals' }).getByRole('button', { name: 'AAPL' })
      await row.click()
      await page.getByText(/checks pass/).waitFor()
      await page.screenshot({ path: join(FOLDER, `approvals-${name}.png`) })
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText(/Filled|Works at the broker/).waitFor()
      await page.screenshot({ path: join(FOLDER, `approved-${name}.png`) })
      await page.getByRole('button', { name: 'Stop trading' }).click()
      await page.getByRole('alertdialog').waitFor()
      await page.screenshot({ path: join(FOLDER, `stop-trading-${name}.png`) })
      const person = await app.stack.signIn()
      const { body } = await person.get('/signals?status=pending&limit=100')
      await person.post('/signals/reject', {
        ids: body.data.signals.map(({ id }: { id: string }) => id),
      })
    }
  })
})
