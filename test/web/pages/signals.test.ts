import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol, useSignals } from '../signals.ts'
import { raiseAlert } from '../alerts.ts'

describe('signals in the web app', function () {
  this.timeout(60_000)
  const app = useApp({ api: { LIVE_TRADING: 'enabled' }, worker: { LIVE_TRADING: 'enabled' } })

  describe('a signal that is written in the web application', function () {
    const signals = useSignals(app)

    const open = async (page: Page, search = ''): Promise<void> => {
      await page.goto(`${app.origin}/signals/new${search}`)
      await page.getByRole('form', { name: 'New signal' }).waitFor()
    }
    const fill = async (page: Page, symbol: string, quantity: string): Promise<void> => {
      await page.getByLabel('Symbol').fill(symbol)
      await quantityOf(page).fill(quantity)
    }
    const quantityOf = (page: Page) => page.getByRole('textbox', { name: 'Shares', exact: true })
    const send = (page: Page, symbol: string) => page.getByRole('button', { name: `Buy ${symbol}…` })
    const ready = (page: Page, symbol: string) =>
      page.getByRole('button', { name: `Buy ${symbol}…`, disabled: false })
    const sheet = (page: Page) => page.getByRole('alertdialog')
    const confirm = (page: Page) => sheet(page).getByRole('button', { name: 'Buy', exact: true })
    /** The service's list of a symbol's signals. */
    const listOf = async (symbol: string) =>
      (await app.stack.api.get(`/signals?symbol=${symbol}`)).body.data.signals

    it('shows each fault at its field while it is typed, and the outcome once there is none', async () => {
      const page = await app.signIn()
      const symbol = newSymbol()
      await open(page)
      await fill(page, symbol, 'ten')
      const quantity = quantityOf(page)
      await page.getByText('Enter a number, such as 1000').first().waitFor()
      assert.equal(await quantity.getAttribute('aria-invalid'), 'true')
      assert.ok(await send(page, symbol).isDisabled())
      await quantity.fill('10')
      await page.getByText(`Buy 10 ${symbol}, at market, time in force: Day`).waitFor()
      assert.equal(await quantity.getAttribute('aria-invalid'), 'false')
      await page.getByText('Limit', { exact: true }).click()
      const limit = page.getByRole('textbox', { name: 'Limit price ($)' })
      await page.getByText('Enter the limit price.').first().waitFor()
      await limit.fill('999999')
      await page
        .getByText(/lies [\d.]+ % from the last price/)
        .first()
        .waitFor()
      await page.getByText(/^Rules: \d fail/).waitFor()
      await limit.fill(String(await signals.priceOf(symbol)))
      await ready(page, symbol).waitFor()
      await page.getByLabel('Time exit').selectOption('atClockTime')
      await page.getByText('The exit is sent').waitFor()
      await page.getByText('At a time', { exact: true }).click()
      await page.getByText('Enter the time of sending.').first().waitFor()
      await page.getByLabel('Sent at').fill('2020-01-02T10:00')
      await page.getByText('Must be in the future').first().waitFor()
      await page.locator('[name=scheduledProcessAt][aria-invalid=true]').waitFor()
      assert.deepEqual(await listOf(symbol), [])
    })

    it('shows the answer to the last input, in any order of the answers', async () => {
      const page = await app.signIn()
      const symbol = newSymbol()
      await open(page)
      let letGo: () => void = () => undefined
      const isLate = new Promise<void>((resolve) => (letGo = resolve))
      await page.route('**/api/v1/signals', async (route) => {
        if (route.request().postDataJSON().quantity === 1) await isLate
        await route.continue()
      })
      const first = page.waitForRequest((request) => request.method() === 'POST')
      await fill(page, symbol, '1')
      await first
      await quantityOf(page).fill('2')
      await page.getByText(`Buy 2 ${symbol}`).waitFor()
      const answered = page.waitForResponse((answer) => answer.request().postDataJSON()?.quantity === 1)
      letGo()
      await answered
      assert.equal(await page.getByText(`Buy 1 ${symbol}`).count(), 0)
      await page.getByText(`Buy 2 ${symbol}`).waitFor()
    })

    it('a signal that is written in the web application is sent once, and its outcome leads to its story', async () => {
      const page = await app.signIn({ width: 390, height: 844 })
      const symbol = newSymbol()
      await open(page)
      await fill(page, symbol, '3')
      await page.getByLabel('Time exit').selectOption('minutesAfterEntry')
      await page.getByLabel('Minutes', { exact: true }).fill('30')
      await ready(page, symbol).waitFor()
      await send(page, symbol).tap()
      await confirm(page).dblclick()
      await sheet(page).getByText('The broker accepted the order').waitFor()
      const [signal, ...others] = await listOf(symbol)
      assert.equal(others.length, 0)
      assert.deepEqual(
        [signal.quantity, signal.sourceId.slice(0, 4), signal.exitRule.triggerMinutes, signal.sentBy],
        [3, 'web-', 30, app.stack.person.email],
      )
      await page.getByRole('link', { name: 'Show the signal' }).click()
      await page.getByRole('heading', { name: `Buy 3 ${symbol}` }).waitFor()
    })

    it('becomes one order however often it is sent after its answer was lost', async () => {
      const page = await app.signIn()
      const symbol = newSymbol()
      await open(page)
      await fill(page, symbol, '4')
      await ready(page, symbol).waitFor()
      await page.route('**/api/v1/signals', async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await send(page, symbol).click()
      await confirm(page).click()
      await sheet(page).getByText('Unknown yet: the answer did not arrive').waitFor()
      await page.unroute('**/api/v1/signals')
      await confirm(page).click()
      await sheet(page)
        .getByText(/exists already/)
        .waitFor()
      assert.equal((await listOf(symbol)).length, 1)
      const { orders } = await app.stack.venue.ledger()
      assert.equal(orders.filter((order) => order.symbol === symbol).length, 1)
    })
  })

  describe('the list and the story of signals', function () {
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
    const isTooWide = (page: Page) =>
      page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

    describe('the list', () => {
      it('shows a signal as it arrives, and its status as that changes', async () => {
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
      it('shows a signal with an exit from its arrival to its end, live', async () => {
        const page = await app.signIn()
        const { id, symbol } = await signals.waiting({ exitTriggerType: 'immediate' })
        await openStory(page, id)
        await stage(page, 'Approved').waitFor()
        await page.getByRole('link', { name: 'Decide' }).waitFor()
        const person = await app.stack.signIn()
        assert.equal((await person.post(`/signals/${id}/process`, {})).status, 200)
        await page.getByText('time', { exact: true }).waitFor()
        await stage(page, 'for approval').waitFor()
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

      it('asks how many shares an exit sells that has stopped, and sends the choice', async () => {
        const page = await app.signIn({ width: 390, height: 844 })
        const exiting = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 }
        const { id, symbol } = await sent(exiting)
        const message = 'The exit cannot be sent'
        const data = { trouble: 'held', beyond: { shown: '100', own: '10' } }
        await raiseAlert(app, 'unprotected_position', { signalId: id, message, data })
        await openStory(page, id)
        await page.getByText(`choose how many ${symbol} it must sell`).waitFor()
        assert.deepEqual(await accessibilityFaults(page), [])
        assert.ok((await isTooWide(page)) <= 0)
        await page.getByRole('button', { name: 'The signal’s 10' }).click()
        await page.getByRole('button', { name: `Sell 10 ${symbol}` }).click()
        await page.getByText('Chosen: 10. The exit is sent now.').waitFor()
        await page.getByText('has chosen that the exit sells 10 of the 100').first().waitFor()
      })

      it('cancels an exit, after saying that the position stays open', async () => {
        const page = await app.signIn()
        const exiting = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 }
        const { id } = await sent(exiting)
        await openStory(page, id)
        await page.getByRole('button', { name: 'Cancel exit…' }).click()
        await page.getByText(/stays open until you close it/).waitFor()
        await page.getByRole('button', { name: 'Cancel the exit' }).click()
        await page.getByText('No exit follows: the position stays until you close it').waitFor()
        await page
          .getByRole('listitem')
          .filter({ hasText: /^.*Exit cancelled by demo/ })
          .waitFor()
        assert.equal((await signals.recordOf(id)).exit.status, 'cancelled')
        assert.equal(await page.getByRole('button', { name: 'Cancel exit…' }).count(), 0)
      })
    })
  })
})
