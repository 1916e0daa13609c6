import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

const PHONE = { width: 390, height: 844, theme: 'dark' } as const

describe('positions in the web app', function () {
  this.timeout(120_000)
  const app = useApp()

  describe('the page of positions', function () {
    const { bought, resting, heldAtVenue } = tradingOf(app)

    /** Closes what earlier tests hold, so that each begins with an empty account. */
    afterEach(async () => {
      const { status } = await app.stack.api.post('/positions/flatten', {})
      assert.ok(status < 300)
      await eventually(async () => assert.deepEqual((await app.stack.venue.ledger()).positions, []), {
        within: 20_000,
      })
      await eventually(async () => {
        const { body } = await app.stack.api.get('/positions')
        assert.deepEqual(body.positions, [])
      })
    })

    it('explains a close before it is confirmed, closes one position, and sends one order', async () => {
      const { symbol } = await bought()
      await resting(symbol, { side: 'SELL', quantity: 10 })
      const page = await app.signIn()
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('button', { name: `Close ${symbol}…` }).click()
      const sheet = page.getByRole('alertdialog')
      await sheet.getByText(`First cancels “Sell 10 ${symbol}`).waitFor()
      await sheet.getByText(`Sell 10 ${symbol} at market`, { exact: true }).waitFor()
      await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
      await sheet.getByText(symbol, { exact: true }).waitFor()
      await sheet.getByRole('button', { name: 'Close', exact: true }).click()
      await page.getByText('No positions', { exact: true }).waitFor({ timeout: 20_000 })
      assert.equal(await heldAtVenue(symbol), 0)
      const { orders } = await app.stack.venue.ledger()
      const sold = orders.filter((order) => order.symbol === symbol && order.side === 'sell')
      assert.deepEqual(
        sold.map(({ status }) => status).toSorted(),
        ['canceled', 'filled'],
        'the resting order was cancelled, and one order closed the position',
      )
    })

    it('a question that is open does not change: where other shares are held by then, it asks again', async () => {
      const { symbol } = await bought()
      const page = await app.signIn()
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('button', { name: `Close ${symbol}…` }).click()
      const sheet = page.getByRole('alertdialog')
      await sheet
        .getByText(/about \$[\d,.]+/)
        .first()
        .waitFor()
      await bought({ symbol })
      await sheet.getByText('The position has changed').waitFor({ timeout: 20_000 })
      await sheet.getByText(`Sell 10 ${symbol} at market`).waitFor()
      assert.ok(await sheet.getByRole('button', { name: 'Sell', exact: true }).isDisabled())
      await sheet.getByRole('button', { name: 'Use the current position' }).click()
      await sheet.getByText(`Sell 20 ${symbol} at market`).waitFor()
      await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
      await sheet.getByText(new RegExp(`^${symbol}: sold 20 at \\$`)).waitFor({ timeout: 20_000 })
    })

    it('closes a position once when the answer is lost and the button is pressed again', async () => {
      const { symbol } = await bought()
      const page = await app.signIn()
      await page.goto(`${app.origin}/positions`)
      let lost = 0
      await page.route(`**/positions/*/${symbol}/close`, async (route) => {
        if (lost++ > 0) return route.continue()
        // It arrives and is done; only its answer does not come back.
        const asked = route.request()
        await fetch(asked.url(), { method: 'POST', headers: asked.headers(), body: asked.postData() })
        return route.abort('connectionreset')
      })
      await page.getByRole('button', { name: `Close ${symbol}…` }).click()
      const sheet = page.getByRole('alertdialog')
      await sheet.getByLabel('Shares').fill('3')
      // What the tests before have asked may have spent the share of looks at the broker.
      await sheet.getByRole('button', { name: 'Sell', exact: true }).click({ timeout: 40_000 })
      await sheet.getByText('Unknown yet: the answer did not arrive').waitFor()
      await sheet.getByRole('button', { name: 'Sell', exact: true }).click()
      await sheet.getByRole('button', { name: 'Close', exact: true }).waitFor()
      await eventually(async () => assert.equal(await heldAtVenue(symbol), 7))
      const { orders } = await app.stack.venue.ledger()
      assert.equal(orders.filter((order) => order.symbol === symbol && order.side === 'sell').length, 1)
    })

    it('the page of positions never closes a position of real money by one press', async () => {
      const { symbol } = await bought()
      await app.stack.query(`update accounts set is_demo = false where id = '${app.stack.accountId}'`)
      try {
        const page = await app.signIn()
        await page.goto(`${app.origin}/positions`)
        await page.getByRole('button', { name: `Close ${symbol}…` }).dblclick()
        const sheet = page.getByRole('alertdialog')
        await sheet.getByText('LIVE · real money').waitFor()
        await sheet.getByRole('button', { name: 'Sell with real money' }).waitFor()
        assert.deepEqual(await accessibilityFaults(page), [])
        await sheet.getByRole('button', { name: 'Go back' }).click()
        assert.equal(await heldAtVenue(symbol), 10)
      } finally {
        await app.stack.query(`update accounts set is_demo = true where id = '${app.stack.accountId}'`)
      }
    })
  })

  describe('the page of a symbol', function () {
    const { bought, resting } = tradingOf(app)

    it('draws the bars, lists bars and fills in a table, and shows the position with its planned exits', async () => {
      const { symbol } = await bought({
        quantity: 30,
        exitTriggerType: 'minutesAfterEntry',
        exitTriggerMinutes: 45,
      })
      await bought({ symbol, quantity: 20 })
      await resting(symbol, { side: 'SELL', quantity: 5 })
      const page = await app.signIn()
      await page.goto(`${app.origin}/symbols/${symbol}`)
      const chart = page.getByRole('img', { name: `${symbol} in bars of 5 min` })
      await chart.and(page.locator('[data-drawn]')).waitFor()
      await page.getByText('50 long', { exact: true }).waitFor()
      await page.getByText('15 shares have no exit').waitFor()
      await page.getByText(`Sell 30 ${symbol}`, { exact: true }).waitFor()
      await page.getByText(/^in 4[45]:\d\d$/).waitFor()
      await page.getByText(`Sell 5 ${symbol}, limit`).waitFor()
      assert.equal(
        await page
          .getByRole('table', { name: `Round trips in ${symbol}` })
          .getByRole('row')
          .count(),
        3,
      )
      await page.getByText('Show as a table').click()
      const bars = page.getByRole('table', { name: `Bars of ${symbol}` })
      await bars.getByRole('row').nth(1).getByText('2 buys, 50 shares').waitFor()
      await page.getByText('1 d', { exact: true }).click()
      await page.waitForURL((url) => url.search === '?bars=1d')
      await page
        .getByRole('img', { name: `${symbol} in bars of 1 d` })
        .locator('canvas')
        .first()
        .waitFor()
    })
  })

  describe('exit plans in the web app', function () {
    const { bought } = tradingOf(app)
    const protection = { stop: { percent: 4 }, target: { percent: 8 } }

    it('a plan is written, has its faults at their fields, shows what it comes to, and is sent and copied', async () => {
      const page = await app.signIn()
      await page.goto(`${app.origin}/signals/new`)
      await page.getByLabel('Symbol').fill('AAPL')
      await page.getByText('$ at risk', { exact: true }).click()
      await page.getByRole('textbox', { name: '$ at risk' }).fill('50')
      await page.getByLabel('Stop loss: how it is said').selectOption('percent')
      await page.getByLabel('Stop loss', { exact: true }).fill('120')
      const stop = page.getByLabel('Stop loss', { exact: true })
      await eventually(async () => assert.equal(await stop.getAttribute('aria-invalid'), 'true'))
      await stop.fill('2')
      await page.getByLabel('Take profit: how it is said').selectOption('amount')
      await page.getByLabel('Take profit', { exact: true }).fill('12')
      await page.getByText(/^\d+(\.\d+)? shares of AAPL$/).waitFor()
      await page.getByText(/^about \$\d+\.\d\d at risk$/).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: 'Buy AAPL…', disabled: false }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Buy', exact: true }).click()
      const id = await eventually(async () => {
        const { body } = await app.stack.api.get('/signals?symbol=AAPL')
        assert.equal(body.data.signals.length, 1)
        return body.data.signals[0].id as string
      })
      await page.goto(`${app.origin}/signals/new?from=${id}`)
      await page.getByLabel('Stop loss', { exact: true }).waitFor()
      assert.equal(await stop.inputValue(), '2')
      assert.equal(await page.getByLabel('Take profit', { exact: true }).inputValue(), '12')
    })

    it('a stop is moved from a phone by one press, and the order at the broker with it', async () => {
      const { id, symbol } = await bought({ protection })
      const page = await app.signIn(PHONE)
      await page.goto(`${app.origin}/signals/${id}`)
      await page.getByText('At the broker:').waitFor()
      await page.getByRole('button', { name: 'Change stop loss' }).tap()
      const sheet = page.getByRole('alertdialog')
      const before = Number(await sheet.getByLabel('Dollars a share').inputValue())
      await sheet.getByRole('button', { name: 'One step higher' }).tap()
      await sheet.getByText(/^Stop loss from .*: there the position closes with a loss of about/).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      const after = Number(await sheet.getByLabel('Dollars a share').inputValue())
      assert.ok(after > before, `${before} ${after}`)
      await sheet.getByRole('button', { name: 'Change stop loss' }).tap()
      await page.getByText(`Stop loss of ${symbol} is changed`).waitFor()
      await eventually(async () => {
        const { body } = await app.stack.api.get(`/signals/${id}`)
        assert.equal(body.data.plan.stop.price, after)
        assert.equal(body.data.plan.atBroker.stopPrice, after)
      })
      await page.getByText(/changed the protection: stop loss at/).waitFor()
    })

    it('shares that were bought by hand get a stop and a target from a phone, and all that are left together', async () => {
      const symbols = [newSymbol(), newSymbol(), newSymbol()] as const
      for (const symbol of symbols) {
        const { status } = await app.stack.api.post('/orders', {
          accountId: app.stack.accountId,
          symbol,
          side: 'BUY',
          orderType: 'MARKET',
          quantity: 5,
        })
        assert.equal(status, 201)
      }
      await eventually(async () => {
        const { body } = await app.stack.api.get('/positions')
        const held = body.positions.map(({ symbol }: { symbol: string }) => symbol)
        assert.ok(symbols.every((symbol) => held.includes(symbol)))
      })
      const levelsOfSignal = async (symbol: string) => {
        const { body } = await app.stack.api.get(`/positions?symbol=${symbol}`)
        const [plan] = body.positions[0].protection.protectedBy
        return [plan?.stop?.price > 0, plan?.target > 0, plan?.atBroker !== undefined]
      }
      const page = await app.signIn(PHONE)
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('button', { name: `Protect ${symbols[0]}` }).tap()
      const sheet = page.getByRole('alertdialog')
      await sheet.getByText('Stop loss', { exact: true }).first().waitFor()
      await sheet.getByLabel('Take profit: how it is said').selectOption('percent')
      await sheet.getByLabel('Take profit', { exact: true }).fill('10')
      assert.deepEqual(await accessibilityFaults(page), [])
      await sheet.getByRole('button', { name: 'Protect it', disabled: false }).tap()
      await sheet.waitFor({ state: 'detached' })
      await eventually(async () => assert.deepEqual(await levelsOfSignal(symbols[0]), [true, true, true]), {
        within: 20_000,
      })
      await page.getByRole('button', { name: 'Protect all…' }).tap()
      await sheet.getByRole('heading', { name: /^Protect \d positions$/ }).waitFor()
      await sheet.getByRole('button', { name: 'Protect them', disabled: false }).tap()
      await sheet.waitFor({ state: 'detached' })
      for (const symbol of symbols.slice(1))
        await eventually(async () => assert.deepEqual((await levelsOfSignal(symbol))[0], true), {
          within: 20_000,
        })
    })

    it('all positions are closed by one check although its answer is lost, and each is followed to its end', async () => {
      const { symbol } = await bought({ symbol: newSymbol() })
      const page = await app.signIn(PHONE)
      await page.goto(`${app.origin}/more`)
      await page.route(/\/positions\/flatten$/, async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        await route.fetch()
        return route.abort()
      })
      await page.getByRole('button', { name: 'Close all positions…' }).tap()
      const sheet = page.getByRole('alertdialog')
      await sheet.getByText(`Sell 10 ${symbol}`).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await sheet.getByRole('button', { name: 'Close all', exact: true, disabled: false }).tap()
      await sheet.getByRole('list', { name: 'Outcome' }).getByText(`10 ${symbol}`).waitFor()
      await page
        .getByRole('alertdialog', { name: /positions? (is|are) closed$/ })
        .waitFor({ timeout: 30_000 })
      assert.deepEqual(await accessibilityFaults(page), [])
      const { body } = await app.stack.api.get('/positions/flatten')
      assert.deepEqual([...new Set(body.flattens.map(({ status }: { status: string }) => status))], ['done'])
      assert.deepEqual((await app.stack.venue.ledger()).positions, [])
    })
  })
})
