import assert from 'node:assert/strict'
import type { CDPSession } from 'playwright-core'
import { accessibilityFaults, useApp } from '../browser.ts'
import { newSymbol, useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'

const PHONE = { width: 390, height: 844, theme: 'dark' } as const

interface Sent {
  id: string
  symbol: string
}

describe('the queue of approvals', function () {
  this.timeout(60_000)
  const app = useApp()
  const { waiting, recordOf, row, open } = useSignals(app)
  const { bought } = tradingOf(app)

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

  for (const [by, others] of [
    ['key', 'another person, who decides on the next one'],
    ['button', 'nobody else'],
  ] as const)
    it(`opens the signal behind the one that was decided on by ${by}, also where the news come before the answer and with ${others}`, async () => {
      const page = await app.signIn()
      const sent = []
      for (let count = 0; count < 5; count++) sent.push(await waiting())
      const [passed, , decided, next, last] = sent as [Sent, Sent, Sent, Sent, Sent]
      const card = (symbol: string) => page.getByRole('article', { name: `Buy 10 ${symbol} at market` })
      await card(passed.symbol).waitFor()
      await row(page, last.symbol).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await card(decided.symbol).waitFor()
      let answer: () => void = () => undefined
      const isAnswered = new Promise<void>((resolve) => (answer = resolve))
      await page.route(`**/signals/${decided.id}/process`, async (route) => {
        const response = await route.fetch()
        await isAnswered
        await route.fulfill({ response })
      })
      if (by === 'key') await page.keyboard.press('a')
      else await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page
        .getByRole('article', { name: 'Outcome' })
        .getByRole('heading', { name: `Bought 10 ${decided.symbol}` })
        .first()
        .waitFor()
      await row(page, decided.symbol).waitFor({ state: 'detached' })
      await page.keyboard.press('a')
      const expected = others === 'nobody else' ? next : last
      if (expected === last) {
        const person = await app.stack.signIn()
        assert.equal((await person.post(`/signals/${next.id}/reject`, {})).status, 200)
        await row(page, next.symbol).waitFor({ state: 'detached' })
      }
      answer()
      await card(expected.symbol).waitFor()
      // It was meant for the one before.
      await page.keyboard.press('a')
      await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor()
      const waits = sent.filter((each) => each !== decided && (expected === next || each !== next))
      for (const { id } of waits) assert.equal((await recordOf(id)).status, 'pending')
      await page.keyboard.press('a')
      await page
        .getByRole('heading', { name: `Bought 10 ${expected.symbol}` })
        .first()
        .waitFor()
    })

  it('opens no other signal by itself where the one that is shown is decided elsewhere or with several, and takes no press for it', async () => {
    const page = await app.signIn()
    const sent = [await waiting(), await waiting(), await waiting()]
    const [, second, third] = sent as [Sent, Sent, Sent]
    await row(page, third.symbol).click()
    await row(page, second.symbol).click()
    await page.getByRole('article', { name: `Buy 10 ${second.symbol} at market` }).waitFor()
    const person = await app.stack.signIn()
    assert.equal((await person.post(`/signals/${second.id}/reject`, {})).status, 200)
    await page.getByText('It was decided elsewhere.').first().waitFor()
    await page.keyboard.press('a')
    await page
      .getByRole('button', { name: `Dismiss Buy 10 ${second.symbol}` })
      .first()
      .click()
    await page.getByRole('article', { name: /^Buy 10 .* at market$/ }).waitFor()
    await page.keyboard.press('a')
    await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor()
    for (const { id } of sent) if (id !== second.id) assert.equal((await recordOf(id)).status, 'pending')
  })

  it('shows both orders of a turn to the other side, with the levels of the position that results, and what came of both', async () => {
    for (const [device, held, wanted] of [
      [PHONE, 20, -20],
      [{}, -20, 15],
    ] as const) {
      const page = await app.signIn(device)
      const symbol = newSymbol()
      await app.stack.venue.pin(symbol, 100)
      const side = { symbol, action: held > 0 ? 'openLong' : 'openShort', quantity: Math.abs(held) }
      await bought(side)
      await waiting({
        symbol,
        targetPosition: wanted,
        protection: { stop: { percent: 3 }, target: { percent: 6 } },
      })
      await open(page, symbol)
      const card = page.getByRole('article', {
        name: `Bring ${symbol} to ${wanted < 0 ? '−20' : '15'} at market`,
      })
      const legs = wanted < 0 ? 'sells 20, then sells 20 short' : 'buys 20 to cover, then buys 15'
      await card
        .getByText(
          new RegExp(`^${symbol} ${held < 0 ? '−' : ''}20 → ${wanted < 0 ? '−20' : '15'} ?: ${legs}$`),
        )
        .waitFor()
      await card.getByText(new RegExp(`^then ${wanted < 0 ? 'takes' : 'costs'} about \\$[\\d,.]+$`)).waitFor()
      await card.getByText(`leads to a ${wanted < 0 ? 'short' : 'long'} position`).waitFor()
      const level = (name: string) => card.getByRole('listitem').filter({ hasText: name })
      await level('Stop loss')
        .getByText(wanted < 0 ? 'about $103.00' : 'about $97.00')
        .first()
        .waitFor()
      await level('Take profit')
        .getByText(wanted < 0 ? 'about $94.00' : 'about $106.00')
        .first()
        .waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).click()
      const line = page.getByRole('article', { name: 'Outcome' }).filter({ visible: true }).first()
      await line
        .getByRole('heading', { name: `${wanted < 0 ? 'Sold' : 'Bought to cover'} 20 ${symbol}` })
        .waitFor()
      const then = wanted < 0 ? `Sold short 20 ${symbol} at $` : `Bought 15 ${symbol} at $`
      await line.getByRole('link', { name: then }).waitFor()
      await line.getByRole('link', { name: 'Story' }).click()
      await page.getByRole('link', { name: then }).waitFor()
    }
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

  it('the page of approvals holds no more listeners and nodes for fifty decided signals than for twenty-five', async function () {
    this.timeout(300_000)
    const page = await app.signIn()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    const person = await app.stack.signIn()
    const roundOf = async (count: number) => {
      const sent = []
      for (let at = 0; at < count; at++) sent.push(await waiting())
      await row(page, sent.at(-1)!.symbol).waitFor()
      for (const [at, { id, symbol }] of sent.entries()) {
        // Each has its card, which stays on the page.
        await row(page, symbol).click()
        await page.getByRole('article', { name: `Buy 10 ${symbol} at market` }).waitFor()
        const decision = at % 2 === 0 ? 'reject' : 'process'
        assert.equal((await person.post(`/signals/${id}/${decision}`, {})).status, 200)
        await row(page, symbol).waitFor({ state: 'detached' })
      }
      await app.forgetCounts()
    }
    await roundOf(25)
    const before = await counted(devtools)
    await roundOf(25)
    const after = await counted(devtools)
    assert.ok(after.listeners <= before.listeners + 40, JSON.stringify({ before, after }))
    assert.ok(after.nodes <= before.nodes + 150, JSON.stringify({ before, after }))
  })
})

/** After the garbage is gone, which is not counted. */
async function counted(devtools: CDPSession) {
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((each) => each.name === name)!.value
  return { listeners: of('JSEventListeners'), nodes: of('Nodes') }
}
