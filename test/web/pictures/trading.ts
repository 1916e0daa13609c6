import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'
import { isAtRest, pictures } from './camera.ts'

describe('pictures of signals and trading', function () {
  this.timeout(240_000)
  // One scene opens more pages in a minute than a person does.
  const app = useApp({ api: { RATE_LIMITS: 'off' }, venue: { VENUE_CASH: '250000' } })
  const { waiting } = useSignals(app)
  const { bought, resting } = tradingOf(app)
  const SYMBOLS = {
    'desk-light': 'NVDA',
    'desk-dark': 'AMZN',
    'phone-light': 'GOOG',
    'phone-dark': 'META',
  } as const

  const GUARDED = {
    'desk-light': 'MSFT',
    'desk-dark': 'AAPL',
    'phone-light': 'TSLA',
    'phone-dark': 'NFLX',
  } as const

  before('eleven weeks of balances', () =>
    app.stack.query(
      `insert into balance_snapshots
       select id, user_id, current_date - n, 250000 - 190 * n + 2200 * sin(n / 4.0) + 900 * cos(n * 1.7), 180000, now()
       from accounts, generate_series(2, 78) n on conflict do nothing`,
    ),
  )

  pictures(app, 'how signals went and what is held', async ({ device, isPhone, take, show }) => {
    const symbol = SYMBOLS[device.name]
    const person = await app.stack.signIn()
    const { status, body: made } = await person.post('/strategies', { name: `Breakout of ${symbol}` })
    assert.equal(status, 201, JSON.stringify(made))
    const strategyId = made.data.id
    const exit = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
    const { id } = await bought({ symbol, strategyId, ...exit })
    const closed = await app.stack.api.post('/signals', {
      symbol: 'AMD',
      action: 'openLong',
      accountId: app.stack.accountId,
      quantity: 20,
      executeMode: 'immediate',
      exitTriggerType: 'immediate',
      strategyId,
      sourceId: randomUUID(),
    })
    assert.equal(closed.status, 201, JSON.stringify(closed.body))
    await eventually(async () => {
      const { body } = await app.stack.api.get(`/signals/${closed.body.signal.id}`)
      assert.equal(body.data.exit.status, 'filled')
    })
    const order = await resting(symbol)
    await waiting({
      symbol: 'INTC',
      validUntil: new Date(Date.now() + 720_000).toISOString(),
      timezone: 'UTC',
    })
    const page = await app.signIn(device)
    await show(page, '/', 'INTC', 'today')
    await show(page, '/signals', symbol, 'signals')
    await show(page, `/signals/${id}`, /^Filled/, 'signal')
    await show(page, `/signals/${closed.body.signal.id}`, /^Filled/, 'signal-closed')
    await show(page, '/positions', symbol, 'positions')
    await page.getByRole('button', { name: `Close ${symbol}…` }).click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText(`Sell 10 ${symbol} at market`, { exact: true }).waitFor()
    await sheet.getByRole('button', { name: 'Sell', exact: true, disabled: false }).waitFor()
    await take(page, 'position-close')
    await show(page, '/orders', symbol, 'orders')
    await show(page, `/orders/${order}`, 'What happened', 'order')
    await show(page, '/trades', 'AMD', 'trades')
    await show(page, `/symbols/${symbol}`, /TradingView/, 'symbol')
    const protection = {
      stop: { percent: 4 },
      target: { percent: 8 },
      trail: { percent: 3, after: { percent: 3 } },
      breakEven: { percent: 2 },
    }
    const guarded = await bought({ symbol: GUARDED[device.name], protection })
    await show(page, `/signals/${guarded.id}`, /one cancels the other ·/, 'protection-story')
    await show(page, `/symbols/${guarded.symbol}`, 'At the broker:', 'protection')
    await page.getByRole('button', { name: 'Change stop loss' }).click()
    await sheet.getByRole('button', { name: 'One step higher' }).click()
    await sheet.getByRole('button', { name: 'Change stop loss', disabled: false }).waitFor()
    await take(page, 'protection-change')
    await sheet.getByRole('button', { name: 'Go back' }).click()
    await show(page, '/performance', /TradingView/, 'performance')
    const results = page.getByRole('heading', { name: 'Realised P&L by trade' })
    await results.scrollIntoViewIfNeeded()
    await take(page, 'performance-results')
    await show(page, `/strategies/${strategyId}`, /TradingView|No curve yet/, 'strategy')

    await page.goto(`${app.origin}/orders/new?symbol=${symbol}`)
    await page.getByText('Market', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Shares' }).fill('7')
    await page.locator('#ticket-note').getByText('10 long → 17 long').waitFor()
    await isAtRest(page)
    await take(page, 'order-new')

    await page.goto(`${app.origin}/signals/new`)
    await page.getByLabel('Symbol').fill(symbol)
    await page.getByLabel('Quantity').fill('10')
    await page.getByLabel('When to leave').selectOption('minutesBeforeClose')
    await page.getByLabel('Minutes', { exact: true }).fill('15')
    await page.getByRole('button', { name: /^Send signal/, disabled: false }).waitFor()
    await isAtRest(page)
    await page.evaluate('scrollTo(0, 0)')
    await take(page, 'signal-new')
    await page.getByLabel('Quantity').fill('1000000')
    // The pages before may have spent the share of looks at the broker.
    await page.getByText(/\d fails?( |$)/).waitFor({ timeout: 30_000 })
    await page.evaluate('scrollTo(0, 0)')
    await take(page, 'signal-new-refused')

    await page.goto(`${app.origin}/approvals`)
    await page.getByRole('heading', { name: /INTC/ }).waitFor()
    if (isPhone) {
      await page.getByRole('link', { name: 'More' }).click()
      await page.getByRole('button', { name: 'Find' }).click()
    } else await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Find/ }).fill(symbol.slice(0, 2))
    await page.getByRole('option', { name: new RegExp(`Buy 10 ${symbol}`) }).waitFor()
    await take(page, 'find')
  })
})
