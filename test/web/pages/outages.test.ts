import assert from 'node:assert/strict'
import { useApp } from '../browser.ts'
import { newSymbol, useSignals } from '../signals.ts'

/** How far the device of the test with a wrong clock is off, in milliseconds. */
const HOUR = 3_600_000

describe('the web app while something is down', function () {
  this.timeout(90_000)
  const app = useApp({ worker: { BROKER_REQUEST_TIMEOUT: '4s' } })
  const { waiting, recordOf, open } = useSignals(app)
  const until = (ms: number) => ({ validUntil: new Date(Date.now() + ms).toISOString(), timezone: 'UTC' })

  it('decides nothing offline, says since when, sends nothing later, and goes on when it is back', async () => {
    const page = await app.signIn()
    const { id, symbol } = await waiting()
    await open(page, symbol)
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'GET' || sent.push(request.url())))
    await page.context().setOffline(true)
    await page.getByText(/^No connection since/).waitFor()
    for (const name of ['Approve', 'Reject', 'Edit'])
      assert.ok(await page.getByRole('button', { name, exact: true }).isDisabled(), name)
    for (const key of ['a', 'r', 'e']) await page.keyboard.press(key)
    await page.context().setOffline(false)
    await page.getByText(/^No connection since/).waitFor({ state: 'detached' })
    assert.deepEqual(
      sent.filter((url) => !url.endsWith('/auth/refresh')),
      [],
    )
    assert.equal((await recordOf(id)).status, 'pending')
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
  })

  it('tells that the API is down, and shows the signals of the gap once it is back', async () => {
    const page = await app.signIn()
    const { symbol } = await waiting()
    await open(page, symbol)
    await app.stack.parts.api.kill()
    await page.getByText(/^No connection since/).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled())
    await app.stack.parts.api.start()
    const later = await waiting()
    await page.getByRole('button', { name: later.symbol }).waitFor({ timeout: 30_000 })
    await open(page, later.symbol)
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: `Bought 10 ${later.symbol}` }).waitFor()
  })

  it('sends no request twice when the API dies under an approval, and shows the outcome on record', async () => {
    const page = await app.signIn()
    const { id, symbol } = await waiting()
    await open(page, symbol)
    let approvals = 0
    await page.route(`**/signals/${id}/process`, async (route) => {
      approvals++
      await app.stack.parts.api.kill()
      await route.continue()
    })
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Your approval').first().waitFor()
    await app.stack.parts.api.start()
    await page.getByText(/the signal still waited/).waitFor({ timeout: 30_000 })
    assert.deepEqual([approvals, (await recordOf(id)).status], [1, 'pending'])
    await page.unroute(`**/signals/${id}/process`)
    await page.getByRole('button', { name: 'Show it again' }).click()
    await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).click()
    await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
  })

  it('tells that an approval is under way while no worker runs, and that it has filled once one does', async () => {
    const page = await app.signIn()
    const { id, symbol } = await waiting()
    await open(page, symbol)
    await app.stack.parts.worker.kill()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText(/Do not send it again|Your approval/).waitFor({ timeout: 30_000 })
    await app.stack.parts.worker.start()
    await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor({ timeout: 30_000 })
    const { orders } = await app.stack.venue.ledger()
    assert.equal(orders.filter((order) => order.client_order_id.startsWith(id)).length, 1)
  })

  it('says that the broker has not answered, never suggests a second order, and shows the fill when it is found', async () => {
    const page = await app.signIn()
    const symbol = newSymbol()
    const { id } = await waiting({ symbol })
    await open(page, symbol)
    // As long as it stands: an attempt may be made anew at any time, and one that is answered skips what is looked for.
    await app.stack.venue.script([{ symbol, on: 'submit', mode: 'late', hangMs: 8_000 }])
    try {
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('Do not send it again: nothing is sent twice.').waitFor({ timeout: 20_000 })
    } finally {
      await app.stack.venue.clearScript()
    }
    await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor({ timeout: 40_000 })
    const { orders } = await app.stack.venue.ledger()
    assert.equal(orders.filter((order) => order.client_order_id.startsWith(id)).length, 1)
  })

  for (const [name, ahead] of [
    ['ahead', HOUR],
    ['behind', -HOUR],
  ] as const)
    it(`counts by the clock of the service where the device's own is an hour ${name}`, async () => {
      const page = await app.browse()
      await page.addInitScript(`const now = Date.now; Date.now = () => now() + ${ahead}`)
      await page.goto(`${app.origin}/approvals`)
      await app.signInAt(page)
      const { symbol } = await waiting(until(300_000))
      await open(page, symbol)
      await page
        .getByText(/^[45]:[0-5]\d$/)
        .first()
        .waitFor()
      await page.getByText(/checks pass/).waitFor()
      await page.keyboard.press('a')
      await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
    })

  it('tells how long to wait after too many requests, and keeps the session', async () => {
    const page = await app.signIn()
    const { symbol } = await waiting()
    await open(page, symbol)
    await app.stack.parts.api.restart({ RATE_LIMITS: 'on' })
    try {
      await page.getByText(/^No connection since/).waitFor({ state: 'detached', timeout: 30_000 })
      const person = await app.stack.signIn()
      let status = 200
      while (status === 200) ({ status } = await person.get('/me'))
      assert.equal(status, 429)
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Quantity').fill('8')
      await page
        .getByRole('alert')
        .filter({ hasText: /too many|wait|again/i })
        .waitFor()
      await page.getByRole('heading', { name: symbol }).waitFor()
    } finally {
      await app.stack.parts.api.restart()
    }
  })
})
