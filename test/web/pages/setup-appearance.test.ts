import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, useApp } from '../browser.ts'

/** A page of the set-up, and what stands on it once it is complete. */
const PAGES = {
  '/set-up': '2 connections',
  '/set-up/brokers': 'Last contact',
  '/set-up/brokers/new': 'API secret key',
  '/set-up/accounts': 'Sync now',
  '/set-up/strategies': 'paused',
  '/set-up/tokens': 'Revoke…',
  '/set-up/tokens/new': 'Place orders',
  '/set-up/limits': 'Nothing is changed',
} as const

/** What each page says when its list cannot be read, by the route that then fails. */
const UNREADABLE = {
  '/set-up/brokers': ['**/api/v1/brokers?*', 'The connections could not be read'],
  '/set-up/brokers/new': ['**/api/v1/brokers/types', 'The kinds of broker could not be read'],
  '/set-up/accounts': ['**/api/v1/accounts', 'The accounts could not be read'],
  '/set-up/strategies': ['**/api/v1/strategies?*', 'The strategies could not be read'],
  '/set-up/tokens': ['**/api/v1/tokens?*', 'The tokens could not be read'],
  '/set-up/limits': ['**/api/v1/settings/risk', 'The limits could not be read'],
} as const

const HOSTILE = `<img src=x onerror="document.title='owned'">`

describe('the appearance of the set-up', function () {
  this.timeout(180_000)
  // A test of these opens more pages in a minute than a person does.
  const app = useApp({ api: { RATE_LIMITS: 'off' } })

  const ready = (page: Page, path: keyof typeof PAGES) =>
    page.locator('#main').getByText(PAGES[path]).filter({ visible: true }).first().waitFor()

  async function assertFits(page: Page, width: number, name: string): Promise<void> {
    assert.deepEqual(await accessibilityFaults(page), [], name)
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    assert.ok(wide <= 0, `${name}: ${wide} px too wide`)
    for (const button of await page.getByRole('button').filter({ visible: true }).all()) {
      const box = await button.boundingBox()
      assert.ok(!box || (box.x >= 0 && box.x + box.width <= width), `${name}: a button is cut off`)
      assert.ok(!box || width > 800 || box.height >= 40, `${name}: ${await button.innerText()} is small`)
    }
  }

  before(async () => {
    const person = await app.stack.signIn()
    const made = [
      await person.post('/strategies', { name: HOSTILE, description: HOSTILE, status: 'paused' }),
      await person.post('/tokens', { label: HOSTILE, scopes: ['trading:read'] }),
    ]
    const keys = { keyId: 'PKSECOND', secretKey: 'of-the-second-account' }
    await app.stack.venue.openAccount(keys, 25_000)
    made.push(await person.post('/brokers', { brokerType: 'paper', name: 'Second', credentials: keys }))
    for (const { status, body } of made) assert.equal(status, 201, JSON.stringify(body))
    await app.stack.query(`update accounts set name = $$${HOSTILE}$$ where is_primary`)
    await app.stack.query(`update broker_connections set name = $$${HOSTILE}$$ where name <> 'Second'`)
  })

  for (const theme of ['light', 'dark'] as const)
    it(`the appearance of the set-up is accessible and fits at 1440, 390 and 320 px in ${theme}`, async () => {
      const page = await app.signIn({ theme })
      for (const path of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
        await page.goto(app.origin + path)
        for (const width of [1440, 390, 320]) {
          await page.setViewportSize({ width, height: 844 })
          await ready(page, path)
          await assertFits(page, width, `${path} in ${theme} at ${width} px`)
        }
      }
      await page.goto(`${app.origin}/set-up/brokers`)
      for (const name of ['New keys for', 'Remove'] as const) {
        await page.getByRole('button', { name }).first().click()
        await page.getByRole('alertdialog').waitFor()
        await assertFits(page, 320, `${name} in ${theme}`)
        await page.keyboard.press('Escape')
        await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      }
    })

  it('shows names as they are written, however they look, and runs none of them', async () => {
    const page = await app.signIn()
    for (const [path, role] of [
      ['/set-up/brokers', 'heading'],
      ['/set-up/accounts', 'row'],
      ['/set-up/strategies', 'row'],
      ['/set-up/tokens', 'row'],
    ] as const) {
      await page.goto(app.origin + path)
      await page.getByRole(role, { name: HOSTILE }).waitFor()
      assert.equal(await page.locator('#main img').count(), 0, path)
      assert.doesNotMatch(await page.title(), /owned/)
    }
  })

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

  it('the appearance of the set-up is used by keys alone, from the way around to a question and back', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up`)
    await ready(page, '/set-up')
    const tokens = page.getByRole('navigation', { name: 'Set-up' }).getByRole('link', { name: 'Tokens' })
    await tokens.focus()
    await page.keyboard.press('Enter')
    const revoke = page.getByRole('button', { name: 'Revoke Demo' })
    await revoke.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Go back' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await revoke.and(page.locator(':focus')).waitFor()
  })
})
