import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { money } from '#web/words/figures.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol, useSignals } from '../signals.ts'

/** How far the device of the test with a wrong clock is off, in milliseconds. */
const HOUR = 3_600_000

describe('decisions in the web app', function () {
  this.timeout(90_000)
  const app = useApp({
    api: { LIVE_TRADING: 'enabled' },
    worker: { LIVE_TRADING: 'enabled', BROKER_REQUEST_TIMEOUT: '4s' },
  })

  describe('a signal that waits in the web app', function () {
    const { waiting, recordOf, row, open, priceOf } = useSignals(app)
    const ordersOf = async (id: string) =>
      (await app.stack.venue.ledger()).orders.filter((order) => order.client_order_id.startsWith(id))

    it('takes a rejection back within five seconds, and sends it with its reason after them', async () => {
      const page = await app.signIn()
      const { id, symbol } = await waiting()
      await open(page, symbol)
      await page.keyboard.press('r')
      await page.getByLabel('Reason').fill('earnings day')
      await page.getByRole('button', { name: 'Reject it' }).click()
      await page.getByRole('button', { name: /^Undo/ }).click()
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
      assert.equal((await recordOf(id)).status, 'pending')
      await page.keyboard.press('r')
      await page.getByLabel('Reason').fill('earnings day')
      await page.getByRole('button', { name: 'Reject it' }).click()
      await page.getByText('Rejected: earnings day. Nothing was sent.').waitFor()
      const record = await recordOf(id)
      assert.equal(record.status, 'rejected')
      assert.match(JSON.stringify(record), /earnings day/)
    })

    it('sends a rejection at once when the page is left', async () => {
      const page = await app.signIn()
      const { id, symbol } = await waiting()
      await open(page, symbol)
      await page.keyboard.press('r')
      await page.getByRole('button', { name: 'Reject it' }).click()
      await page.getByRole('button', { name: /^Undo/ }).waitFor()
      await page.goto('about:blank')
      await eventually(async () => assert.equal((await recordOf(id)).status, 'rejected'), { within: 4_000 })
    })

    it('checks an edit while it is typed and approves with it', async () => {
      const page = await app.signIn()
      const symbol = newSymbol()
      const price = Math.floor(await priceOf(symbol))
      const { id } = await waiting({ symbol, orderType: 'limit', limitPrice: price })
      await open(page, symbol)
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Quantity').fill('7')
      await page.getByText(`${symbol} 0 → 7 shares`).waitFor()
      await page.getByLabel('Limit price ($)').fill(String(price + 1))
      await page.getByText(money(7 * (price + 1)), { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page
        .getByRole('heading', { name: `Bought 7 ${symbol}` })
        .or(page.getByText('Working at the broker'))
        .waitFor()
      const { quantity, limitPrice, status } = await recordOf(id)
      assert.deepEqual([quantity, limitPrice, status], [7, price + 1, 'executed'])
    })

    it('sends one order and shows both the same outcome when two devices approve at once', async () => {
      const [first, second] = await Promise.all([app.signIn(), app.signIn()])
      const { id, symbol } = await waiting()
      await Promise.all([open(first, symbol), open(second, symbol)])
      await Promise.all([first, second].map((page) => page.keyboard.press('a')))
      for (const page of [first, second])
        await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
      assert.equal((await ordersOf(id)).length, 1)
    })

    it('stays unsure while the answer to an approval is missing, and shows the fill once the record has it', async () => {
      const page = await app.signIn()
      const { id, symbol } = await waiting()
      await open(page, symbol)
      let arrive: () => void = () => undefined
      const isLate = new Promise<void>((resolve) => (arrive = resolve))
      await page.route(`**/signals/${id}/process`, async (route) => {
        // The answer is lost at once; the request itself arrives later.
        const asked = route.request()
        await route.abort('connectionreset')
        await isLate
        await fetch(asked.url(), { method: 'POST', headers: asked.headers(), body: asked.postData() })
      })
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText(/the signal still waited/).waitFor()
      assert.equal(await page.getByText('Nothing was done').count(), 0)
      arrive()
      await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
      assert.equal(await page.getByText('Your decision changed nothing.').count(), 0)
    })

    it('a signal that waits in the web app waits on when the price has moved beyond the limit between look and press, is off with the reason, and is bought once the price is back', async () => {
      const page = await app.signIn()
      const symbol = newSymbol()
      await app.stack.venue.pin(symbol, 100)
      const { id } = await waiting({ symbol })
      await open(page, symbol)
      await page.getByText(/^was \$100\.00 at arrival/).waitFor()
      await page.getByText('Moved, of 5 % allowed').waitFor()
      await app.stack.venue.pin(symbol, 107)
      await page.keyboard.press('a')
      await page.getByText(/^Your approval was not accepted/).waitFor()
      await page.getByText('Would be refused: price moved more than 5 %', { exact: true }).waitFor()
      const approve = page.getByRole('button', { name: 'Approve', exact: true })
      assert.equal(await approve.getAttribute('aria-disabled'), 'true')
      await row(page, symbol).getByText('would be refused: price moved more than 5 %').waitFor()
      await page.keyboard.press('a')
      assert.equal((await recordOf(id)).status, 'pending')
      assert.deepEqual(await ordersOf(id), [])
      await app.stack.venue.pin(symbol, 100)
      await page.locator('button[aria-disabled=false]', { hasText: 'Approve' }).waitFor({ timeout: 40_000 })
      await page.keyboard.press('a')
      await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
      assert.equal((await ordersOf(id)).length, 1)
    })

    it('decides several at once, with an outcome for each', async () => {
      const page = await app.signIn()
      const moved = newSymbol()
      await app.stack.venue.pin(moved, 100)
      const [bought, refused] = [await waiting(), await waiting({ symbol: moved })]
      await row(page, bought.symbol).waitFor()
      await page.getByRole('button', { name: 'Select' }).click()
      for (const { symbol } of [bought, refused]) await page.getByLabel(`Select Buy 10 ${symbol}`).check()
      await app.stack.venue.pin(moved, 150)
      const bar = page.getByText(/^2 orders, about \$/).locator('../..')
      await bar.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('heading', { name: `Bought 10 ${bought.symbol}` }).waitFor()
      // On its card, or in its line: the first of the queue is open.
      await page
        .getByText(/^(Your approval was not|Not) accepted\./)
        .first()
        .waitFor()
      assert.equal((await recordOf(bought.id)).status, 'executed')
      assert.equal((await recordOf(refused.id)).status, 'pending')
    })

    it('spends real money by two presses in two places and a fresh proof, and then goes on by itself', async () => {
      const { id, symbol } = await waiting()
      const { accountId } = app.stack
      await app.stack.query(`update accounts set is_demo = false where id = '${accountId}'`)
      await app.stack.query(`update users set trading_mode = 'LIVE'`)
      try {
        for (const device of [{ width: 390, height: 844 }, {}]) {
          const page = await app.signIn(device)
          await open(page, symbol)
          // On the phone the open card is not in the list as well.
          if (!('width' in device)) await row(page, symbol).getByText('LIVE').waitFor()
          await page.getByText(/checks pass/).waitFor()
          assert.deepEqual(await accessibilityFaults(page), [])
          const approve = page.getByRole('button', { name: 'Approve…' })
          const at = await approve.boundingBox()
          await approve.dblclick()
          const confirm = page.getByRole('button', { name: 'Buy with real money' })
          await confirm.waitFor()
          const confirmAt = await confirm.boundingBox()
          assert.ok(at && confirmAt)
          assert.ok(confirmAt.y + confirmAt.height < at.y || at.y + at.height < confirmAt.y, 'they overlap')
          assert.deepEqual(await accessibilityFaults(page), [])
          for (const key of ['a', 'Enter']) await page.keyboard.press(key)
          assert.equal((await recordOf(id)).status, 'pending', 'what has the focus first does not buy')
        }
        const page = await app.signIn()
        await open(page, symbol)
        await app.stack.query(`update sessions set verified_at = now() - interval '6 minutes'`)
        await page.getByRole('button', { name: 'Approve…' }).click()
        await page.getByRole('button', { name: 'Buy with real money' }).click()
        const sheet = page.getByRole('alertdialog', { name: 'Confirm your identity' })
        await sheet.waitFor()
        assert.equal((await recordOf(id)).status, 'pending')
        await sheet.getByLabel('Password').fill(app.stack.person.password)
        await sheet.getByRole('button', { name: 'Go on' }).click()
        await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
        assert.equal((await ordersOf(id)).length, 1)
      } finally {
        await app.stack.query(`update accounts set is_demo = true where id = '${accountId}'`)
        await app.stack.query(`update users set trading_mode = 'PAPER'`)
      }
    })
  })

  describe('the web app while something is down', function () {
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

    it("counts by the clock of the service where the device's own is an hour ahead", async () => {
      const page = await app.browse()
      await page.addInitScript(`const now = Date.now; Date.now = () => now() + ${HOUR}`)
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
  })
})
