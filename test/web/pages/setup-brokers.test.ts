import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { newSymbol } from '../signals.ts'

const newKeys = () => ({
  keyId: `PK${randomBytes(6).toString('hex').toUpperCase()}`,
  secretKey: randomBytes(12).toString('hex'),
})

describe('the pages of brokers and accounts', function () {
  this.timeout(90_000)
  const app = useApp({ api: { LIVE_TRADING: 'enabled' } })

  /** Connects a fresh account of the venue by the API; resolves with its ids, name and keys. */
  async function connected(name: string) {
    const keys = newKeys()
    await app.stack.venue.openAccount(keys, 25_000)
    const { status, body } = await app.stack.api.post('/brokers', {
      brokerType: 'paper',
      name,
      credentials: keys,
    })
    assert.equal(status, 201, JSON.stringify(body))
    const { id, accounts } = body.data.broker
    return { id: id as string, accountId: accounts[0].id as string, name, keys }
  }
  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const brokerOf = async (id: string) => (await app.stack.api.get(`/brokers/${id}`)).body

  it('say where keys are found, and that a live account is about real money', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/brokers/new`)
    await page.getByText('paper and live have keys of their own').waitFor()
    await page.getByLabel('Broker', { exact: true }).selectOption('Paper venue')
    await page.getByText('venueKeyId in the file').waitFor()
    await page.getByLabel('Broker', { exact: true }).selectOption('Alpaca')
    const form = page.getByRole('form', { name: 'Connect a broker' })
    await form.getByText('PAPER', { exact: true }).waitFor()
    await form.getByText('Live · real money', { exact: true }).click()
    await form.getByText('Orders of this account move real money').waitFor()
    assert.equal(await form.getAttribute('data-mode'), 'live')
  })

  it('refuse keys of another account, keep the old ones, and take new ones of the same account', async () => {
    const mine = await connected('Mine')
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/brokers`)
    await card(page, 'Mine').getByRole('button', { name: 'New keys for Mine' }).click()
    const sheet = page.getByRole('alertdialog', { name: 'New keys for Mine' })
    const others = newKeys()
    await app.stack.venue.openAccount(others, 1_000)
    const offer = async ({ keyId, secretKey }: typeof others) => {
      await sheet.getByLabel('API key ID').fill(keyId)
      await sheet.getByLabel('API secret key').fill(secretKey)
      await sheet.getByRole('button', { name: 'Try and store them' }).click()
    }
    await offer(others)
    await sheet.getByText(/belong to another account/).waitFor()
    await offer(mine.keys)
    await page.getByText('The broker takes the new keys of Mine').waitFor()
    assert.equal(await sheet.count(), 0)
  })

  it('rename a connection and its account', async () => {
    await connected('Old name')
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/brokers`)
    await card(page, 'Old name').getByRole('button', { name: 'Rename Old name' }).click()
    const sheet = page.getByRole('alertdialog', { name: 'Rename Old name' })
    await sheet.getByLabel('Name').fill('')
    await sheet.getByRole('button', { name: 'Rename it' }).click()
    await sheet.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor()
    await sheet.getByLabel('Name').fill('New name')
    await sheet.getByRole('button', { name: 'Rename it' }).click()
    await card(page, 'New name').waitFor()
    await page.goto(`${app.origin}/set-up/accounts`)
    await page.getByRole('row', { name: 'New name' }).waitFor()
  })

  it('tell since when and why a broker fails, and that it answers again when it is tested', async () => {
    const { id } = await connected('Failing')
    const page = await app.signIn()
    await page.route(/\/api\/v1\/brokers\?/, async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      const broker = body.data.brokers.find((each: { id: string }) => each.id === id)
      broker.status = 'error'
      broker.statusDetail = 'The broker does not accept the keys (account: 401)'
      broker.failingSince = new Date(Date.now() - 20 * 60_000).toISOString()
      await route.fulfill({ response: answer, json: body })
    })
    await page.goto(`${app.origin}/set-up/brokers`)
    const failing = card(page, 'Failing')
    await failing.getByText(/^No good answer since \d\d:\d\d New York/).waitFor()
    await failing.getByText(/does not accept the keys \(account: 401\).*positions stay open/).waitFor()
    await page.unrouteAll()
    await failing.getByRole('button', { name: 'Test Failing' }).click()
    await failing.getByText('The broker answers, with these keys').waitFor()
    await failing.getByText('connected', { exact: true }).waitFor()
  })

  it('remove a connection only when nothing works through it, and say so before', async () => {
    const { id, accountId } = await connected('In use')
    const symbol = newSymbol()
    const { body: placed } = await app.stack.api.post('/orders', {
      accountId,
      symbol,
      side: 'BUY',
      orderType: 'LIMIT',
      quantity: 1,
      limitPrice: Math.round((await priceOf(symbol)) * 0.7),
    })
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/brokers`)
    await card(page, 'In use').getByRole('button', { name: 'Remove In use' }).click()
    const sheet = page.getByRole('alertdialog', { name: 'Remove In use?' })
    await sheet.getByText('Its keys are erased for good.').waitFor()
    await sheet.getByText('Open in it: 1 order').waitFor()
    await sheet.getByRole('button', { name: 'Remove it', disabled: true }).waitFor()

    assert.ok((await app.stack.api.delete(`/orders/${placed.order.id}`)).status < 300)
    await sheet.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText(/^The connection is removed/).waitFor()
    assert.equal(await card(page, 'In use').count(), 0)
    assert.equal((await brokerOf(id)).code, 'BROKER_NOT_FOUND')
    await page.goto(`${app.origin}/set-up/accounts`)
    await page.getByRole('button', { name: 'Show removed accounts' }).click()
    await page.getByRole('region', { name: 'Removed' }).getByText('In use').waitFor()
  })

  const priceOf = async (symbol: string): Promise<number> =>
    (await app.stack.api.get(`/market/quotes?symbols=${symbol}`)).body.data.quotes[0].last

  it('sync an account now, and go on asking while it still runs', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/accounts`)
    let asked = 0
    await page.route('**/accounts/*/sync', async (route) => {
      asked++
      if (asked > 1) return route.continue()
      const response = { success: true, message: 'The sync is still running', syncedAt: null }
      return route.fulfill({ status: 202, json: response })
    })
    const row = page.getByRole('row', { name: 'Paper account' })
    await row.getByRole('button', { name: 'Sync now: Paper account' }).click()
    await row.getByText('Synced', { exact: true }).waitFor({ timeout: 20_000 })
    assert.equal(asked, 2)
  })

  it('make another account the primary one, after saying what that means', async () => {
    const { accountId } = await connected('Second')
    const page = await app.signIn()
    await page.goto(`${app.origin}/set-up/accounts`)
    await page.getByRole('button', { name: 'Make primary: Second' }).click()
    const sheet = page.getByRole('alertdialog', { name: 'Make Second the primary account?' })
    await sheet.getByText(/Signals name their account/).waitFor()
    await sheet.getByRole('button', { name: 'Make it primary' }).click()
    await page.getByRole('row', { name: 'Second' }).getByText('primary', { exact: true }).waitFor()
    const { body } = await app.stack.api.get('/accounts')
    assert.deepEqual(
      body.accounts
        .filter(({ isPrimary }: { isPrimary: boolean }) => isPrimary)
        .map(({ id }: { id: string }) => id),
      [accountId],
    )
  })

  it('trade with real money only after two presses in two places and a fresh proof, and go back', async () => {
    const { accountId } = await connected('Real')
    await app.stack.query(`update accounts set is_demo = false where id = '${accountId}'`)
    const modeNow = async () => (await (await app.stack.signIn()).get('/me')).body.data.user.tradingMode
    try {
      const page = await app.signIn()
      await page.goto(`${app.origin}/set-up/accounts`)
      const first = page.getByRole('button', { name: 'Real money…' })
      const sheet = page.getByRole('alertdialog', { name: 'Trade with real money?' })
      const second = sheet.getByRole('button', { name: 'Switch to real money' })
      for (const width of [320, 390, 1440]) {
        await page.setViewportSize({ width, height: 844 })
        const from = (await first.boundingBox())!
        await first.dblclick()
        await sheet.getByText('Real, buying power $').waitFor()
        const to = (await second.boundingBox())!
        // Beside it, however far the page is scrolled.
        assert.ok(from.x + from.width / 2 < to.x, `the second press is elsewhere at ${width} px`)
        assert.equal(await modeNow(), 'PAPER', 'a double press only asks')
        await page.keyboard.press('Escape')
        await sheet.waitFor({ state: 'detached' })
      }
      assert.equal(await modeNow(), 'PAPER')

      await app.stack.query(`update sessions set verified_at = now() - interval '10 minutes'`)
      await page.reload()
      await first.click()
      await second.click()
      const proof = page.getByRole('alertdialog', { name: 'Is it you?' })
      await proof.getByRole('button', { name: 'Go back' }).click()
      await sheet.getByText('Nothing was done: you did not confirm.').waitFor()
      assert.equal(await modeNow(), 'PAPER')

      await second.click()
      await proof.getByLabel('Password').fill(app.stack.person.password)
      await proof.getByRole('button', { name: 'Go on' }).click()
      await sheet.waitFor({ state: 'detached' })
      await page.getByRole('banner').getByText('LIVE · real money').waitFor()
      await eventually(async () => assert.match(await page.title(), /^\[LIVE\] /))
      assert.equal(await modeNow(), 'LIVE')

      await page.getByRole('button', { name: 'Back to paper…' }).click()
      const back = page.getByRole('alertdialog', { name: 'Back to paper?' })
      await back.getByText(/Exits that are planned go on/).waitFor()
      await back.getByRole('button', { name: 'Switch to paper' }).click()
      await first.waitFor()
      assert.equal(await modeNow(), 'PAPER')
    } finally {
      await app.stack.query(`update accounts set is_demo = true`)
      await app.stack.query(`update users set trading_mode = 'PAPER'`)
    }
  })
})
