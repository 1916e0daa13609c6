import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ApiClient } from '#test/support/api-client.ts'
import { assertFits, useApp } from '../browser.ts'
import { forgetProofs, prove } from '../real-money.ts'
import { newSymbol, useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the pages of strategies, tokens and limits', function () {
  this.timeout(90_000)
  const app = useApp()
  const { waiting } = useSignals(app)
  const { bought } = tradingOf(app)

  const signalOf = (changes: object = {}) => ({
    symbol: newSymbol(),
    action: 'openLong',
    accountId: app.stack.accountId,
    quantity: 10,
    executeMode: 'immediate',
    ...changes,
  })

  describe('of tokens', () => {
    async function made(page: Page, name: string): Promise<string> {
      await page.getByLabel('Name').fill(name)
      await page.getByRole('button', { name: 'Make the token' }).click()
      return page.getByLabel('Token', { exact: true }).innerText()
    }

    it('make one that sends signals, show it once, and revoke it, after which it is refused', async () => {
      const page = await app.signIn()
      await page.goto(`${app.origin}/set-up/tokens`)
      await page.getByRole('link', { name: 'New token' }).click()
      await forgetProofs(app)
      await page.getByLabel('Name').fill('my script')
      await page.getByRole('button', { name: 'Make the token' }).click()
      await prove(page, app)
      const token = await page.getByLabel('Token', { exact: true }).innerText()
      const script = new ApiClient(app.origin, token)
      const { status, body } = await script.post('/signals', signalOf())
      assert.ok(status === 201 || status === 202, JSON.stringify(body))

      await page.reload()
      await page.getByRole('heading', { name: 'New token' }).waitFor()
      assert.ok(!(await page.content()).includes(token), 'it is not shown again')
      await page.goto(`${app.origin}/set-up/tokens`)
      const row = page.getByRole('row', { name: 'my script' })
      await row.getByText('send signals, read trading').waitFor()
      await row.getByRole('link', { name: 'Show signals of my script' }).click()
      await page.getByRole('button', { name: 'Remove the filter sent by the token my script' }).waitFor()
      await page.getByText('1 signal', { exact: true }).waitFor()
      await page.goto(`${app.origin}/set-up/tokens`)
      await row.getByRole('button', { name: 'Revoke my script' }).click()
      const sheet = page.getByRole('alertdialog', { name: 'Revoke my script?' })
      await sheet.getByText(/so what sends with it stops/).waitFor()
      await sheet.getByRole('button', { name: 'Revoke it' }).click()
      await sheet.waitFor({ state: 'detached' })
      assert.equal(await row.count(), 0)
      assert.equal((await script.post('/signals', signalOf())).status, 401)
    })

    it('revoke one whose signal waits, and withdraw that signal or keep it', async () => {
      for (const keep of [false, true]) {
        const page = await app.signIn()
        await page.goto(`${app.origin}/set-up/tokens/new`)
        const label = `waiting, ${keep ? 'kept' : 'withdrawn'}`
        const script = new ApiClient(app.origin, await made(page, label))
        const { body } = await script.post('/signals', { ...signalOf(), executeMode: 'pending' })
        const id: string = body.signal.id
        await page.goto(`${app.origin}/set-up/tokens`)
        await page.getByRole('button', { name: `Revoke ${label}` }).click()
        const sheet = page.getByRole('alertdialog', { name: `Revoke ${label}?` })
        await sheet.getByText('1 signal that it has sent waits').waitFor()
        if (keep) await sheet.getByRole('checkbox', { name: /Keep them on record/ }).check()
        await sheet.getByRole('button', { name: 'Revoke it' }).click()
        await sheet.waitFor({ state: 'detached' })
        await page.goto(`${app.origin}/signals/${id}`)
        await page
          .getByText(keep ? 'Pending' : 'Withdrawn', { exact: false })
          .first()
          .waitFor()
      }
    })

    it('make one that may only read and ends in a week, by which no signal is sent', async () => {
      const page = await app.signIn()
      await page.goto(`${app.origin}/set-up/tokens/new`)
      await page.getByText('Only read', { exact: true }).click()
      assert.ok(await page.getByRole('checkbox', { name: 'Read accounts' }).isChecked())
      assert.ok(!(await page.getByRole('checkbox', { name: 'Send signals' }).isChecked()))
      await page.getByLabel('It is good for').selectOption('7 days')
      const reader = new ApiClient(app.origin, await made(page, 'a dashboard'))
      assert.equal(await page.getByRole('heading', { name: 'Send a signal' }).count(), 0)
      assert.equal((await reader.get('/accounts')).status, 200)
      assert.equal((await reader.post('/signals', signalOf())).status, 403)
      await page.goto(`${app.origin}/set-up/tokens`)
      await page.getByRole('row', { name: 'a dashboard' }).getByText('in 6 days').waitFor()
    })

    it('make one that is bound, tell faults of a bound at its field, and show the bounds', async () => {
      const symbol = newSymbol()
      const page = await app.signIn()
      await page.goto(`${app.origin}/set-up/tokens/new`)
      await page.getByRole('checkbox', { name: /^Only its own signals/ }).check()
      await page.getByRole('checkbox', { name: 'Paper account' }).check()
      await page.getByLabel('Symbols').fill(symbol.toLowerCase())
      await page.getByLabel('Largest order, $').fill('nothing')
      await page.getByLabel('Name').fill('an alert')
      await page.getByRole('button', { name: 'Make the token' }).click()
      await page.getByLabel('Largest order, $').and(page.locator('[aria-invalid=true]')).waitFor()
      await page.getByLabel('Largest order, $').fill('1,500')
      const script = new ApiClient(app.origin, await made(page, 'an alert'))
      const bounds = ['only Paper account', `opens only ${symbol}`, 'opens at most $1,500.00 an order']
      for (const words of [...bounds, 'cancels only what it has sent'])
        await page.getByText(words, { exact: false }).waitFor()
      const sent = await script.post('/signals', { ...signalOf({ symbol }), executeMode: 'pending' })
      assert.equal(sent.status, 201, JSON.stringify(sent.body))
      await page.goto(`${app.origin}/set-up/tokens`)
      const row = page.getByRole('row', { name: 'an alert' })
      for (const words of bounds) await row.getByText(words).waitFor()
      await assertFits(page, 'tokens with bounds')
    })
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
      await page.getByText('Saved. They hold for the next order').waitFor()
      const refused = await app.stack.api.post('/signals', signalOf({ dryRun: true }))
      assert.match(JSON.stringify(refused.body), /ORDER_TOO_LARGE/)

      await largest.getByText('Off', { exact: true }).click()
      await page.getByRole('button', { name: 'Save…' }).click()
      await changes.getByText('5 shares → no limit').waitFor()
      await changes.getByText('allows more').waitFor()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Save', exact: true }).click()
      await prove(page, app)
      await page.getByText('Saved. They hold for the next order').waitFor()
      const sent = await app.stack.api.post('/signals', signalOf({ dryRun: true }))
      assert.doesNotMatch(JSON.stringify(sent.body), /ORDER_TOO_LARGE/)
      const { body } = await app.stack.api.get(`/settings/risk/${app.stack.accountId}`)
      assert.deepEqual(body.data.set, { maxOrderShares: null })

      await page.reload()
      assert.ok(await largest.getByRole('radio', { name: 'Off' }).isChecked())
      await largest.getByText('Default', { exact: true }).click()
      await save(page)
      await page.getByText('Saved. They hold for the next order').waitFor()
    })

    it('let entries above a figure wait for approval, and say so before, on and after they are sent', async () => {
      const page = await app.signIn()
      await page.goto(`${app.origin}/set-up/limits`)
      const above = limit(page, 'Approval above, $')
      await above.getByText('nothing waits').waitFor()
      await above.getByText('Own', { exact: true }).click()
      await above.getByLabel('Approval above, $').fill('50')
      await save(page)
      await page.getByText('Saved. They hold for the next order').waitFor()
      try {
        const symbol = newSymbol()
        await page.goto(`${app.origin}/signals/new`)
        await page.getByLabel('Symbol').fill(symbol)
        await page.getByLabel('Quantity').fill('10')
        const beside = page.getByRole('complementary', { name: 'What it does' })
        await beside.getByText('It would wait for your approval').waitFor()
        await beside.getByText(/^It waits for your approval/).waitFor()
        await page.getByRole('button', { name: 'Send signal', disabled: false }).click()
        const why = /orders above \$50 wait for a person/
        const sent = beside.getByRole('region', { name: 'Sent' })
        await sent.getByText(why).waitFor()
        await sent.getByText('needs approval', { exact: true }).waitFor()
        assert.equal(await sent.getByText(why).count(), 1, 'it is told once')
        await beside.getByRole('link', { name: 'Open its story' }).click()
        const story = page.getByRole('region', { name: 'Story' })
        await story.getByText('Held by your approval limit').waitFor()
        await story.getByText(why).waitFor()
        await story.getByRole('link', { name: 'Decide' }).click()
        const card = page.getByRole('article', { name: `Buy 10 ${symbol}` })
        await card.getByText('Held by your approval limit.').waitFor()
        assert.equal(await card.getByText(why).count(), 1, 'it is told once')
        await card.getByRole('button', { name: 'Approve', disabled: false }).click()
        await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
      } finally {
        const person = await app.stack.signIn()
        assert.equal((await person.put(`/settings/risk/${app.stack.accountId}`, {})).status, 200)
      }
    })
  })

  describe('of strategies', () => {
    const row = (page: Page, name: string) => page.getByRole('row', { name })
    async function choose(page: Page, name: string, action: string): Promise<void> {
      await row(page, name)
        .getByRole('button', { name: `Actions for ${name}` })
        .click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    async function newStrategy(page: Page, name: string): Promise<string> {
      await page.goto(`${app.origin}/set-up/strategies`)
      await page.getByRole('button', { name: 'New strategy' }).click()
      const sheet = page.getByRole('alertdialog', { name: 'New strategy' })
      await sheet.getByLabel('Name').fill(name)
      await sheet.getByRole('button', { name: 'Make it' }).click()
      await page.getByText(`${name} is made. Signals name it by its id`).waitFor()
      const { body } = await app.stack.api.get('/strategies?limit=100')
      return body.data.strategies.find((each: { name: string }) => each.name === name).id
    }

    it('make one, tell that a name is taken, and change it', async () => {
      const page = await app.signIn()
      await newStrategy(page, 'Opening range')
      await page.getByRole('button', { name: 'New strategy' }).click()
      const sheet = page.getByRole('alertdialog', { name: 'New strategy' })
      await sheet.getByLabel('Name').fill('opening RANGE')
      await sheet.getByRole('button', { name: 'Make it' }).click()
      await sheet.getByRole('alert').waitFor()
      await sheet.getByRole('button', { name: 'Go back' }).click()
      await choose(page, 'Opening range', 'Change…')
      const change = page.getByRole('alertdialog', { name: 'Change Opening range' })
      await change.getByLabel('Name').fill('Opening range, 5 minutes')
      await change.getByLabel('Account that forms suggest').selectOption('Paper account')
      await change.getByRole('button', { name: 'Change it' }).click()
      await row(page, 'Opening range, 5 minutes').getByText('Paper account').waitFor()
    })

    it('pause one: opening is refused and closing passes, until it is resumed', async () => {
      const page = await app.signIn()
      const strategyId = await newStrategy(page, 'Breakout')
      const { symbol } = await bought({ strategyId })
      await choose(page, 'Breakout', 'Pause…')
      const sheet = page.getByRole('alertdialog', { name: 'Pause Breakout?' })
      await sheet.getByText('Signals that close positions still pass.').waitFor()
      await sheet.getByRole('button', { name: 'Pause it' }).click()
      await row(page, 'Breakout').getByText('paused').waitFor()
      const refused = await app.stack.api.post('/signals', signalOf({ strategyId }))
      assert.match(JSON.stringify(refused.body), /STRATEGY_PAUSED/)
      const closing = await app.stack.api.post(
        '/signals',
        signalOf({ strategyId, symbol, action: 'closeLong' }),
      )
      assert.ok(closing.status === 201 || closing.status === 202, JSON.stringify(closing.body))

      await choose(page, 'Breakout', 'Resume…')
      await page.getByRole('button', { name: 'Resume it' }).click()
      await row(page, 'Breakout').getByText('active').waitFor()
      const sent = await app.stack.api.post('/signals', signalOf({ strategyId }))
      assert.ok(sent.status === 201 || sent.status === 202, JSON.stringify(sent.body))
      await row(page, 'Breakout')
        .getByRole('link', { name: /signals of Breakout$/ })
        .click()
      await page.waitForURL((url) => url.search === `?strategy=${strategyId}`)
    })

    it('delete one when none of its signals waits, and keep it among the deleted', async () => {
      const page = await app.signIn()
      const strategyId = await newStrategy(page, 'Old one')
      const { id } = await waiting({ strategyId })
      await choose(page, 'Old one', 'Delete…')
      const sheet = page.getByRole('alertdialog', { name: 'Delete Old one?' })
      await sheet.getByRole('button', { name: 'Delete it' }).click()
      await sheet.getByText('Signals of the strategy that wait to be sent: 1.').waitFor()
      const person = await app.stack.signIn()
      assert.equal((await person.post('/signals/reject', { ids: [id] })).status, 200)
      await sheet.getByRole('button', { name: 'Delete it' }).click()
      await page.getByText('The strategy is deleted').waitFor()
      await row(page, 'Old one').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Show deleted strategies' }).click()
      await page.getByRole('region', { name: 'Deleted' }).getByText('Old one').waitFor()
    })
  })
})
