import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the kill switch in the web app', function () {
  this.timeout(90_000)
  const app = useApp({ api: { RATE_LIMITS: 'on' } })
  const { bought, resting } = tradingOf(app)

  const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop trading' })
  const pill = (page: Page, text: string) => page.getByRole('banner').getByRole('button', { name: text })
  const sheet = (page: Page) => page.getByRole('alertdialog')
  const level = (page: Page, name: string) =>
    sheet(page).getByRole('button', { name: new RegExp(`^${name}`) })
  const standing = async (): Promise<string[]> =>
    (await app.stack.query<{ level: string }>(`select level from trading_halts where lifted_at is null`)).map(
      (halt) => halt.level,
    )
  afterEach(async () => {
    await app.stack.query(
      `update trading_halts set lifted_at = now(), lifted_by = 'test' where lifted_at is null`,
    )
    await app.stack.query('delete from request_counts')
  })
  /** Spends the requests of the minute of everybody who is signed in. */
  const spendAll = async (): Promise<void> => {
    const person = await app.stack.signIn()
    for (let n = 0; n < 13; n++) await Promise.all(Array.from({ length: 20 }, () => person.get('/accounts')))
    assert.equal((await person.get('/accounts')).status, 429)
  }

  it('stops in two presses without a word typed, with all requests of the minute spent by reading, and says so at any place of the page', async () => {
    await bought({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
    const page = await app.signIn({ width: 390, height: 844, theme: 'dark' })
    await page.goto(`${app.origin}/`)
    await page.getByText('Next, by the clock').scrollIntoViewIfNeeded()
    await spendAll()
    await stopButton(page).tap()
    await level(page, 'Full stop').tap()
    await pill(page, 'STOPPED').waitFor()
    await page.getByText(/^Stopped at \d\d:\d\d:\d\d New York\. No new order is sent/).waitFor()
    assert.deepEqual(await standing(), ['fullStop'])
    assert.ok(await pill(page, 'STOPPED').isVisible())
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.setViewportSize({ width: 320, height: 568 })
    const { width, right } = await page.evaluate<{ width: number; right: number }>(
      `({ width: document.documentElement.scrollWidth, right: document.querySelector('header button:last-of-type').getBoundingClientRect().right })`,
    )
    assert.ok(width <= 320 && right <= 320, `${width} ${right}`)
    await page
      .getByRole('banner')
      .getByText(/^(Open|Early close|Closed) /)
      .waitFor()
    assert.deepEqual(
      await page.evaluate<string[]>(
        `[...document.querySelectorAll('header div')].filter((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight).map(({ className }) => className)`,
      ),
      [],
      'parts of the header are larger than their place',
    )
  })

  it('tells in the sheet what stands and what each level does, holds what is planned instead of counting down, and tells what resuming sends', async () => {
    const { id, symbol } = await bought({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
    const page = await app.signIn({ width: 390, height: 844, theme: 'dark' })
    await stopButton(page).tap()
    await level(page, 'Full stop')
      .getByText(/timed exits? (is|are) planned, the first in \d+ min/)
      .waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await level(page, 'Full stop').tap()
    await pill(page, 'STOPPED').waitFor()
    await page.goto(`${app.origin}/`)
    const line = page.getByRole('listitem').filter({ hasText: `Sell 10 ${symbol}` })
    await line.getByText(/^Held by the stop since \d\d:\d\d New York/).waitFor()
    await line.getByText('held', { exact: true }).waitFor()
    await page.goto(`${app.origin}/positions`)
    await page
      .getByRole('row', { name: symbol })
      .getByText(/Held by the stop since/)
      .waitFor()
    await page.goto(`${app.origin}/signals/${id}`)
    await page
      .getByText(/Held by the stop since .* It is sent once that is lifted/)
      .first()
      .waitFor()
    assert.equal(await page.getByRole('timer').count(), 0)
    await app.stack.query(
      `update signals set exit_submit_at = now() - interval '1 minute', exit_due_at = now() - interval '1 minute' where id = '${id}'`,
    )
    await pill(page, 'STOPPED').tap()
    await sheet(page)
      .getByText(/^Now: everything is stopped/)
      .waitFor()
    await sheet(page).getByRole('button', { name: 'Resume…' }).tap()
    await sheet(page).getByText('Sent at once, because it is overdue').waitFor()
    await sheet(page).getByText(`Sell 10 ${symbol}`).waitFor()
    await sheet(page).getByRole('button', { name: 'Resume', exact: true }).tap()
    await stopButton(page).waitFor()
    assert.deepEqual(await standing(), [])
  })

  it('cancels and closes what is ticked once trading is stopped, tells of each, and closes nothing at the level that refuses it', async () => {
    const { symbol } = await bought()
    const order = await resting(newSymbol())
    const page = await app.signIn({ width: 1440, height: 900 })
    await stopButton(page).click()
    await sheet(page)
      .getByLabel(/^Cancel/)
      .check()
    await sheet(page)
      .getByLabel(/^Close/)
      .check()
    assert.ok(await level(page, 'Full stop').isDisabled())
    await level(page, 'Reduce only').click()
    await sheet(page)
      .getByText(/: cancelled|: the broker is asked/)
      .waitFor()
    await sheet(page)
      .getByText(/: (\d+ of \d+ positions? still open|.* closed$)/)
      .waitFor()
    assert.deepEqual(await standing(), ['reduceOnly'])
    await sheet(page).getByRole('button', { name: 'Close', exact: true }).click()
    await pill(page, 'REDUCE ONLY').waitFor()
    await eventually(async () => {
      const found = await app.stack.query<{ status: string }>(
        `select status from orders where id = '${order}'`,
      )
      assert.deepEqual(found, [{ status: 'CANCELLED' }])
      const held = await app.stack.api.get(`/positions?symbol=${symbol}`)
      assert.equal(held.body.positions.length, 0)
    })
  })
})
