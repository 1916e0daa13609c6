import assert from 'node:assert/strict'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol, useSignals } from '../signals.ts'

const PHONE = { width: 390, height: 844, theme: 'dark' } as const

describe('the queue of approvals', function () {
  this.timeout(60_000)
  const app = useApp()
  const { waiting, recordOf, row, open } = useSignals(app)

  it('opens the next signal after a decision, with the focus, deaf to a second press, and keeps the outcome as a line', async () => {
    const page = await app.signIn(PHONE)
    const [first, second, third] = [await waiting(), await waiting(), await waiting()]
    await open(page, first.symbol)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('article', { name: `Buy 10 ${second.symbol}` }).waitFor()
    const focused = (symbol: string) => page.locator('h2:focus', { hasText: symbol }).waitFor()
    await focused(second.symbol)
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: `Bought 10 ${first.symbol}` }).waitFor()
    assert.equal((await recordOf(second.id)).status, 'pending')
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByLabel('Reason').fill('not today')
    await page.getByRole('button', { name: 'Reject it' }).click()
    await page.getByRole('article', { name: `Buy 10 ${third.symbol}` }).waitFor()
    await focused(third.symbol)
    // The line stands in the list as well, which shows it on a wide screen.
    const rejected = page.getByText('Rejected: not today. Nothing was sent.')
    await rejected.filter({ visible: true }).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: `Dismiss Buy 10 ${second.symbol}` }).click()
    await page.getByRole('link', { name: 'Story' }).click()
    await page.waitForURL(`**/signals/${first.id}`)
  })

  it('ticks a row that is pressed while several are selected, all of them at once, and tells their total', async () => {
    const page = await app.signIn(PHONE)
    const symbol = newSymbol()
    await app.stack.venue.pin(symbol, 100)
    for (const quantity of [10, 32]) await waiting({ symbol, quantity })
    await open(page, symbol)
    await page.getByRole('button', { name: 'Select' }).click()
    await row(page, symbol).first().click()
    await page.getByText(/^1 order, about \$/).waitFor()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByText('2 orders, about $4,200').waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
  })

  it('focuses the field of an edit, in sight above the bar, with parts to choose from', async () => {
    for (const device of [PHONE, {}]) {
      const page = await app.signIn(device)
      const { symbol } = await waiting()
      await open(page, symbol)
      await page.getByText(/checks pass/).waitFor()
      await page.keyboard.press('e')
      const field = page.getByLabel('Quantity')
      await field.and(page.locator(':focus')).waitFor()
      const [at, bar] = [
        await field.boundingBox(),
        await page.getByRole('button', { name: 'Reject' }).boundingBox(),
      ]
      assert.ok(at && bar && at.y + at.height < bar.y, 'the field is under the bar')
      await field.press('ArrowUp')
      await page.getByRole('button', { name: 'One more' }).click()
      assert.equal(await field.inputValue(), '12')
      await page.getByRole('button', { name: 'One less' }).click()
      await page.getByText(`${symbol} 0 → 11 shares`).waitFor()
      await page.getByRole('button', { name: '½ of 10' }).click()
      await page.getByText(`${symbol} 0 → 5 shares`).waitFor()
    }
  })

  it('leaves the card to a window as low as that of a page at 400 %', async () => {
    const page = await app.signIn({ width: 360, height: 225 })
    const { symbol } = await waiting()
    await open(page, symbol)
    await page.getByText(/checks pass/).waitFor()
    const positions = await page.evaluate<string[]>(
      `[...document.querySelectorAll('header, nav, article > div')].map((each) => getComputedStyle(each).position)`,
    )
    assert.ok(!positions.includes('sticky') && !positions.includes('fixed'), positions.join())
    const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    assert.equal(isWide, false, 'it scrolls sideways')
  })
})
