import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { money } from '#web/parts/format.ts'
import { eventually } from '#test/support/eventually.ts'
import { accessibilityFaults, fillSignIn, useApp } from './browser.ts'
import { newSymbol, useSignals } from './signals.ts'

/** Texts that become scripts where a page believes them. */
const HOSTILE = [
  '<img src=x onerror="document.title=\'owned\'">',
  '<script>document.title="owned"</script>',
  'javascript:document.title="owned"',
  "\"><svg onload=document.title='owned'>",
  '{{constructor.constructor("document.title=1")()}}',
]

describe('the web application on the whole service', function () {
  this.timeout(60_000)
  const app = useApp()

  const { waiting, recordOf, row, open, priceOf } = useSignals(app)

  it('shows a wrong password’s refusal, signs in, stays so over a reload, and keeps the refresh token from scripts', async () => {
    const page = await app.browse()
    await page.goto(`${app.origin}/approvals`)
    await fillSignIn(page, { email: app.stack.person.email, password: 'not the password' })
    await page.getByRole('alert').waitFor()
    await fillSignIn(page, app.stack.person)
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    assert.doesNotMatch(
      await page.evaluate<string>('document.cookie + JSON.stringify(localStorage)'),
      /refresh|eyJ/,
    )
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('goes to sign-in once from an address inside, and back to that address afterwards', async () => {
    for (const [address, heading] of [
      ['/settings', 'Settings'],
      ['/device?code=ABCD-EFGH', 'Confirm a device'],
      ['/', 'Approvals'],
    ] as const) {
      const page = await app.browse()
      const seen: string[] = []
      page.on('framenavigated', (frame) => void seen.push(new URL(frame.url()).pathname))
      await page.goto(`${app.origin}${address}`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      assert.equal(seen.filter((pathname) => pathname === '/sign-in').length, 1, seen.join(' '))
      await fillSignIn(page, app.stack.person)
      await page.getByRole('heading', { name: heading }).waitFor()
      assert.ok(page.url().startsWith(app.origin + (address === '/' ? '/approvals' : address)), page.url())
    }
  })

  it('never takes another site for the way back from a sign-in', async () => {
    const page = await app.browse()
    await page.goto(`${app.origin}/sign-in?to=${encodeURIComponent('//elsewhere.example/approvals')}`)
    await fillSignIn(page, app.stack.person)
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    assert.equal(new URL(page.url()).origin, app.origin)
  })

  it('says the mode in the title of every page', async () => {
    const page = await app.signIn()
    assert.match(await page.title(), /^Approvals/)
    await page.route('**/api/v1/me', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      body.data.user.tradingMode = 'LIVE'
      await route.fulfill({ response: answer, json: body })
    })
    for (const address of ['/approvals', '/settings']) {
      await page.goto(app.origin + address)
      await page.getByText('LIVE · real money').waitFor()
      assert.match(await page.title(), /^\[LIVE\] /)
    }
  })

  it('shows a signal as it arrives and approves it by one press on paper', async () => {
    const page = await app.signIn()
    const { id, symbol } = await waiting()
    await open(page, symbol)
    await page.getByText(/checks pass/).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
    assert.equal((await recordOf(id)).status, 'executed')
  })

  it('takes a rejection back within five seconds, and sends it with its reason after them', async () => {
    const page = await app.signIn()
    const { id, symbol } = await waiting()
    await open(page, symbol)
    await page.keyboard.press('r')
    await page.getByLabel('Reason').fill('earnings day')
    await page.getByRole('button', { name: 'Reject it' }).click()
    await page.getByRole('button', { name: /^Undo/ }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    assert.equal((await recordOf(id)).status, 'pending')
    await page.keyboard.press('r')
    await page.getByLabel('Reason').fill('earnings day')
    await page.getByRole('button', { name: 'Reject it' }).click()
    await page.getByText('Rejected. Nothing was sent.').waitFor()
    const record = await recordOf(id)
    assert.equal(record.status, 'rejected')
    assert.match(JSON.stringify(record), /earnings day/)
  })

  it('sends a rejection at once when the page is left', async () => {
    const page = await app.signIn()
    const { id, symbol } = await waiting()
    await open(page, symbol)
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Reject it' }).click()
    await page.getByRole('button', { name: /^Undo/ }).waitFor()
    await page.goto('about:blank')
    await eventually(async () => assert.equal((await recordOf(id)).status, 'rejected'), { within: 4_000 })
  })

  it('checks an edit while it is typed and approves with it', async () => {
    const page = await app.signIn()
    const symbol = newSymbol()
    const price = Math.floor(await priceOf(symbol))
    const { id } = await waiting({ symbol, orderType: 'limit', limitPrice: price })
    await open(page, symbol)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Quantity').fill('7')
    await page.getByText(`${symbol} 0 → 7 shares`).waitFor()
    await page.getByLabel('Limit, $ a share').fill(String(price + 1))
    await page.getByText(money(7 * (price + 1)), { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText(/Filled|Works at the broker/).waitFor()
    const { quantity, limitPrice, status } = await recordOf(id)
    assert.deepEqual([quantity, limitPrice, status], [7, price + 1, 'executed'])
  })

  it('sends one order and shows both the same outcome when two devices approve at once', async () => {
    const [first, second] = await Promise.all([app.signIn(), app.signIn()])
    const { id, symbol } = await waiting()
    await Promise.all([open(first, symbol), open(second, symbol)])
    await Promise.all([first, second].map((page) => page.keyboard.press('a')))
    for (const page of [first, second])
      await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
    const { orders } = await app.stack.venue.ledger()
    assert.equal(orders.filter((order) => order.client_order_id.startsWith(id)).length, 1)
  })

  it('tells a device whose rejection comes after another one’s approval that it changed nothing', async () => {
    const [first, second] = await Promise.all([app.signIn(), app.signIn()])
    const { id, symbol } = await waiting()
    await Promise.all([open(first, symbol), open(second, symbol)])
    await second.keyboard.press('r')
    await second.getByRole('button', { name: 'Reject it' }).click()
    await second.getByRole('button', { name: /^Undo/ }).waitFor()
    await first.keyboard.press('a')
    await first.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
    await second.getByText('Your decision changed nothing.').waitFor()
    assert.equal((await recordOf(id)).status, 'executed')
  })

  it('tells a device that only looked that the signal was decided elsewhere', async () => {
    const [first, second] = await Promise.all([app.signIn(), app.signIn()])
    const { symbol } = await waiting()
    await Promise.all([open(first, symbol), open(second, symbol)])
    await first.keyboard.press('a')
    await second.getByText('It was decided elsewhere.').waitFor()
  })

  it('stays unsure while the answer to an approval is missing, and shows the fill once the record tells it', async () => {
    const page = await app.signIn()
    const { id, symbol } = await waiting()
    await open(page, symbol)
    let arrive: () => void = () => undefined
    const isLate = new Promise<void>((resolve) => (arrive = resolve))
    await page.route(`**/signals/${id}/process`, async (route) => {
      // The answer is lost at once; the request itself arrives later.
      const asked = route.request()
      await route.abort('connectionreset')
      await isLate
      await fetch(asked.url(), { method: 'POST', headers: asked.headers(), body: asked.postData() })
    })
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText(/the signal still waited/).waitFor()
    assert.equal(await page.getByText('Nothing was done').count(), 0)
    arrive()
    await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
    assert.equal(await page.getByText('Your decision changed nothing.').count(), 0)
  })

  it('says that a signal has expired under the eyes and lets nobody decide it', async () => {
    const page = await app.signIn()
    const { symbol } = await waiting({
      validUntil: new Date(Date.now() + 6_000).toISOString(),
      timezone: 'UTC',
    })
    await open(page, symbol)
    await page.getByText(/^Expired at .* Nothing was sent\.$/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).count(), 0)
    await page
      .getByRole('article', { name: /^Outcome/ })
      .getByText(/^Expired at/)
      .waitFor()
    assert.equal(await page.getByText('It was decided elsewhere.').count(), 0)
  })

  it('decides nothing without a connection, and says since when', async () => {
    const page = await app.signIn()
    const { symbol } = await waiting()
    await open(page, symbol)
    await page.context().setOffline(true)
    await page.getByText(/^No connection since/).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled())
    await page.context().setOffline(false)
    await page.getByText(/^No connection since/).waitFor({ state: 'detached' })
  })

  it('shows hostile texts of a webhook as texts', async () => {
    const page = await app.signIn({ width: 390, height: 844 })
    const metadata = Object.fromEntries(HOSTILE.map((text, index) => [`${text}${index}`, text]))
    const { symbol } = await waiting({ metadata, sourceId: `${HOSTILE[0]}${randomUUID()}`.slice(0, 100) })
    await open(page, symbol)
    await page.getByText('Sent along').click()
    await page.getByText(HOSTILE[1]!, { exact: true }).waitFor()
    assert.match(await page.title(), /Approvals/)
  })

  it('never spends real money by one press: the confirming button lies elsewhere', async () => {
    const { id, symbol } = await waiting()
    await app.stack.query(`update accounts set is_demo = false where id = '${app.stack.accountId}'`)
    try {
      for (const device of [{ width: 390, height: 844 }, {}]) {
        const page = await app.signIn(device)
        await open(page, symbol)
        await row(page, symbol).getByText('LIVE').waitFor()
        await page.getByText(/checks pass/).waitFor()
        assert.deepEqual(await accessibilityFaults(page), [])
        const approve = page.getByRole('button', { name: 'Approve…' })
        const at = await approve.boundingBox()
        await approve.dblclick()
        const confirm = page.getByRole('button', { name: 'Buy with real money' })
        await confirm.waitFor()
        const confirmAt = await confirm.boundingBox()
        assert.ok(at && confirmAt)
        assert.ok(confirmAt.y + confirmAt.height < at.y || at.y + at.height < confirmAt.y, 'they overlap')
        assert.deepEqual(await accessibilityFaults(page), [])
        assert.equal((await recordOf(id)).status, 'pending')
      }
    } finally {
      await app.stack.query(`update accounts set is_demo = true where id = '${app.stack.accountId}'`)
    }
  })

  it('is accessible in both themes at 1440, 390 and 320 px, and nothing is wider than the page', async () => {
    const { symbol } = await waiting({ metadata: { note: 'earnings' } })
    await waiting()
    for (const theme of ['light', 'dark'] as const) {
      const page = await app.signIn({ theme })
      for (const width of [1440, 390, 320]) {
        await page.setViewportSize({ width, height: 844 })
        await open(page, symbol)
        await page.getByText(/checks pass/).waitFor()
        assert.deepEqual(await accessibilityFaults(page), [], `${theme} ${width}`)
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(wide <= 0, `${wide} px too wide at ${width}`)
        const approve = await page.getByRole('button', { name: 'Approve', exact: true }).boundingBox()
        assert.ok(approve && approve.x + approve.width < width, `Approve is cut off at ${width}`)
      }
    }
    const signIn = await app.browse()
    await signIn.goto(`${app.origin}/sign-in`)
    await signIn.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual(await accessibilityFaults(signIn), [])
  })

  it('asks the API at most eight times until the first card of a person who comes back', async () => {
    const { symbol } = await waiting()
    const page = await app.signIn()
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}`)
    })
    await page.reload()
    await page.getByRole('heading', { name: symbol }).waitFor()
    await page.getByText(/checks pass/).waitFor()
    await page.getByText('live', { exact: true }).filter({ visible: true }).waitFor()
    assert.ok(asked.length <= 8, asked.join('\n'))
  })

  it('loads at most 180 KB of scripts and 25 KB of styles for the first view', async () => {
    const page = await app.browse()
    const sizes = { script: 0, stylesheet: 0 }
    const received: Promise<void>[] = []
    page.on('requestfinished', (request) => {
      const type = request.resourceType()
      if (type === 'script' || type === 'stylesheet')
        received.push(request.sizes().then(({ responseBodySize }) => void (sizes[type] += responseBodySize)))
    })
    await page.goto(`${app.origin}/approvals`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await Promise.all(received)
    console.log(`      ${sizes.script} bytes of scripts, ${sizes.stylesheet} of styles`)
    assert.ok(sizes.script > 0 && sizes.script <= 180_000)
    assert.ok(sizes.stylesheet > 0 && sizes.stylesheet <= 25_000)
  })
})
