import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { fillSignIn, useApp } from '../browser.ts'
import { addPerson } from '../people.ts'
import { useSignals } from '../signals.ts'

describe('the command palette and the way out of the web app', function () {
  this.timeout(90_000)
  const app = useApp()
  const { waiting, row } = useSignals(app)

  const input = (page: Page) => page.getByRole('combobox', { name: /^Find a page/ })
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
  async function find(page: Page, text: string): Promise<void> {
    await page.keyboard.press('Control+k')
    await input(page).fill(text)
  }
  const isAt = (page: Page, path: string) => page.waitForURL((url) => url.pathname === path)

  it('the command palette and the way out of the web app is opened and used by keys alone, and leads to pages, symbols and signals', async () => {
    const { id, symbol } = await waiting()
    const page = await app.signIn()
    await row(page, symbol).waitFor()
    await find(page, 'limits')
    await option(page, /^Limits/).waitFor()
    await page.keyboard.press('Enter')
    await isAt(page, '/set-up/limits')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await find(page, id.slice(0, 8))
    await option(page, new RegExp(`Buy 10 ${symbol} at market`)).waitFor()
    await page.keyboard.press('Enter')
    await isAt(page, `/signals/${id}`)
    await find(page, symbol.toLowerCase())
    await option(page, new RegExp(`^${symbol}`))
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await isAt(page, `/symbols/${symbol}`)
    await page.keyboard.press('Control+k')
    const chosen = () =>
      page.evaluate<string>(
        `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent`,
      )
    await option(page, 'New signal').waitFor()
    assert.equal(await chosen(), 'New signal')
    await page.keyboard.press('ArrowDown')
    assert.equal(await chosen(), 'New order')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await isAt(page, `/symbols/${symbol}`)
  })

  it('shows nothing of a person any more after the sign-out, neither to the next one nor in what the browser keeps', async () => {
    const { symbol } = await waiting()
    const page = await app.signIn()
    await row(page, symbol).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${app.origin}/signals`)
    await other.getByText(symbol).filter({ visible: true }).first().waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const tab of [page, other]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
    await eventually(async () =>
      assert.deepEqual(await page.evaluate<string[]>('Object.keys(localStorage).toSorted()'), [
        'last-contact',
      ]),
    )
    // The answers to the next person never come: what is shown then was kept from before.
    await page.route('**/api/v1/signals**', () => new Promise(() => {}))
    await page.route('**/api/v1/me', () => new Promise(() => {}))
    await fillSignIn(page, await addPerson(app))
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    const text = await page.locator('body').innerText()
    assert.ok(!text.includes(symbol) && !text.includes(app.stack.person.email), text)
  })

  it('signs out without a connection too, and informs the service when the app is opened again', async () => {
    const page = await app.signIn()
    const openSessions = async () =>
      Number(
        (
          await app.stack.query<{ open: string }>(
            'select count(*) as open from sessions where ended_at is null',
          )
        )[0]?.open,
      )
    const before = await openSessions()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('The service has not confirmed it yet').waitFor()
    assert.equal(await openSessions(), before)
    await page.context().setOffline(false)
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await app.signInAt(page)
    // The one of before has ended, and the new one has begun.
    assert.equal(await openSessions(), before)
  })
})
