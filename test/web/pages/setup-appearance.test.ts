import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'

/** Of each page: the route that fails, what it says then, and what stands on it once it is complete. */
const UNREADABLE = {
  '/set-up/brokers': ['**/api/v1/brokers?*', 'The connections could not be read', 'Last contact'],
  '/set-up/brokers/new': [
    '**/api/v1/brokers/types',
    'The kinds of broker could not be read',
    'API secret key',
  ],
  '/set-up/accounts': ['**/api/v1/accounts', 'The accounts could not be read', 'Sync now'],
  '/set-up/strategies': ['**/api/v1/strategies?*', 'The strategies could not be read', 'New strategy'],
  '/set-up/tokens': ['**/api/v1/tokens?*', 'The tokens could not be read', 'Revoke…'],
  '/set-up/limits': ['**/api/v1/settings/risk', 'The limits could not be read', 'Nothing is changed'],
} as const

describe('the pages of the set-up', function () {
  this.timeout(180_000)
  // A test of these opens more pages in a minute than a person does.
  const app = useApp({ api: { RATE_LIMITS: 'off' } })

  const ready = (page: Page, path: keyof typeof UNREADABLE) =>
    page.locator('#main').getByText(UNREADABLE[path][2]).filter({ visible: true }).first().waitFor()

  it('says what could not be read, by which request, and reads it again', async () => {
    const page = await app.signIn()
    for (const [path, [route, words]] of Object.entries(UNREADABLE)) {
      let asked = 0
      await page.route(route, (each) => {
        asked++
        const json = { error: 'Internal error', code: 'INTERNAL_ERROR', requestId: `r-${asked}` }
        return each.fulfill({ status: 500, json })
      })
      await page.goto(app.origin + path)
      const alert = page.getByRole('alert').filter({ hasText: words })
      await alert.getByText(/^request r-\d+$/).waitFor()
      const before = asked
      await alert.getByRole('button', { name: 'Try now' }).click()
      await eventually(() => assert.ok(asked > before))
      await page.unroute(route)
      await page.reload()
      await ready(page, path as keyof typeof UNREADABLE)
      assert.equal(await alert.count(), 0, path)
    }
  })

  it('changes nothing without a connection, and says since when there is none', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/brokers`)
    await ready(page, '/set-up/brokers')
    await page.context().setOffline(true)
    await page.getByText(/^No connection since/).waitFor()
    assert.ok(await page.getByRole('button', { name: /^Test/ }).first().isDisabled())
    await page
      .getByRole('button', { name: /^Rename/ })
      .first()
      .click()
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText('Without a connection nothing is changed.').waitFor()
    assert.ok(await sheet.getByRole('button', { name: 'Rename it' }).isDisabled())
    await page.context().setOffline(false)
    await sheet.getByText('Without a connection nothing is changed.').waitFor({ state: 'detached' })
  })
})
