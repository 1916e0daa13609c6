import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'
import { pictures } from './camera.ts'

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

  pictures(app, 'how signals went and what is held', async ({ device, take, show }) => {
    const symbol = SYMBOLS[device.name]
    const exit = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 15 }
    const { id } = await bought({ symbol, ...exit })
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
    await show(page, '/positions', symbol, 'positions')
    await show(page, '/orders', symbol, 'orders')
    await show(page, `/orders/${order}`, 'What happened', 'order')
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
    const sheet = page.getByRole('alertdialog')
    await page.getByRole('button', { name: 'Change stop loss' }).click()
    await sheet.getByRole('button', { name: 'One step higher' }).click()
    await sheet.getByRole('button', { name: 'Change stop loss', disabled: false }).waitFor()
    await take(page, 'protection-change')
    await sheet.getByRole('button', { name: 'Go back' }).click()
    await show(page, '/performance', /TradingView/, 'performance')
  })
})
