import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

const PHONE = { width: 390, height: 844, theme: 'dark' } as const

describe('exit plans in the web app', function () {
  this.timeout(120_000)
  const app = useApp()
  const { bought } = tradingOf(app)
  const protection = { stop: { percent: 4 }, target: { percent: 8 } }

  it('a plan is written, has its faults at their fields, tells what it comes to, and is sent and copied', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/signals/new`)
    await page.getByLabel('Symbol').fill('AAPL')
    await page.getByLabel('Quantity').fill('50')
    await page.getByLabel('of', { exact: true }).selectOption('riskDollars')
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
    await page.getByRole('button', { name: 'Send signal', disabled: false }).click()
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

  it('a level that would close the position at once is not sent, and a refusal is told in words', async () => {
    const { id } = await bought({ protection })
    const page = await app.signIn()
    await page.goto(`${app.origin}/signals/${id}`)
    await page.getByRole('button', { name: 'Change stop loss' }).click()
    const sheet = page.getByRole('alertdialog')
    const stop = await sheet.getByLabel('Dollars a share').inputValue()
    await sheet.getByLabel('Dollars a share').fill('100000')
    await sheet.getByText(/lies below the price: this would close it at once/).waitFor()
    assert.ok(await sheet.getByRole('button', { name: 'Change stop loss' }).isDisabled())
    await sheet.getByLabel('Dollars a share').fill(stop)
    const message = 'The position is closed'
    await page.route(/\/protection$/, (route) =>
      route.fulfill({ status: 409, json: { error: message, code: 'PROTECTION_NOT_CHANGEABLE' } }),
    )
    await sheet.getByRole('button', { name: 'Change stop loss' }).click()
    await sheet.getByText(message).waitFor()
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
    await sheet.getByRole('list', { name: 'What came of it' }).getByText(`10 ${symbol}`).waitFor()
    await page.getByRole('alertdialog', { name: /closed$/ }).waitFor({ timeout: 30_000 })
    assert.deepEqual(await accessibilityFaults(page), [])
    const { body } = await app.stack.api.get('/positions/flatten')
    assert.deepEqual(
      body.flattens.map(({ status }: { status: string }) => status),
      ['done'],
    )
    assert.deepEqual((await app.stack.venue.ledger()).positions, [])
  })
})
