import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
import type { Page, Request } from 'playwright-core'
import { useApp } from '../browser.ts'
import { tradingOf } from '../trading.ts'

const IDLE_MS = 60_000
const PAGES = [
  '/',
  '/approvals',
  '/positions',
  '/orders',
  '/signals',
  '/trades',
  '/performance',
  '/alerts',
  '/symbols/AAPL',
]

/** Requests and bytes are counted and held to a limit; times are not, because a busy machine changes them. */
describe('figures of the web app', function () {
  this.timeout(300_000)
  const app = useApp()
  const { bought } = tradingOf(app)
  const print = (what: string, figure: string): void =>
    console.log(`      ${what}: ${figure} (load ${loadavg()[0]?.toFixed(1)})`)

  /** Requests of a page to the API while it does something; event streams, which stay open, do not count. */
  async function requestsOf(page: Page, work: () => Promise<unknown>): Promise<string[]> {
    const asked: string[] = []
    const note = (request: Request) => {
      const { pathname } = new URL(request.url())
      if (/^\/(api|readyz)/.test(pathname)) asked.push(`${request.method()} ${pathname}`)
    }
    page.on('request', note)
    await work()
    page.off('request', note)
    return asked.filter((name) => name !== 'GET /api/v1/events')
  }

  it('each of ten open pages asks at most six times a minute with a position that moves, and none is refused', async () => {
    await bought({ symbol: 'AAPL' })
    const first = await app.signIn()
    const refused: string[] = []
    first.context().on('response', (response) => {
      if (response.status() === 429) refused.push(response.url())
    })
    const pages: [string, Page][] = []
    for (const path of PAGES) {
      const page = await first.context().newPage()
      await page.goto(`${app.origin}${path}`, { timeout: 60_000 })
      pages.push([path, page])
    }
    // Each has what it is about.
    for (const [, page] of pages)
      while ((await requestsOf(page, () => page.waitForTimeout(5_000))).length > 0);
    const counted = await Promise.all(
      pages.map(async ([path, page]) => ({
        path,
        asked: await requestsOf(page, () => page.waitForTimeout(IDLE_MS)),
      })),
    )
    for (const { path, asked } of counted) {
      print(`requests a minute, ${path}`, String(asked.length))
      assert.ok(asked.length <= 6, `${path}: ${asked.join(', ')}`)
    }
    assert.deepEqual(refused, [])
  })

  it('the first visit, at the sign-in page, takes few requests and bytes', async () => {
    const page = await app.browse()
    const session = await page.context().newCDPSession(page)
    let [requests, bytes] = [0, 0]
    await session.send('Network.enable')
    session.on('Network.requestWillBeSent', () => (requests += 1))
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto(`${app.origin}/`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.waitForLoadState('networkidle')
    print('first visit', `${requests} requests, ${(bytes / 1_000).toFixed(0)} KB`)
    assert.ok(requests <= 15 && bytes <= 180_000, `${requests} requests, ${bytes} bytes`)
  })
})
