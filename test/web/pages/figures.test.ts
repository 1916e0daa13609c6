import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
import type { CDPSession, Page, Request } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'

/** An hour of five events a second. */
const EVENTS = 18_000
/** As many change at once; a stream of which more is due would tell to read everything anew. */
const BATCH = 450
const TIMES = 5
/** Slow 4G as Lighthouse takes it: milliseconds, and bytes a second. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 }

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Figures of the web app: printed with the load of the machine, and held to no limit, which a busy machine would break. */
describe('figures of the web app', function () {
  this.timeout(300_000)
  const app = useApp()
  const { waiting, row, open } = useSignals(app)
  const { bought } = tradingOf(app)
  const print = (what: string, figure: string): void =>
    console.log(`      ${what}: ${figure} (load ${loadavg()[0]?.toFixed(1)})`)
  const took = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`

  /** Ten thousand signals, of which the stream is not told. */
  before('ten thousand signals', async () => {
    const { id } = await waiting()
    await app.stack.query(`
      alter table signals disable trigger user;
      insert into signals overriding user value select copy.* from signals one, generate_series(1, 10000) n,
        lateral jsonb_populate_record(null::signals, to_jsonb(one) || jsonb_build_object(
          'id', gen_random_uuid(), 'status', 'cancelled', 'symbol', 'MANY', 'source_id', null,
          'workflow_started_at', now(), 'accepted_at', now() - interval '1 day' - n * interval '1 second')) copy
      where one.id = '${id}';
      alter table signals enable trigger user`)
  })

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

  /** Waits until a page has what it is about. */
  async function quiet(page: Page): Promise<void> {
    while ((await requestsOf(page, () => page.waitForTimeout(5_000))).length > 0);
  }

  /** Requests to the venue so far, by its own count: for each route of the broker's API. */
  async function venueRequests(): Promise<Map<string, number>> {
    const text = await (await fetch(`${app.stack.addresses.venue}/venue/metrics`)).text()
    const counts = [...text.matchAll(/_count\{route="([^"]*)"[^}]*\} (\d+)/g)]
    return new Map(
      counts
        .filter(([, route]) => route!.includes('/v2/'))
        .map(([, route, count]) => [route!, Number(count)]),
    )
  }

  const venueRequestsWhile = async (work: () => Promise<unknown>) => {
    const before = await venueRequests()
    const began = performance.now()
    await work()
    const ms = performance.now() - began
    const routes = [...(await venueRequests())].flatMap(([route, count]) => {
      const more = count - (before.get(route) ?? 0)
      return more > 0 ? [`${more} ${route}`] : []
    })
    return { sum: routes.reduce((sum, text) => sum + Number.parseInt(text, 10), 0), routes, ms }
  }

  const IDLE_MS = 60_000
  const PAGES = [
    '/',
    '/approvals',
    '/positions',
    '/orders',
    '/signals',
    '/trades',
    '/performance',
    '/symbols/AAPL',
  ]

  it('requests a minute of each page that is left alone, with a position that moves', async () => {
    await bought({ symbol: 'AAPL' })
    const first = await app.signIn()
    const pages: [string, Page][] = []
    for (const path of PAGES) {
      const page = await first.context().newPage()
      await page.goto(`${app.origin}${path}`, { timeout: 60_000 })
      pages.push([path, page])
    }
    for (const [, page] of pages) await quiet(page)
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
  })

  it('requests to the broker for a look at twenty cards, one every second and a half', async () => {
    const page = await app.signIn()
    const symbols: string[] = []
    for (let card = 0; card < 20; card++) symbols.push((await waiting()).symbol)
    await row(page, symbols.at(-1)!).waitFor()
    // What is asked once for each symbol that begins to wait is asked by then.
    await page.waitForTimeout(3_000)
    const looks = await venueRequestsWhile(async () => {
      for (const symbol of symbols) {
        await open(page, symbol)
        await page.getByText(/checks pass/).waitFor()
        await page.waitForTimeout(1_000)
      }
    })
    const idle = await venueRequestsWhile(() => page.waitForTimeout(looks.ms))
    print(
      'requests to the broker for twenty cards',
      `${looks.sum - idle.sum} in ${seconds(looks.ms)} (${looks.routes.join(', ')}; without a look ${idle.routes.join(', ')})`,
    )
  })

  it('a price from the venue to the screen', async () => {
    const { symbol } = await bought()
    const page = await app.signIn()
    await page.goto(`${app.origin}/positions?symbol=${symbol}`)
    const times: number[] = []
    for (let cents = 1; cents <= 20; cents++) {
      const price = `77.${String(cents).padStart(2, '0')}`
      await page.waitForTimeout(600)
      times.push(
        await took(async () => {
          await app.stack.venue.pin(symbol, Number(price))
          await page.getByText(`$${price}`, { exact: true }).first().waitFor()
        }),
      )
    }
    print('price on the venue to the screen', `${median(times.slice(1)).toFixed(0)} ms`)
  })

  it('ten open pages of any kind for a minute, of which none is refused', async () => {
    const page = await app.signIn()
    const refused: string[] = []
    page.context().on('response', (response) => {
      if (response.status() === 429) refused.push(response.url())
    })
    for (const path of [...PAGES, '/', '/approvals']) {
      const another = await page.context().newPage()
      await another.goto(`${app.origin}${path}`, { timeout: 60_000 })
    }
    await page.waitForTimeout(IDLE_MS)
    const halt = await app.stack.api.get('/settings/halts')
    assert.deepEqual([refused, halt.status], [[], 200])
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

  it('the first card, on this machine and on slow 4G with a fourth of the processor', async () => {
    const { id, symbol } = await waiting()
    const page = await app.signIn()
    await page.goto(`${app.origin}/approvals?signal=${id}`)
    const session = await page.context().newCDPSession(page)
    const firstCard = () =>
      took(async () => {
        await page.reload({ waitUntil: 'commit' })
        await page.getByRole('heading', { name: symbol }).waitFor({ timeout: 30_000 })
      })
    const here: number[] = []
    for (let time = 0; time < TIMES; time++) here.push(await firstCard())
    print('first card', seconds(median(here)))
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await session.send('Network.emulateNetworkConditions', SLOW_4G)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    print('first card, nothing kept, slow 4G, a fourth of the processor', seconds(await firstCard()))
  })

  it('figures of the web app from the webhook to the card, and from the press to the outcome', async () => {
    const page = await app.signIn()
    const toCard: number[] = []
    const toOutcome: number[] = []
    for (let time = 0; time < TIMES; time++) {
      let symbol = ''
      toCard.push(
        await took(async () => {
          ;({ symbol } = await waiting())
          await row(page, symbol).waitFor()
        }),
      )
      await open(page, symbol)
      const approve = page.getByRole('button', { name: 'Approve', exact: true, disabled: false })
      await approve.waitFor()
      toOutcome.push(
        await took(async () => {
          await approve.click()
          await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
        }),
      )
    }
    print('webhook to card', seconds(median(toCard)))
    print('press to outcome', seconds(median(toOutcome)))
  })

  it('frames while ten thousand rows are scrolled through, twenty pages of them', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/signals?symbol=MANY`)
    await page.getByText('1 to 50 of 10,000').waitFor()
    await page.evaluate(`globalThis.frames = []
      let before = performance.now()
      const next = () => requestAnimationFrame((now) => { frames.push(now - before); before = now; next() })
      next()`)
    for (let turn = 1; turn <= 20; turn++) {
      for (let step = 0; step < 8; step++) {
        await page.mouse.wheel(0, 300)
        await page.waitForTimeout(30)
      }
      await page.getByRole('button', { name: 'Older' }).click()
      await page.getByText(`${(turn * 50 + 1).toLocaleString('en-US')} to`).waitFor()
    }
    const frames = (await page.evaluate<number[]>('[...globalThis.frames]')).toSorted((a, b) => a - b)
    assert.ok(frames.length > 100)
    const at = (share: number) => `${frames[Math.floor((frames.length - 1) * share)]?.toFixed(0)} ms`
    print(
      `frames of scrolling (${frames.length})`,
      `half within ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`,
    )
  })

  it('what an hour of five events a second leaves in the memory', async () => {
    const page = await app.signIn()
    const session = await page.context().newCDPSession(page)
    await page.goto(`${app.origin}/signals?symbol=MANY`)
    await page.getByText('1 to 50 of 10,000').waitFor()
    await page.evaluate(`globalThis.heard = 0
      globalThis.ear = new BroadcastChannel('live')
      ear.onmessage = ({ data }) => { if (data.news?.name === 'signal') heard++ }`)
    const began = performance.now()
    const before = await heardAndHeld(page, session, BATCH * 2)
    const after = await heardAndHeld(page, session, EVENTS)
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
    print(
      `heap after ${EVENTS} events, told in ${seconds(performance.now() - began)}`,
      `${megabytes(after)}, at the beginning ${megabytes(before)}`,
    )
  })

  /** Changes signals until the page has heard of so many; resolves with the bytes that its scripts then hold. */
  async function heardAndHeld(page: Page, session: CDPSession, count: number): Promise<number> {
    const heard = () => page.evaluate<number>('globalThis.heard')
    const goal = (await heard()) + count
    for (let begin = 0; (await heard()) < goal; begin = (begin + BATCH) % 9_000) {
      const before = await heard()
      await app.stack.query(
        `update signals set status_detail = clock_timestamp()::text where id in
         (select id from signals where symbol = 'MANY' order by id offset ${begin} limit ${BATCH})`,
      )
      await eventually(async () => assert.ok((await heard()) >= before + BATCH))
    }
    await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  }
})
