import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('profit on the pages', function () {
  this.timeout(90_000)
  const app = useApp()
  const { bought } = tradingOf(app)

  const pin = (symbol: string, price: number) => app.stack.venue.pin(symbol, price)
  const sync = () => app.stack.api.post(`/accounts/${app.stack.accountId}/sync`, {})
  const closedOf = async (id: string): Promise<number> =>
    (await app.stack.api.get(`/signals/${id}`)).body.data.result.closedQuantity
  const openStory = async (page: Page, id: string): Promise<void> => {
    await page.goto(`${app.origin}/signals/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  }

  it('a signal has the result of its own shares, however another signal, a person and a close trade in its symbol', async () => {
    const symbol = newSymbol()
    await pin(symbol, 100)
    const planned = { symbol, exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 45 }
    const first = await bought({ ...planned, quantity: 5 })
    await pin(symbol, 102)
    const second = await bought({ symbol, quantity: 20, exitTriggerType: 'immediate' })
    await eventually(async () => assert.equal(await closedOf(second.id), 20), { within: 30_000 })
    assert.equal(await closedOf(first.id), 0)

    await pin(symbol, 103)
    const person = await app.stack.signIn()
    const order = { accountId: app.stack.accountId, symbol, side: 'SELL', orderType: 'MARKET', quantity: 2 }
    assert.ok((await person.post('/orders', order)).status < 300)
    const page = await app.signIn()
    await openStory(page, first.id)
    const result = page.getByRole('region', { name: 'Result so far' })
    await page
      .getByText(`2 sold by hand by ${app.stack.person.email} at $103.00`)
      .waitFor({ timeout: 20_000 })
    await result.getByText(/2 of 5 out at \$103\.00/).waitFor()

    await pin(symbol, 110)
    const close = { symbol, action: 'closeLong', accountId: app.stack.accountId, quantity: 3 }
    const closing = await app.stack.api.post('/signals', { ...close, executeMode: 'immediate' })
    await page
      .getByText(`3 closed by signal ${closing.body.signal.id.slice(0, 8)} at $110.00`)
      .waitFor({ timeout: 30_000 })
    // 2 * (103 - 100) + 3 * (110 - 100)
    await page.getByRole('region', { name: 'Result', exact: true }).getByText('+$36.00').waitFor()
    await page.getByText('Nothing left to sell', { exact: true }).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.goto(`${app.origin}/`)
    await page.getByText('Nothing is planned').waitFor()
    await page.goto(`${app.origin}/orders`)
    await page.getByText('close by a signal').first().waitFor()
  })

  it('today is the same on the pages of today and of positions, and adds up to the change of equity', async () => {
    const symbol = newSymbol()
    await pin(symbol, 50)
    await bought({ symbol })
    await pin(symbol, 53)
    await sync()
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions`)
    await page.getByRole('row', { name: symbol }).getByText('+$30.00 · +6.00 %').first().waitFor()
    await page.getByText('Open P&L today').locator('..').getByText('+$30.00').waitFor()
    await page.goto(`${app.origin}/`)
    const line = page.getByText(/^Today: realised/).locator('..')
    await eventually(
      async () => {
        const text = (await line.textContent()) ?? ''
        assert.match(text, /open ▲ \+\$30\.00/)
        assert.match(text, /= change of equity/)
        assert.doesNotMatch(text, /other/)
      },
      { within: 30_000 },
    )
    assert.deepEqual(await accessibilityFaults(page), [])
  })
})
