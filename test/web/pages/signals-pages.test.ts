import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { raiseAlert } from '../alerts.ts'
import { newSymbol, useSignals } from '../signals.ts'

describe('the list and the story of signals', function () {
  this.timeout(60_000)
  const app = useApp()
  const signals = useSignals(app)

  /** Sends a signal at once; resolves with its id and symbol. */
  async function sent(changes: object = {}): Promise<{ id: string; symbol: string }> {
    const body = {
      symbol: newSymbol(),
      action: 'openLong',
      accountId: app.stack.accountId,
      quantity: 10,
      executeMode: 'immediate',
      ...changes,
    }
    const answer = await app.stack.api.post('/signals', body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return { id: answer.body.signal.id, symbol: body.symbol }
  }
  const openList = async (page: Page, search = ''): Promise<void> => {
    await page.goto(`${app.origin}/signals${search}`)
    await page.getByRole('heading', { name: 'Signals', exact: true }).waitFor()
  }
  const openStory = async (page: Page, id: string): Promise<void> => {
    await page.goto(`${app.origin}/signals/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  }
  const rowOf = (page: Page, symbol: string) => page.getByRole('row').filter({ hasText: symbol })
  const stage = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: name })
  const isTooWide = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

  describe('the list', () => {
    it('shows a signal as it arrives, and how it stands as that changes', async () => {
      const page = await app.signIn()
      await openList(page)
      const { id, symbol } = await signals.waiting()
      await rowOf(page, symbol).getByText('needs approval').waitFor()
      const person = await app.stack.signIn()
      assert.equal((await person.post(`/signals/${id}/process`, {})).status, 200)
      await rowOf(page, symbol).getByText(`Bought 10 ${symbol}`).waitFor()
    })

    it('keeps its filters in the address over a reload and when the way back is taken', async () => {
      const page = await app.signIn()
      const waits = await signals.waiting()
      const executed = await sent()
      await openList(page)
      await page.getByRole('radio', { name: 'Waiting' }).check()
      await rowOf(page, waits.symbol).waitFor()
      await rowOf(page, executed.symbol).waitFor({ state: 'detached' })
      await page.getByLabel('Symbol').fill(waits.symbol.toLowerCase())
      await page.getByRole('button', { name: `Remove the filter ${waits.symbol}` }).waitFor()
      await page.getByRole('button', { name: 'More filters' }).click()
      await page.getByLabel('Sent', { exact: true }).selectOption('pending')
      await page.waitForURL(/mode=pending/)
      const { searchParams } = new URL(page.url())
      assert.deepEqual(Object.fromEntries(searchParams), {
        status: 'pending,scheduled',
        symbol: `${waits.symbol}*`,
        mode: 'pending',
      })
      await page.reload()
      await rowOf(page, waits.symbol).waitFor()
      assert.equal(await page.getByRole('row').count(), 2)
      assert.ok(await page.getByRole('radio', { name: 'Waiting' }).isChecked())
      await rowOf(page, waits.symbol).getByRole('link').click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.goBack()
      await rowOf(page, waits.symbol).waitFor()
      assert.equal(await page.getByLabel('Symbol').inputValue(), waits.symbol)
      await page.getByRole('button', { name: 'Remove all' }).click()
      await rowOf(page, executed.symbol).waitFor()
    })
  })

  describe('the story', () => {
    it('tells a signal with an exit from its arrival to its end, live', async () => {
      const page = await app.signIn()
      const { id, symbol } = await signals.waiting({ exitTriggerType: 'immediate' })
      await openStory(page, id)
      await stage(page, 'Approved').waitFor()
      await page.getByRole('link', { name: 'Decide' }).waitFor()
      const person = await app.stack.signIn()
      assert.equal((await person.post(`/signals/${id}/process`, {})).status, 200)
      await page.getByText('time', { exact: true }).waitFor()
      await stage(page, 'for a person').waitFor()
      await stage(page, 'Closed').waitFor()
      await page.getByRole('list').getByText(`Approved by ${app.stack.person.email}`).waitFor()
      const orders = page.getByRole('table')
      await orders.getByRole('row', { name: /Entry Buy 10 \/ 10/ }).waitFor()
      await orders.getByRole('row', { name: /Exit Sell 10 \/ 10/ }).waitFor()
      assert.equal(await orders.getByRole('row').count(), 3)
      await page.getByRole('heading', { name: 'Result', exact: true }).waitFor()
      await page.getByRole('region', { name: 'Body' }).getByText(symbol).waitFor()
      await page.getByText('Answer of the broker').waitFor()
    })

    it('counts to the exit and shows the times of the timeline in three zones', async () => {
      const page = await app.signIn()
      const exiting = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 }
      const { id, symbol } = await sent(exiting)
      await openStory(page, id)
      await page.getByText(`Sell 10 ${symbol} at market, 30 minutes after the entry`).first().waitFor()
      const timer = page.getByRole('timer')
      const before = await timer.textContent()
      await eventually(async () => assert.notEqual(await timer.textContent(), before), { within: 5_000 })
      assert.match(before ?? '', /^(30:00|29:\d\d)$/)
      const received = page.getByRole('listitem').filter({ hasText: 'Received from' }).locator('time')
      const instant = await received.getAttribute('datetime')
      for (const [name, timeZone] of [
        ['New York', 'America/New_York'],
        ['here', 'Europe/Berlin'],
        ['UTC', 'UTC'],
      ] as const) {
        await page.getByRole('radio', { name }).check()
        const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone })
        assert.match((await received.textContent()) ?? '', new RegExp(clock.format(new Date(instant!))))
      }
      await page.reload()
      assert.ok(await page.getByRole('radio', { name: 'UTC' }).isChecked())
    })

    it('asks how many shares an exit sells that has stopped, and sends the choice', async () => {
      const page = await app.signIn({ width: 390, height: 844 })
      const exiting = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 }
      const { id, symbol } = await sent(exiting)
      const message = 'The exit cannot be sent'
      const data = { trouble: 'held', beyond: { shown: '100', own: '10' } }
      await raiseAlert(app, 'unprotected_position', { signalId: id, message, data })
      await openStory(page, id)
      await page.getByText(`how many ${symbol} is it to sell?`).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      assert.ok((await isTooWide(page)) <= 0)
      await page.getByRole('button', { name: 'The signal’s 10' }).click()
      await page.getByRole('button', { name: `Sell 10 ${symbol}` }).click()
      await page.getByText('Chosen: 10. The exit is sent now.').waitFor()
      await page.getByText('has chosen that the exit sells 10 of the 100').first().waitFor()
    })

    it('withdraws a signal that waits, after asking', async () => {
      const page = await app.signIn({ width: 390, height: 844 })
      const { id } = await signals.waiting()
      await openStory(page, id)
      await page.getByRole('button', { name: 'Withdraw…' }).click()
      await page.getByRole('button', { name: 'Go back' }).click()
      assert.equal((await signals.recordOf(id)).status, 'pending')
      await page.getByRole('button', { name: 'Withdraw…' }).click()
      await page.getByRole('button', { name: 'Withdraw it' }).click()
      await page.getByText('Withdrawn. No order was sent').waitFor()
      assert.equal((await signals.recordOf(id)).statusReason, 'WITHDRAWN')
      assert.equal(await page.getByRole('button', { name: 'Withdraw…' }).count(), 0)
    })

    it('cancels an exit, after saying that the position stays open', async () => {
      const page = await app.signIn()
      const exiting = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 }
      const { id } = await sent(exiting)
      await openStory(page, id)
      await page.getByRole('button', { name: 'Cancel exit…' }).click()
      await page.getByText(/stays open until a person closes it/).waitFor()
      await page.getByRole('button', { name: 'Cancel the exit' }).click()
      await page.getByText('No exit follows: the position stays until a person closes it').waitFor()
      await page
        .getByRole('listitem')
        .filter({ hasText: /^.*Exit cancelled by demo/ })
        .waitFor()
      assert.equal((await signals.recordOf(id)).exit.status, 'cancelled')
      assert.equal(await page.getByRole('button', { name: 'Cancel exit…' }).count(), 0)
    })

    it('says in the words of the service that it was too late', async () => {
      const page = await app.signIn()
      const { id } = await signals.waiting()
      await openStory(page, id)
      await page.getByRole('button', { name: 'Withdraw…' }).click()
      await page.route(`**/api/v1/signals/${id}`, async (route) => {
        if (route.request().method() !== 'DELETE') return route.continue()
        const person = await app.stack.signIn()
        await person.post(`/signals/${id}/process`, {})
        await route.continue()
      })
      await page.getByRole('button', { name: 'Withdraw it' }).click()
      await page
        .getByRole('alert')
        .getByText(/executed/)
        .waitFor()
    })

    it('says why a signal was refused', async () => {
      const page = await app.signIn()
      const answer = await app.stack.api.post('/signals', {
        symbol: newSymbol(),
        action: 'openLong',
        accountId: app.stack.accountId,
        quantity: 100_000_000,
        executeMode: 'immediate',
      })
      assert.equal(answer.status, 400)
      await openStory(page, answer.body.details[0].signalId)
      await stage(page, 'Rejected').waitFor()
      await page
        .getByRole('region', { name: 'Story' })
        .getByText(/the limit is 100,000 shares/)
        .waitFor()
      await page.getByText('No order has been sent.').waitFor()
    })

    it('shows the link to its workflow where the service tells its address', async () => {
      const page = await app.signIn()
      const { id } = await signals.waiting()
      await openStory(page, id)
      assert.equal(await page.getByRole('link', { name: 'Workflow in Temporal' }).count(), 0)
      const address = `http://temporal.example/namespaces/trading/workflows/signal-${id}`
      await page.route(`**/api/v1/signals/${id}`, async (route) => {
        const answer = await route.fetch()
        const body = await answer.json()
        body.data.workflow.url = address
        await route.fulfill({ response: answer, json: body })
      })
      await page.reload()
      const link = page.getByRole('link', { name: 'Workflow in Temporal' })
      await link.waitFor()
      assert.equal(await link.getAttribute('href'), address)
    })

    it('says that there is no such signal', async () => {
      const page = await app.signIn()
      await page.goto(`${app.origin}/signals/${randomUUID()}`)
      await page.getByText('The signal could not be read').waitFor()
    })
  })
})
