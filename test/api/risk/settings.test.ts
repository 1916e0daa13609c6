import { currentHalt } from '#db/risk/halts.ts'
import { DEFAULT_RISK_LIMITS } from '#domain/risk/limits.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAccount } from '../../support/factories.ts'
import { addAdministrator } from '../support/administrator.ts'
import { signalBody } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, letProofGrowOld, PASSWORD, type Person } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'
import { pluck } from '#test/support/pluck.ts'

describe('settings of the API', () => {
  const api = useApi()
  let person: Person
  let accountId: string
  beforeEach(async () => {
    person = await addPerson(api)
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
  })

  const withToken = async (scopes: string[]) => {
    const token = await storeToken(api, person.userId, { scopes: `{${scopes.join(',')}}` })
    return (method: string, path: string, body?: unknown) =>
      api.call(method, `/api/v1/settings${path}`, { token, body })
  }
  const AUDITED = `select kind from audit_events where user_id = ? and kind not like 'sign_in%' order by sequence`
  const auditKinds = async () => pluck(await api.database.em.execute(AUDITED, [person.userId]), 'kind')
  const dryRun = async (changes: object) =>
    (await person.call('POST', '/signals', signalBody(accountId, { dryRun: true, ...changes }))).body.dryRun
  const standing = async () => (await currentHalt(api.database.em, accountId))?.level ?? null

  describe('risk limits', () => {
    const path = () => `/settings/risk/${accountId}`

    it('risk limits have their defaults until they are set', async () => {
      const { status, body } = await person.call('GET', path())
      assert.equal(status, 200)
      assert.equal(body.data.accountId, accountId)
      assert.deepEqual(body.data.set, {})
      assert.deepEqual(Object.keys(body.data.limits), Object.keys(DEFAULT_RISK_LIMITS))
      assert.equal(body.data.limits.maxOrderValue, 1_000_000)
      assert.equal(body.data.limits.maxDailyLoss, null)
      assert.deepEqual((await person.call('GET', '/settings/risk')).body.data.accounts, [body.data])
    })

    it('risk limits are shown with what of them is used: orders, loss of the day, and the largest positions', async () => {
      const usage = async () => (await person.call('GET', '/settings/risk-usage')).body.data.accounts
      const none = { lossToday: null, lossTodayPercent: null, mostShares: null, mostValue: null }
      const unused = { accountId, ordersThisMinute: 0, ordersToday: 0, ...none }
      assert.deepEqual(await usage(), [unused])
      const { em } = api.database
      await em.execute('update accounts set equity = 9700 where id = ?', [accountId])
      await em.execute(
        `insert into account_day_starts (account_id, day, equity)
         values (?, (now() at time zone 'America/New_York')::date, 10000)`,
        [accountId],
      )
      await em.execute(
        `insert into order_rates (account_id, reducing, minute, minute_count, minute_cap, day, day_count, day_cap)
         select ?, reducing, now() - interval '1 hour', 3, 600, (now() at time zone 'America/New_York')::date, 12, 10000
         from unnest(array[false, true]) reducing`,
        [accountId],
      )
      assert.deepEqual(await usage(), [{ ...unused, ordersToday: 12, lossToday: 300, lossTodayPercent: 3 }])
    })

    it('bind the next order when they are set, and are kept as set', async () => {
      assert.equal((await dryRun({ quantity: 7 })).outcome, 'ready')
      const set = { maxOrderShares: 5, allowedSymbols: ['aapl', 'MSFT'], maxOrderValue: null }
      const { status, body } = await person.call('PUT', path(), set)
      assert.equal(status, 200)
      assert.deepEqual(body.data.set, { ...set, allowedSymbols: ['AAPL', 'MSFT'] })
      assert.equal(body.data.limits.maxOrderValue, null)
      assert.equal(body.data.limits.maxOrdersPerDay, 10_000)
      assert.equal((await dryRun({ quantity: 7 })).outcome, 'denied')
      assert.deepEqual((await person.call('GET', path())).body.data, body.data)
      assert.deepEqual(await auditKinds(), ['risk_limits.changed'])
      const replaced = await person.call('PUT', path(), { marketHours: 'regular' })
      assert.deepEqual(replaced.body.data.set, { marketHours: 'regular' })
      const { body: removed } = await person.call('DELETE', path())
      assert.deepEqual(removed.data.set, {})
    })

    it('risk limits are refused with every fault named, and nothing is stored', async () => {
      const numbers = { maxOrderShares: -1, maxOrdersPerDay: 1.5, maxDailyLossPercent: 101 }
      const others = { duplicatePolicy: 'shrug', allowedSymbols: ['A B'], maxOrders: 3 }
      const { status, body } = await person.call('PUT', path(), { ...numbers, ...others })
      assert.equal(status, 400)
      const fields = [...Object.keys(numbers), 'duplicatePolicy', 'allowedSymbols.0', 'maxOrders']
      assert.deepEqual(pluck(body.details, 'field'), fields)
      assert.deepEqual((await person.call('GET', path())).body.data.set, {})
    })

    it('risk limits may be read by a token and set by a person only', async () => {
      const call = await withToken(['trading:read', 'orders:write', 'accounts:write'])
      assert.equal((await call('GET', `/risk/${accountId}`)).status, 200)
      assert.equal((await call('PUT', `/risk/${accountId}`, {})).status, 403)
      assert.equal((await call('DELETE', `/risk/${accountId}`)).status, 403)
    })
  })

  describe('the kill switch', () => {
    it('halts one account, says so in the list and in a dry run, and is lifted', async () => {
      const halt = { level: 'pauseEntries', reason: 'earnings day' }
      const { status, body } = await person.call('PUT', `/settings/halt/${accountId}`, halt)
      assert.equal(status, 200)
      const { id, setAt, ...shown } = body.data.halt
      assert.match(id, /^\d+$/)
      assert.ok(Date.parse(setAt) > 0)
      const set = { scope: 'account', accountId, setBy: person.email }
      assert.deepEqual(shown, { ...halt, ...set, liftedBy: null, liftedAt: null })
      const run = await dryRun({})
      assert.equal(
        run.verdicts.find(({ rule }: { rule: string }) => rule === 'tradingHalt').code,
        'TRADING_PAUSED',
      )
      const lifted = await person.call('DELETE', `/settings/halt/${accountId}`)
      assert.equal(lifted.body.data.halt.liftedBy, person.email)
      const { halts } = (await person.call('GET', '/settings/halts')).body.data
      assert.deepEqual(
        halts.map((one: { id: string; liftedAt: string }) => [one.id, one.liftedAt !== null]),
        [[id, true]],
      )
      assert.equal(await standing(), null)
      assert.deepEqual(await auditKinds(), ['halt.set', 'halt.lifted'])
    })

    it('the kill switch may be thrown and tightened by a program, and loosened and lifted by a person only', async () => {
      const call = await withToken(['orders:write'])
      const put = (level: string) => call('PUT', `/halt/${accountId}`, { level, reason: 'drawdown' })
      assert.equal((await put('reduceOnly')).status, 200)
      assert.equal((await put('fullStop')).body.data.halt.level, 'fullStop')
      assert.equal((await put('pauseEntries')).body.data.halt.level, 'fullStop')
      assert.equal(await standing(), 'fullStop')
      assert.equal((await call('DELETE', `/halt/${accountId}`)).status, 403)
      const milder = { level: 'pauseEntries', reason: 'looked at it' }
      assert.equal((await person.call('PUT', `/settings/halt/${accountId}`, milder)).status, 200)
      assert.equal(await standing(), 'pauseEntries')
    })

    it('the kill switch is thrown and tightened at any time, and loosened and lifted after a fresh proof only', async () => {
      await letProofGrowOld(api, person)
      for (const path of ['/settings/halt', `/settings/halt/${accountId}`]) {
        const put = (level: string) => person.call('PUT', path, { level, reason: 'drawdown' })
        assert.equal((await put('pauseEntries')).status, 200)
        assert.equal((await put('fullStop')).status, 200)
        for (const refused of [await put('reduceOnly'), await person.call('DELETE', path)])
          assert.deepEqual([refused.status, refused.body.code], [403, 'VERIFICATION_REQUIRED'])
        assert.equal(await standing(), 'fullStop')
      }
      await person.call('POST', '/auth/verify', { password: PASSWORD })
      assert.equal((await person.call('DELETE', '/settings/halt')).status, 200)
      const milder = { level: 'reduceOnly', reason: 'looked at it' }
      assert.equal((await person.call('PUT', `/settings/halt/${accountId}`, milder)).status, 200)
      assert.equal(await standing(), 'reduceOnly')
    })

    it('the kill switch is not thrown by a faulty body, an unknown account or a token without orders:write', async () => {
      const faulty = await person.call('PUT', '/settings/halt', { level: 'panic', reason: '' })
      assert.deepEqual(pluck(faulty.body.details, 'field'), ['level', 'reason'])
      const halt = { level: 'fullStop', reason: 'x' }
      const unknown = await person.call('PUT', `/settings/halt/${randomUUID()}`, halt)
      assert.deepEqual([unknown.status, unknown.body.code], [404, 'ACCOUNT_NOT_FOUND'])
      const call = await withToken(['trading:read', 'signals:write'])
      assert.equal((await call('PUT', '/halt', halt)).status, 403)
      assert.equal(await standing(), null)
    })

    it('the kill switch needs no reason, and takes it later without a new beginning', async () => {
      const put = async (reason?: string) =>
        (await person.call('PUT', '/settings/halt', { level: 'fullStop', reason })).body.data.halt
      const bare = await put()
      assert.equal(bare.reason, null)
      const { verdicts } = await dryRun({})
      assert.equal(
        verdicts.find(({ rule }: { rule: string }) => rule === 'tradingHalt').message,
        'Trading is stopped for all accounts of the user',
      )
      assert.deepEqual(await put('broker outage'), { ...bare, reason: 'broker outage' })
      assert.equal((await put('another')).reason, 'broker outage')
    })

    it('the kill switch that is not set cannot be lifted: 404 HALT_NOT_FOUND', async () => {
      for (const path of ['/settings/halt', `/settings/halt/${accountId}`]) {
        const { status, body } = await person.call('DELETE', path)
        assert.deepEqual([status, body.code], [404, 'HALT_NOT_FOUND'])
      }
    })

    it('the kill switch is thrown for everybody by an administrator, and everybody sees it without seeing who', async () => {
      const administrator = await addAdministrator(api)
      const halt = { level: 'reduceOnly', reason: 'exchange outage' }
      assert.equal((await person.call('PUT', '/admin/halt', halt)).status, 403)
      const { status } = await administrator.call('PUT', '/admin/halt', halt)
      try {
        assert.equal(status, 200)
        assert.equal(await standing(), 'reduceOnly')
        const [seen] = (await person.call('GET', '/settings/halts')).body.data.halts
        assert.deepEqual([seen.scope, seen.setBy, seen.reason], ['global', 'operator', 'exchange outage'])
        // One's own switch does not lift what binds everybody.
        assert.equal((await person.call('DELETE', '/settings/halt')).status, 404)
      } finally {
        assert.equal((await administrator.call('DELETE', '/admin/halt')).status, 200)
      }
      assert.equal(await standing(), null)
      assert.equal((await administrator.call('DELETE', '/admin/halt')).body.code, 'HALT_NOT_FOUND')
    })
  })
})
