import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'
import { tradingOf } from '../trading.ts'

const PHONE = { width: 390, height: 844, theme: 'dark' } as const
const protection = { stop: { percent: 4 }, target: { percent: 8 } }

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>
const boxOf = async (what: Locator): Promise<Box> => (await what.boundingBox())!

/** Rows of a table that stand whole above the tabs of the phone. */
async function rowsInSight(page: Page): Promise<Box[]> {
  const tabs = await boxOf(page.getByRole('navigation').filter({ visible: true }).last())
  const rows = await page
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .all()
  const boxes = await Promise.all(rows.map(boxOf))
  return boxes.filter(({ y, height }) => height > 1 && y + height <= tabs.y)
}

/** Two lines of 24 and 20 px, and the space around them. */
const TWO_LINES_PX = 76

describe('levels and positions under a finger', function () {
  this.timeout(180_000)
  const app = useApp({ api: { RATE_LIMITS: 'off' } })
  const { bought, heldAtVenue } = tradingOf(app)

  /**
   * Ten shares with a plan. The price stands still after that: where they were bought, or so many times higher. Bars do
   * not follow it, and are where it was.
   */
  async function planned(times = 1): Promise<{ id: string; symbol: string; price: number }> {
    const symbol = newSymbol()
    const { body } = await app.stack.api.get(`/market/quotes?symbols=${symbol}`)
    const price: number = body.data.quotes[0].last
    await app.stack.venue.pin(symbol, price)
    const { id } = await bought({ symbol, protection })
    await app.stack.venue.pin(symbol, Math.round(price * times * 100) / 100)
    return { id, symbol, price }
  }

  const levelsOfSignal = async (id: string) => (await app.stack.api.get(`/signals/${id}`)).body.data.plan

  describe('lists on a phone', function () {
    it('rows of positions and of trades have two lines on a phone, and at least four fit on the first screen', async () => {
      for (const quantity of [10, 1134, 12.5]) await bought({ quantity, protection })
      await bought({ quantity: 50 })
      await bought({ action: 'openShort', quantity: 321, protection })
      const page = await app.signIn(PHONE)
      for (const address of ['/positions', '/trades']) {
        await page.goto(app.origin + address)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await eventually(async () => {
          const rows = await rowsInSight(page)
          assert.ok(rows.length >= 4, `${address}: ${rows.length} whole rows`)
          for (const { height } of rows)
            assert.ok(height <= TWO_LINES_PX, `${address}: a row of ${height} px`)
        })
        assert.deepEqual(await accessibilityFaults(page), [])
      }
    })

    it('a level in the row of a position opens its plan, which is in view on a phone', async () => {
      const { symbol } = await planned()
      const page = await app.signIn(PHONE)
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('button', { name: `protection of ${symbol}` }).tap()
      const sheet = page.getByRole('alertdialog', { name: `${symbol}, 10 long` })
      const { y } = await boxOf(sheet.getByText('Stop loss', { exact: true }))
      assert.ok(y > 0 && y < PHONE.height, `the stop stands at ${y} px`)
      assert.deepEqual(await accessibilityFaults(page), [])
      await sheet.getByText('The price is not above your entry yet.').waitFor()
      assert.ok(await sheet.getByRole('button', { name: 'Move to break-even…' }).isDisabled())
      await sheet.getByRole('button', { name: 'Go back' }).tap()
      await sheet.waitFor({ state: 'detached' })
    })
  })

  describe('the plan of a position', function () {
    it('a stop moves to break-even by touch, from the row of its position', async () => {
      const { id, symbol } = await planned(1.03)
      const page = await app.signIn(PHONE)
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('button', { name: `protection of ${symbol}` }).tap()
      await page.getByRole('button', { name: 'Move to break-even…', disabled: false }).tap()
      const question = page.getByRole('alertdialog', { name: `Stop of ${symbol} to break-even?` })
      await question.getByText(/to your entry, \$/).waitFor()
      await question.getByRole('button', { name: 'Move to break-even', disabled: false }).tap()
      await page.getByText(`The stop of ${symbol} moves to break-even`).waitFor()
      await eventually(
        async () => {
          const { stop, average } = await levelsOfSignal(id)
          assert.equal(stop.by, 'breakEven')
          assert.ok(stop.price >= average, `${stop.price} ${average}`)
        },
        { within: 20_000 },
      )
    })

    it('half of the shares is sold by touch from the plan of a position, whole shares of whole ones, and the rest stays', async () => {
      const { symbol } = await planned()
      await bought({ symbol, quantity: 1 })
      const page = await app.signIn(PHONE)
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('button', { name: `protection of ${symbol}` }).tap()
      await page.getByRole('button', { name: 'Half off here…', disabled: false }).tap()
      const sheet = page.getByRole('alertdialog', { name: `Close 5 of ${symbol}?` })
      await sheet.getByText(`Sell 5 ${symbol} at market`).waitFor()
      assert.equal(await sheet.getByLabel('Shares').inputValue(), '5')
      assert.deepEqual(await accessibilityFaults(page), [])
      await sheet.getByRole('button', { name: 'Sell', exact: true, disabled: false }).tap()
      await sheet.getByText(new RegExp(`^${symbol}: sold 5 at \\$`)).waitFor({ timeout: 20_000 })
      await eventually(async () => assert.equal(await heldAtVenue(symbol), 6))
    })
  })

  describe('levels in the chart', function () {
    const handleOf = (page: Page, name: string) => page.getByRole('slider', { name })

    async function opened(symbol: string, device: Parameters<typeof app.signIn>[0]): Promise<Page> {
      const page = await app.signIn(device)
      await page.goto(`${app.origin}/symbols/${symbol}`)
      await page.locator('[data-chart][data-drawn]').waitFor()
      await handleOf(page, 'Stop loss').waitFor()
      return page
    }

    it('a stop is dragged with the mouse from 20 px beside its line, put back by Escape, and sent by its question alone', async () => {
      const { id, symbol, price: last } = await planned()
      const page = await opened(symbol, {})
      const handle = handleOf(page, 'Stop loss')
      const { x, y, height } = await boxOf(handle)
      assert.ok(height >= 44, `${height} px`)
      const from = { x: x + 200, y: y + height / 2 + 20 }
      const drag = async (by: number): Promise<void> => {
        await page.mouse.move(from.x, from.y)
        await page.mouse.down()
        await page.mouse.move(from.x, from.y + by, { steps: 4 })
      }
      const before = (await handle.getAttribute('aria-valuenow'))!
      await drag(-12)
      await eventually(async () =>
        assert.ok(Number(await handle.getAttribute('aria-valuenow')) > Number(before)),
      )
      await page.keyboard.press('Escape')
      assert.equal(await handle.getAttribute('aria-valuenow'), before)
      await page.mouse.up()
      assert.equal(await page.getByRole('alertdialog').count(), 0)
      await drag(-12)
      await page.mouse.up()
      const sheet = page.getByRole('alertdialog', { name: `Stop loss of ${symbol}` })
      await sheet.getByText(/^Stop loss from .*: there the position closes with a loss of about/).waitFor()
      await sheet.getByText(/ R to the target/).waitFor()
      const price = Number(await sheet.getByLabel('Dollars a share').inputValue())
      assert.ok(price > Number(before) && price < last, `${price}`)
      assert.equal((await levelsOfSignal(id)).stop.price, Number(before), 'nothing is sent by letting go')
      await sheet.getByRole('button', { name: 'Change stop loss' }).click()
      await page.getByText(`Stop loss of ${symbol} is changed`).waitFor()
      await eventually(async () => assert.equal((await levelsOfSignal(id)).stop.price, price))
      await eventually(async () => assert.equal(Number(await handle.getAttribute('aria-valuenow')), price))
    })

    it('a target is dragged by touch while the page stays where it is, and a place below the price is refused in words', async () => {
      const { symbol } = await planned()
      const page = await opened(symbol, PHONE)
      const { x, y, height } = await boxOf(handleOf(page, 'Take profit'))
      const stop = await boxOf(handleOf(page, 'Stop loss'))
      const touch = await page.context().newCDPSession(page)
      const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
        touch.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: at === undefined ? [] : [{ x: x + 120, y: at }],
        })
      const start = y + height / 2 + 18
      await send('touchStart', start)
      const way = stop.y - y - 20
      // As slow as a finger that aims: the end of a fling would swallow the next tap.
      for (const part of [0.2, 0.4, 0.6, 0.8, 1, 1, 1]) {
        await send('touchMove', start + way * part)
        await page.waitForTimeout(50)
      }
      await send('touchEnd')
      assert.equal(await page.evaluate<number>('scrollY'), 0)
      const sheet = page.getByRole('alertdialog', { name: `Take profit of ${symbol}` })
      await sheet.getByText(/lies above the price: this would close it at once/).waitFor()
      assert.ok(await sheet.getByRole('button', { name: 'Change take profit' }).isDisabled())
      assert.deepEqual(await accessibilityFaults(page), [])
      await sheet.getByRole('button', { name: 'Go back' }).tap()
      await sheet.waitFor({ state: 'detached' })
    })

    it('a level is moved by keys, by a cent or by ten, and Enter asks about it', async () => {
      const { symbol } = await planned()
      const page = await opened(symbol, {})
      const handle = handleOf(page, 'Take profit')
      const before = Number(await handle.getAttribute('aria-valuenow'))
      const cents = async (): Promise<number> =>
        Math.round((Number(await handle.getAttribute('aria-valuenow')) - before) * 100)
      await handle.focus()
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Shift+ArrowUp')
      assert.equal(await cents(), 11)
      await page.keyboard.press('ArrowDown')
      assert.equal(await cents(), 10)
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.keyboard.press('Escape')
      assert.equal(await cents(), 0)
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      const sheet = page.getByRole('alertdialog', { name: `Take profit of ${symbol}` })
      assert.equal(await sheet.getByLabel('Dollars a share').inputValue(), (before + 0.01).toFixed(2))
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
      assert.equal(await cents(), 0)
    })
  })
})
