import assert from 'node:assert/strict'
import { useApp } from '../browser.ts'

describe('the pages of performance, trades and a strategy', function () {
  this.timeout(300_000)
  const app = useApp()
  let strategyId: string

  before('forty days of trades', async () => {
    const person = await app.stack.signIn()
    const { body } = await person.post('/strategies', { name: 'Opening range' })
    strategyId = body.data.id
  })

  /** As many closed trades as asked, three a day until today, of which every third lost. */
  const trades = async (count: number): Promise<void> => {
    await app.stack.query('delete from trades')
    await app.stack.query(
      `insert into trades (id, user_id, account_id, symbol, side, status, quantity, entry_price, exit_price, entry_at,
         exit_at, realised_pnl, realised_pnl_percent, fees, strategy_id, entry_order_ids, exit_order_ids)
       select gen_random_uuid(), user_id, id, (array['AAPL', 'NVDA', 'TSLA', 'KO', 'AMD'])[1 + n % 5], 'LONG', 'CLOSED',
         10, 100, 101, at - make_interval(mins => 3 + n * 7 % 300), at, pnl, pnl / 10, 0.02,
         case when n % 2 = 0 then '${strategyId}'::uuid end, '{}', '{}'
       from accounts, generate_series(0, ${count - 1}) n,
         lateral (select now() - make_interval(hours => n * 8) as at,
           case when n % 3 = 0 then -40 - n % 17 else 30 + n % 23 end as pnl) t
       where is_active order by n limit ${count}`,
    )
  }

  it('the pages of performance, trades and a strategy say so without a trade, with one, and show figures, curve, calendar and groups with their counts of 200', async () => {
    await trades(0)
    const page = await app.signIn()
    await page.goto(`${app.origin}/performance`)
    await page.getByText('A curve begins with the second trade that is closed.').waitFor()
    await page.getByText('No day with a closed trade').waitFor()
    await trades(1)
    await page.reload()
    await page.getByText('The only closed trade brought −$40.00. A second one makes a curve.').waitFor()
    const bySymbol = page.getByRole('table', { name: 'By symbol' })
    await bySymbol.getByText('1 · few').waitFor()
    await trades(200)
    await page.reload()
    const chart = page.getByRole('img', { name: /^Realised P&L after 200 trades/ })
    await chart.and(page.locator('[data-drawn]')).waitFor()
    const figures = page.getByRole('region', { name: 'Figures of closed trades' })
    await figures.getByText('66.5 %').waitFor()
    assert.equal(await bySymbol.getByRole('row').count(), 6)
    await page.getByRole('table', { name: 'By length of hold' }).getByText('under 5 minutes').waitFor()
    const exits = page.getByRole('table', { name: 'Result and cost of exits' })
    await exits.getByRole('row', { name: 'Closed at the broker' }).getByText('200 unknown').waitFor()
    await bySymbol.getByRole('button', { name: 'Realised P&L' }).click()
    await bySymbol.locator('[aria-sort=descending]').getByRole('button', { name: 'Realised P&L' }).waitFor()
    await page
      .getByRole('table', { name: 'By strategy' })
      .getByRole('link', { name: 'Opening range' })
      .click()
    await page.getByRole('heading', { name: 'Opening range', level: 1 }).waitFor()
    await page.getByRole('img', { name: /^Realised P&L after 100 trades/ }).waitFor()
    await page.getByRole('button', { name: 'Actions for Opening range' }).click()
    await page.getByRole('menuitem', { name: 'Pause…' }).click()
    await page.getByRole('button', { name: 'Pause it' }).click()
    await page.getByText('paused', { exact: true }).waitFor()
  })
})
