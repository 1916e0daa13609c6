import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, assertFits, useApp, workerOf } from '../browser.ts'
import { newerBuild } from '../newer-build.ts'

describe('the web app as it is opened without a connection', function () {
  this.timeout(90_000)
  const app = useApp()

  const isLive = (page: Page) =>
    page.getByText('live', { exact: true }).filter({ visible: true }).first().waitFor()
  const isOffline = (page: Page) => page.getByRole('heading', { name: 'No connection' }).waitFor()
  /** Addresses of everything that the browser keeps for the app. */
  const keptBy = (page: Page) =>
    page.evaluate<string[]>(`caches.keys().then(async (names) =>
      (await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))).flat().map(({ url }) => url))`)

  it('opens, says so and since when, and is live again when the connection is back', async () => {
    const page = await app.signIn({ hasWorker: true })
    await workerOf(page)
    await page.context().setOffline(true)
    await page.reload()
    await isOffline(page)
    await page.getByText(/^No connection since \d\d:\d\d New York/).waitFor()
    await assertFits(page, 'without a connection')
    // Any address of the app does.
    await page.goto(`${app.origin}/settings/security`)
    await isOffline(page)
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Security' }).waitFor()
    await isLive(page)
  })

  it('keeps the page and the files of the build, and nothing that the API answers', async () => {
    const page = await app.signIn({ hasWorker: true })
    await workerOf(page)
    for (const address of ['/orders', '/positions']) {
      await page.goto(app.origin + address)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    const kept = (await keptBy(page)).map((url) => new URL(url).pathname)
    assert.ok(kept.includes('/index.html') && kept.some((path) => path.startsWith('/assets/index-')))
    assert.deepEqual(
      kept.filter((path) => !/^\/(assets\/[\w.-]+|[\w-]+\.(html|js|svg|png|webmanifest))$/.test(path)),
      [],
    )
  })

  it('reports a new version, and until it is loaded the open tab goes on with its own files', async () => {
    const page = await app.signIn({ hasWorker: true })
    await workerOf(page)
    await page.evaluate('globalThis.isSamePage = true')
    const scriptOf = () =>
      page.evaluate<string>(`document.querySelector('script[type=module]').getAttribute('src')`)
    const before = await scriptOf()
    const folder = await newerBuild()
    try {
      await app.stack.parts.api.restart({ WEB_FOLDER: folder })
      assert.equal((await fetch(app.origin + before)).status, 404)
      await page.evaluate('navigator.serviceWorker.getRegistration().then((own) => own.update())')
      await page.getByText('A new version is ready').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      // A page that was not opened before, whose file the service does not have any more.
      await page.getByRole('link', { name: 'Performance' }).filter({ visible: true }).click()
      await page.getByRole('heading', { name: 'Performance', level: 1 }).waitFor()
      assert.equal(await page.evaluate('globalThis.isSamePage'), true)
      await page.getByRole('button', { name: 'Reload' }).click()
      await eventually(async () => assert.notEqual(await scriptOf(), before))
      await page.getByRole('heading', { name: 'Performance', level: 1 }).waitFor()
      await isLive(page)
      assert.equal(await page.getByText('A new version is ready').count(), 0)
    } finally {
      await app.stack.parts.api.restart({ WEB_FOLDER: 'web/dist' })
      await rm(folder, { recursive: true })
    }
  })
})
