import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol, useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'
import { raiseAlert } from '../alerts.ts'
import type { Page } from 'playwright-core'

describe('the present state in the web app', function () {
  this.timeout(90_000)
  const app = useApp()
  afterEach(() => app.stack.query('delete from alerts'))

  describe('the alerts', function () {
    const { waiting } = useSignals(app)

    it('arrive live under the bell, say what to do, lead to the signal, and are acknowledged', async () => {
      const page = await app.signIn()
      const bell = page.getByRole('link', { name: 'Alerts', exact: true })
      await bell.waitFor()
      const { id, symbol } = await waiting()
      await raiseAlert(app, 'unprotected_position', {
        signalId: id,
        message: 'The exit cannot be sent: insufficient qty',
      })
      await page.getByRole('link', { name: 'Alerts, 1 not seen' }).click()
      const alert = page.getByRole('listitem').filter({ hasText: `${symbol} is unprotected` })
      await alert.getByText('The exit cannot be sent: insufficient qty.').waitFor()
      // Nothing was bought: the signal waits.
      await alert.getByText('The shares are no longer held: there is nothing to do.').waitFor()
      await raiseAlert(app, 'untrusted_message', { message: 'A message was dropped' })
      await page.getByRole('link', { name: 'Alerts, 2 not seen' }).waitFor()
      await alert.getByRole('button', { name: /^Seen/ }).click()
      await alert.getByText(`seen by ${app.stack.person.email}`).waitFor()
      await page.getByRole('link', { name: 'Alerts, 1 not seen' }).waitFor()
      await alert.getByRole('link', { name: `Open the signal of ${symbol}` }).click()
      await page.getByText(symbol).first().waitFor()
      assert.equal(new URL(page.url()).pathname, `/signals/${id}`)
    })

    it('offer to accept a position of the broker, ask again, and say why that is refused', async () => {
      await raiseAlert(app, 'position_differs', { symbol: 'SPLIT', message: 'The broker shows 100 SPLIT' })
      const page = await app.signIn()
      await page.goto(`${app.origin}/alerts`)
      const alert = page.getByRole('listitem').filter({ hasText: 'SPLIT position differs at the broker' })
      await alert.getByRole('button', { name: /^Accept: / }).click()
      await alert.getByRole('button', { name: /^Press again to accept it: / }).click()
      await alert.getByText(/The position in SPLIT differs from the alert by now/).waitFor()
    })
  })

  describe('the page of today', function () {
    const { waiting } = useSignals(app)

    const needs = 'What needs you'

    it('shows a waiting signal as it comes, with the time until it lapses, and the way to decide it', async () => {
      const page = await app.signIn()
      await page.goto(`${app.origin}/`)
      await page.getByText('Nothing needs you').waitFor()
      const { symbol } = await waiting({
        validUntil: new Date(Date.now() + 240_000).toISOString(),
        timezone: 'UTC',
      })
      const needed = page.getByRole('list', { name: needs })
      await needed.getByText('1 signal waits for your approval').waitFor()
      await needed.getByText(/^The first expires in [34]:\d\d$/).waitFor()
      await page.getByText(`Buy 10 ${symbol}`, { exact: true }).waitFor()
      await needed.getByRole('link', { name: 'Decide' }).click()
      await page.getByRole('heading', { name: symbol }).waitFor()
    })

    it('raises an alarm when the broker refuses an exit, until it is acknowledged and tried again', async () => {
      const page = await app.signIn()
      await page.goto(`${app.origin}/`)
      const { id, symbol } = await waiting({ exitTriggerType: 'immediate' })
      await app.stack.venue.script([
        {
          on: 'accepted',
          mode: 'reject',
          clientOrderIdPrefix: `${id}-x`,
          reason: 'insufficient qty available',
        },
      ])
      try {
        const person = await app.stack.signIn()
        assert.ok((await person.post(`/signals/${id}/process`, {})).status < 300)
        const needed = page.getByRole('list', { name: needs })
        const alarm = needed.getByRole('listitem').filter({ hasText: `${symbol} is unprotected` })
        await alarm.getByText(/insufficient qty available/).waitFor({ timeout: 30_000 })
        await alarm.getByRole('button', { name: /^Seen/ }).click()
        await alarm.getByText(`seen by ${app.stack.person.email}`).waitFor()
        await page.goto(`${app.origin}/positions`)
        await page.getByRole('row', { name: symbol }).getByText('exit failed').waitFor()
      } finally {
        await app.stack.venue.clearScript()
      }
    })

    it('shows which part of the service does not work, and that it works again', async () => {
      const page = await app.signIn()
      await page.route('**/readyz', async (route) => {
        const answer = await route.fetch()
        const body = await answer.json()
        body.status = 'not ready'
        body.down = ['worker']
        body.parts.worker = 'down'
        await route.fulfill({ status: 503, json: body })
      })
      await page.goto(`${app.origin}/`)
      await page.getByText('Not working: worker').waitFor()
      await page.unroute('**/readyz')
      await page.getByText('Not working: worker').waitFor({ state: 'detached', timeout: 20_000 })
    })
  })

  describe('the kill switch in the web app', function () {
    const { bought, resting } = tradingOf(app)

    const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop trading' })
    const pill = (page: Page, text: string) => page.getByRole('banner').getByRole('button', { name: text })
    const sheet = (page: Page) => page.getByRole('alertdialog')
    const level = (page: Page, name: string) =>
      sheet(page).getByRole('button', { name: new RegExp(`^${name}`) })
    const standing = async (): Promise<string[]> =>
      (
        await app.stack.query<{ level: string }>(`select level from trading_halts where lifted_at is null`)
      ).map((halt) => halt.level)
    afterEach(async () => {
      await app.stack.query(
        `update trading_halts set lifted_at = now(), lifted_by = 'test' where lifted_at is null`,
      )
      await app.stack.query('delete from request_counts')
    })
    /** Spends the requests of the minute of everybody who is signed in. */
    const spendAll = async (): Promise<void> => {
      const person = await app.stack.signIn()
      for (let n = 0; n < 13; n++)
        await Promise.all(Array.from({ length: 20 }, () => person.get('/accounts')))
      assert.equal((await person.get('/accounts')).status, 429)
    }

    it('stops in two presses without a word typed, with all requests of the minute spent by reading, and says so at any place of the page', async () => {
      await bought({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
      const page = await app.signIn({ width: 390, height: 844, theme: 'dark' })
      await page.goto(`${app.origin}/`)
      await page.getByText('Upcoming').scrollIntoViewIfNeeded()
      const session = page.getByRole('banner').getByText(/^(Open|Early close|Closed) /)
      // Once all requests are spent it could not be read before the next minute.
      await session.waitFor()
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
      assert.ok(await session.isVisible())
    })

    it('shows in the sheet which halts exist and what each level does, holds what is planned instead of counting down, and says what resuming sends', async () => {
      const { id, symbol } = await bought({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
      const page = await app.signIn({ width: 390, height: 844, theme: 'dark' })
      await stopButton(page).tap()
      await level(page, 'Full stop')
        .getByText(/time exits? (is|are) planned, the first in \d+ min/)
        .waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await level(page, 'Full stop').tap()
      await pill(page, 'STOPPED').waitFor()
      await page.goto(`${app.origin}/`)
      const line = page.getByRole('listitem').filter({ hasText: `Sell 10 ${symbol}` })
      await line.getByText(/^Waits: the stop since \d\d:\d\d New York/).waitFor()
      await line.getByText('held', { exact: true }).waitFor()
      await page.goto(`${app.origin}/positions`)
      await page
        .getByRole('row', { name: symbol })
        .getByText(/Waits: the stop since/)
        .waitFor()
      await page.goto(`${app.origin}/signals/${id}`)
      await page
        .getByText(/Waits: the stop since .* It is sent once trading is resumed/)
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

    it('cancels and closes what is ticked once trading is stopped, reports each, and closes nothing at the level that refuses it', async () => {
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
})
