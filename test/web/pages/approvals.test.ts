import assert from 'node:assert/strict'
import { accessibilityFaults, useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

const PHONE = { width: 390, height: 844, theme: 'dark' } as const

interface Sent {
  id: string
  symbol: string
}

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

  for (const [by, others] of [
    ['key', 'another person, who decides on the next one'],
    ['button', 'no other person'],
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
      const expected = others === 'no other person' ? next : last
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
})
