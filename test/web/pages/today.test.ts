import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { eventually } from '#test/support/eventually.ts'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'
import { tradingOf } from '../trading.ts'

describe('the page of today', function () {
  this.timeout(60_000)
  const app = useApp()
  const { waiting } = useSignals(app)
  const { bought } = tradingOf(app)

  const needs = 'What needs you'

  it('shows that no action is needed, the balances, and that the service is well', async () => {
    const page = await app.signIn()
    await page.getByRole('link', { name: 'Today', exact: true }).click()
    await page.getByText('Nothing needs you').waitFor()
    await page.getByText('Equity, 1 account on paper').waitFor()
    await page.getByRole('table', { name: 'Accounts' }).getByText('Paper account').waitFor()
    await page.getByText('Nothing is planned').waitFor()
    for (const part of ['Database', 'Temporal', 'Worker'])
      await page.getByText(part, { exact: true }).waitFor()
    assert.equal(await page.getByText('up', { exact: true }).count(), 4)
  })

  it('shows a waiting signal as it comes, with the time until it lapses, and the way to decide it', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/`)
    await page.getByText('Nothing needs you').waitFor()
    const { symbol } = await waiting({
      validUntil: new Date(Date.now() + 240_000).toISOString(),
      timezone: 'UTC',
    })
    const needed = page.getByRole('list', { name: needs })
    await needed.getByText('1 signal waits for your approval').waitFor()
    await needed.getByText(/^The first expires in [34]:\d\d$/).waitFor()
    await page.getByText(`Buy 10 ${symbol}`, { exact: true }).waitFor()
    await needed.getByRole('link', { name: 'Decide' }).click()
    await page.getByRole('heading', { name: symbol }).waitFor()
  })

  it('counts down to the next planned event', async () => {
    const { symbol } = await bought({ exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 30 })
    const page = await app.signIn()
    await page.goto(`${app.origin}/`)
    const line = page.getByRole('listitem').filter({ hasText: `Sell 10 ${symbol}` })
    const first = await line.getByText(/^in (29|30):\d\d$/).textContent()
    await eventually(async () => assert.notEqual(await line.getByText(/^in \d\d:\d\d$/).textContent(), first))
  })

  it('names positions with shares that no exit closes', async () => {
    const { symbol } = await bought()
    const page = await app.signIn()
    await page.goto(`${app.origin}/`)
    const needed = page.getByRole('list', { name: needs })
    await needed.getByText(`${symbol} has no exit`).waitFor()
    await needed.getByRole('link', { name: symbol, exact: true }).click()
    await page.getByText('10 shares have no exit').waitFor()
    await page.goBack()
    await needed.getByRole('link', { name: `Plan an exit of ${symbol}` }).click()
    await page.getByRole('button', { name: `Sell ${symbol}…` }).waitFor()
  })

  it('raises an alarm when the broker refuses an exit, until it is acknowledged and tried again', async () => {
    const page = await app.signIn()
    await page.goto(`${app.origin}/`)
    const { id, symbol } = await waiting({ exitTriggerType: 'immediate' })
    await app.stack.venue.script([
      {
        on: 'accepted',
        mode: 'reject',
        clientOrderIdPrefix: `${id}-x`,
        reason: 'insufficient qty available',
      },
    ])
    try {
      const person = await app.stack.signIn()
      assert.ok((await person.post(`/signals/${id}/process`, {})).status < 300)
      const needed = page.getByRole('list', { name: needs })
      const alarm = needed.getByRole('listitem').filter({ hasText: `${symbol} is unprotected` })
      await alarm.getByText(/insufficient qty available/).waitFor({ timeout: 30_000 })
      await alarm.getByRole('button', { name: /^Seen/ }).click()
      await alarm.getByText(`seen by ${app.stack.person.email}`).waitFor()
      await page.goto(`${app.origin}/positions`)
      await page.getByRole('row', { name: symbol }).getByText('exit failed').waitFor()
    } finally {
      await app.stack.venue.clearScript()
    }
  })

  it('tells which part of the service does not work, and that it works again', async () => {
    const page = await app.signIn()
    await page.route('**/readyz', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      body.status = 'not ready'
      body.down = ['worker']
      body.parts.worker = 'down'
      await route.fulfill({ status: 503, json: body })
    })
    await page.goto(`${app.origin}/`)
    await page.getByText('Not working: worker').waitFor()
    await page.unroute('**/readyz')
    await page.getByText('Not working: worker').waitFor({ state: 'detached', timeout: 20_000 })
  })

  it('saves the balances of the chosen period as comma-separated values', async () => {
    await app.stack.query(
      `insert into balance_snapshots select id, user_id, current_date - n, 1000000 + 500 * n, 900000, now()
       from accounts, generate_series(1, 30) n on conflict do nothing`,
    )
    const page = await app.signIn()
    await page.goto(`${app.origin}/performance?period=1W`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const file = await download
    assert.equal(file.suggestedFilename(), 'balances.csv')
    const [names, ...days] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
    assert.equal(names, 'date,equity,cashBalance,carriedForward')
    assert.ok(days.length >= 4 && days.length <= 8, days.join(' '))
    assert.match(days.at(-2)!, /^\d{4}-\d\d-\d\d,10\d{5}(\.\d+)?,900000,0$/)
  })
})
