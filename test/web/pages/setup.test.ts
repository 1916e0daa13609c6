import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { eventually } from '#test/support/eventually.ts'
import { fillSignIn, useApp } from '../browser.ts'
import { newSymbol, useSignals } from '../signals.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { addPerson } from '../people.ts'
import { forgetProofs, prove } from '../real-money.ts'

const newKeys = () => ({
  keyId: `PK${randomBytes(6).toString('hex').toUpperCase()}`,
  secretKey: randomBytes(12).toString('hex'),
})

describe('the set-up in the web app', function () {
  this.timeout(120_000)
  const app = useApp({ api: { LIVE_TRADING: 'enabled' }, worker: { LIVE_TRADING: 'enabled' } })

  describe('the pages of brokers and accounts', function () {
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
        await sheet.getByRole('button', { name: 'Test and save' }).click()
      }
      await offer(others)
      await sheet.getByText(/belong to another account/).waitFor()
      await offer(mine.keys)
      await page.getByText('The broker accepted the new keys of Mine').waitFor()
      assert.equal(await sheet.count(), 0)
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
        const proof = page.getByRole('alertdialog', { name: 'Confirm your identity' })
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
        await back.getByText(/Planned exits continue/).waitFor()
        await back.getByRole('button', { name: 'Switch to paper' }).click()
        await first.waitFor()
        assert.equal(await modeNow(), 'PAPER')
      } finally {
        await app.stack.query(`update accounts set is_demo = true`)
        await app.stack.query(`update users set trading_mode = 'PAPER'`)
      }
    })
  })

  describe('the pages of strategies, tokens and limits', function () {
    useSignals(app)

    const signalOf = (changes: object = {}) => ({
      symbol: newSymbol(),
      action: 'openLong',
      accountId: app.stack.accountId,
      quantity: 10,
      executeMode: 'immediate',
      ...changes,
    })

    describe('of limits', () => {
      const limit = (page: Page, name: string) => page.getByRole('group', { name, exact: true })
      const save = async (page: Page): Promise<void> => {
        await page.getByRole('button', { name: 'Save…' }).click()
        await page.getByRole('alertdialog').getByRole('button', { name: 'Save', exact: true }).click()
      }

      it('set one that refuses a signal, and loosen it only with a fresh proof', async () => {
        const page = await app.signIn()
        await page.goto(`${app.origin}/set-up/limits`)
        const largest = limit(page, 'Largest order, shares')
        await largest.getByText('100,000 shares').waitFor()
        await forgetProofs(app)
        await largest.getByText('Own', { exact: true }).click()
        await largest.getByLabel('Largest order, shares').fill('5')
        await page.getByText('1 limit is changed').waitFor()
        await page.getByRole('button', { name: 'Save…' }).click()
        const changes = page.getByRole('list', { name: 'What changes' })
        await changes.getByText('100,000 shares → 5 shares').waitFor()
        assert.equal(await changes.getByText('allows more').count(), 0)
        await page.getByRole('alertdialog').getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByText('Saved. They apply from the next order').waitFor()
        const refused = await app.stack.api.post('/signals', signalOf({ dryRun: true }))
        assert.match(JSON.stringify(refused.body), /ORDER_TOO_LARGE/)

        await largest.getByText('Off', { exact: true }).click()
        await page.getByRole('button', { name: 'Save…' }).click()
        await changes.getByText('5 shares → no limit').waitFor()
        await changes.getByText('allows more').waitFor()
        await page.getByRole('alertdialog').getByRole('button', { name: 'Save', exact: true }).click()
        await prove(page, app)
        await page.getByText('Saved. They apply from the next order').waitFor()
        const sent = await app.stack.api.post('/signals', signalOf({ dryRun: true }))
        assert.doesNotMatch(JSON.stringify(sent.body), /ORDER_TOO_LARGE/)
        const { body } = await app.stack.api.get(`/settings/risk/${app.stack.accountId}`)
        assert.deepEqual(body.data.set, { maxOrderShares: null })

        await page.reload()
        assert.ok(await largest.getByRole('radio', { name: 'Off' }).isChecked())
        await largest.getByText('Default', { exact: true }).click()
        await save(page)
        await page.getByText('Saved. They apply from the next order').waitFor()
      })
    })
  })

  describe('the first steps in the web app', function () {
    it('lead from an empty installation to a first signal, by the app alone', async () => {
      const person = await addPerson(app)
      const login = await app.stack.api.post('/auth/login', person)
      const brokersOf = new ApiClient(app.origin, login.body.data.accessToken)
      const keys = {
        keyId: `PK${randomBytes(6).toString('hex')}`,
        secretKey: randomBytes(12).toString('hex'),
      }
      await app.stack.venue.openAccount(keys, 50_000)

      const page = await app.browse({ width: 390, height: 844 })
      await page.goto(`${app.origin}/`)
      await fillSignIn(page, person)
      await page.getByText('No account yet').waitFor()
      const steps = page.getByRole('list', { name: 'First steps' })
      await steps.getByRole('link', { name: 'Connect' }).click()

      await page.getByRole('heading', { name: 'Connect a broker' }).waitFor()
      await page.getByLabel('Broker', { exact: true }).selectOption('Paper venue')
      await page.getByLabel('API key ID').fill(keys.keyId)
      await page.getByLabel('API secret key').fill('wrong')
      await page.getByRole('button', { name: 'Test keys and connect' }).click()
      const refusal = page.getByRole('alert').filter({ hasText: 'Not connected' })
      await refusal.getByText('Wrong key or secret (account: 401)').waitFor()
      assert.equal((await brokersOf.get('/brokers')).body.data.brokers.length, 0, 'nothing is stored')

      // Copied with a space at its end.
      await page.getByLabel('API secret key').fill(`${keys.secretKey} `)
      await page.getByRole('button', { name: 'Test keys and connect' }).click()
      await page.getByRole('heading', { name: 'Paper venue is connected' }).waitFor()
      await page.getByText('$50,000.00').first().waitFor()

      await page.getByRole('link', { name: 'Create a token for signals' }).click()
      await page.getByLabel('Name').fill('my bot')
      await page.getByRole('button', { name: 'Create the token' }).click()
      await page.getByText('Shown only once').waitFor()
      const token = await page.getByLabel('Token', { exact: true }).innerText()
      const command = await page.getByRole('region', { name: 'curl' }).innerText()
      assert.ok(command.includes(`${app.origin}/api/v1/signals'`), command)
      assert.ok(command.includes(`Authorization: Bearer ${token}'`), command)
      const body = JSON.parse(/-d '(.*)'$/s.exec(command)![1]!)
      await page.getByRole('link', { name: 'I have copied it' }).click()
      await page.getByRole('row', { name: 'my bot' }).waitFor()
      assert.ok(!(await page.content()).includes(token), 'it is nowhere any more')

      await page.goto(`${app.origin}/`)
      await steps.getByText('4. Send a first signal, to do').waitFor()
      const sent = await new ApiClient(app.origin, token).post('/signals', body)
      assert.equal(sent.status, 201, JSON.stringify(sent.body))
      await steps.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Decide' }).click()
      await page.getByRole('heading', { name: 'AAPL' }).waitFor()
      await page.getByText('my bot').first().waitFor()
    })
  })
})
