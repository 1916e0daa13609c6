import assert from 'node:assert/strict'
import { useApp } from '../browser.ts'
import { pictures } from './camera.ts'

describe('pictures of the set-up', function () {
  this.timeout(120_000)
  const app = useApp({ venue: { VENUE_CASH: '250000' } })

  before(async () => {
    const person = await app.stack.signIn()
    for (const name of ['Opening range', 'Breakout', 'Earnings drift']) {
      const { status, body } = await person.post('/strategies', { name })
      assert.equal(status, 201, JSON.stringify(body))
    }
  })

  pictures(app, 'every page of it', async ({ device, take, show }) => {
    const page = await app.browse({ ...device, hasWorker: true, mayNotify: true })
    await page.goto(`${app.origin}/settings/notifications`)
    await app.signInAt(page)
    await page.getByRole('button', { name: 'Turn on notifications', disabled: false }).waitFor()
    await page.getByText('No channel yet').waitFor()
    await take(page, 'notifications')
    await show(page, '/set-up', 'Where orders are sent', 'set-up')
    await show(page, '/set-up/brokers', 'Last contact', 'brokers')
    await show(page, '/set-up/brokers/new', 'API secret key', 'broker-new')
    await show(page, '/set-up/accounts', 'Sync now', 'accounts')
    await show(page, '/set-up/strategies', 'Opening range', 'strategies')
    await show(page, '/set-up/tokens/new', 'Place orders', 'token-new')
    await show(page, '/set-up/limits', 'No changes', 'limits')
  })
})
