import assert from 'node:assert/strict'
import { accessibilityFaults, useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

/** What a page shows first, in rows that a person can read at a glance. */
describe('the calm of the web app', function () {
  this.timeout(300_000)
  const app = useApp()
  const { waiting } = useSignals(app)

  it('leaves the card in sight at 400 % and on a phone that lies on its side', async () => {
    const { id, symbol } = await waiting()
    for (const [width, height] of [
      [360, 225],
      [844, 390],
    ] as const) {
      const page = await app.signIn({ width, height })
      await page.goto(`${app.origin}/approvals?signal=${id}`)
      await page.getByRole('heading', { name: symbol }).waitFor()
      const pinned = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
        .filter((each) => ['fixed', 'sticky'].includes(getComputedStyle(each).position) && each.getClientRects().length > 0 && each.clientHeight > 20)
        .map((each) => each.tagName + '.' + each.className)`)
      assert.deepEqual(pinned, [], `${width} x ${height}`)
    }
  })

  it('lists its keys, opens pages by G and a letter, and approves nothing by that', async () => {
    const { id, symbol } = await waiting()
    const page = await app.signIn()
    await page.goto(`${app.origin}/approvals?signal=${id}`)
    await page.getByRole('heading', { name: symbol }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('alertdialog', { name: 'Keys' }).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.getByText(/^Go to A Approvals/).waitFor()
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'Positions' }).waitFor()
    const { body } = await app.stack.api.get(`/signals/${id}`)
    assert.equal((body.data?.signal ?? body.signal ?? body.data).status, 'pending')
  })

  it('opens a first page and shows times in a zone, as they were chosen', async () => {
    await waiting()
    const page = await app.signIn()
    await page.goto(`${app.origin}/start`)
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await page.goto(`${app.origin}/settings`)
    await page.getByRole('radio', { name: 'Positions' }).check()
    await page.getByRole('radio', { name: 'UTC' }).check()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.goto(`${app.origin}/start`)
    await page.getByRole('heading', { name: 'Positions' }).waitFor()
    await page.goto(`${app.origin}/signals`)
    await page.getByRole('columnheader', { name: 'Received, UTC' }).waitFor()
  })
})
