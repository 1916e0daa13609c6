import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { AnswerOverdue, GatewayUnavailable } from '#api/temporal/calls.ts'
import { SyncGivenUp } from '#api/temporal/gateway.ts'
import { makePrimary } from '#db/account/accounts.ts'
import { Position } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { createAccount, createSignal, createTrade, orderReport } from '../../support/factories.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck } from '#test/support/pluck.ts'

describe('accounts', () => {
  const api = useApi()
  let user: TestUser
  let other: TestUser
  before(async function () {
    this.timeout(60_000)
    other = await api.addUser()
  })
  beforeEach(async () => {
    user = await api.addUser()
    api.gateway.synced.length = 0
    api.gateway.onSync = async () => ({ outcome: 'synced', syncedAt: SYNCED_AT })
  })

  const SYNCED_AT = '2026-03-02T14:31:10.120Z'
  const em = () => api.database.em.fork()
  const hold = (symbol: string, side: 'LONG' | 'SHORT', fields: Partial<Position>) =>
    em().insert(Position, {
      id: randomUUID(),
      userId: user.userId,
      accountId: user.accountId,
      symbol,
      side,
      quantity: '1',
      avgCost: '100',
      currentPrice: '100',
      marketValue: '0',
      unrealisedPnl: '0',
      unrealisedPnlPercent: '0',
      dayChange: null,
      dayChangePercent: null,
      updatedAt: new Date(),
      ...fields,
    })
  const call = (method: string, path: string, options: { token?: string; body?: unknown } = {}) =>
    api.call(method, `/api/v1/accounts${path}`, { token: user.token, ...options })

  describe('at a glance', () => {
    const summaryOf = async (accountId: string) => (await call('GET', `/${accountId}/summary`)).body

    it('show balances, exposure, open records and the state of the connection', async () => {
      await hold('AAPL', 'LONG', { marketValue: '300.25' })
      await hold('TSLA', 'SHORT', { marketValue: '-100.25' })
      const signal = await createSignal(em(), { accountId: user.accountId })
      await recordAccepted(em(), orderReport(signal))
      const body = await summaryOf(user.accountId)
      assert.deepEqual(
        [body.accountId, body.equity, body.openPositions, body.openOrders],
        [user.accountId, 1000.5, 2, 1],
      )
      // 400.5 of 1000.5
      const percent = { grossPercent: 40.0299 }
      assert.deepEqual(body.exposure, { long: 300.25, short: 100.25, gross: 400.5, net: 200, ...percent })
      const { id } = await createAccount(em(), { userId: user.userId, equity: '0' })
      const { exposure, dayPnlPercent, lastSyncedAt } = await summaryOf(id)
      assert.deepEqual([exposure.grossPercent, dayPnlPercent, lastSyncedAt], [null, null, null])
      assert.deepEqual(
        [body.broker.name, body.broker.status, body.broker.statusDetail, body.halt],
        ['Paper', 'connected', null, null],
      )
    })

    it('show the profit of the day from the equity with which it began, and null when that is not known', async () => {
      assert.deepEqual((await summaryOf(user.accountId)).dayPnl, null)
      await em().execute(
        `insert into account_day_starts (account_id, day, equity)
         values (?, (now() at time zone 'America/New_York')::date, 800), (?, '2020-01-02', 1)`,
        [user.accountId, user.accountId],
      )
      const { dayPnl, dayPnlPercent } = await summaryOf(user.accountId)
      // 1000.5 - 800 = 200.5, of 800
      assert.deepEqual([dayPnl, dayPnlPercent], [200.5, 25.0625])
    })
  })

  describe('synced on request', () => {
    it('answer when that was', async () => {
      const { status, body } = await call('POST', `/${user.accountId}/sync`)
      assert.equal(status, 200)
      assert.deepEqual(body, { success: true, message: 'The account is synced', syncedAt: SYNCED_AT })
    })

    it('accounts synced on request are answered 202 while the sync is still running', async () => {
      api.gateway.onSync = () => Promise.reject(new AnswerOverdue('late'))
      const { status, body } = await call('POST', `/${user.accountId}/sync`)
      assert.deepEqual([status, body.success, body.syncedAt], [202, true, null])
    })

    const answers = (outcome: object) => async () => outcome as Awaited<ReturnType<typeof api.gateway.onSync>>
    for (const [what, play, status, code] of [
      [
        'rejects the keys',
        answers({ outcome: 'rejected_keys', detail: 'revoked' }),
        409,
        'BROKER_CREDENTIALS_INVALID',
      ],
      ['gives no answer', answers({ outcome: 'unreachable', detail: 'no answer' }), 502, 'SYNC_FAILED'],
      ['is disconnected', answers({ outcome: 'gone' }), 409, 'ACCOUNT_INACTIVE'],
      ['is given up', () => Promise.reject(new SyncGivenUp('failed')), 502, 'SYNC_FAILED'],
      [
        'is away with Temporal',
        () => Promise.reject(new GatewayUnavailable('away')),
        503,
        'TEMPORAL_UNAVAILABLE',
      ],
    ] as const)
      it(`accounts synced on request are answered ${status} ${code} when the broker ${what}`, async () => {
        api.gateway.onSync = play
        const answer = await call('POST', `/${user.accountId}/sync`)
        assert.deepEqual([answer.status, answer.body.error], [status, code])
      })

    it('all together each report their own outcome', async () => {
      const second = await createAccount(em(), { userId: user.userId })
      await createAccount(em(), { userId: user.userId, isActive: false })
      api.gateway.onSync = async (accountId) =>
        accountId === second.id
          ? { outcome: 'unreachable', detail: 'no answer' }
          : { outcome: 'synced', syncedAt: SYNCED_AT }
      const { status, body } = await call('POST', '/sync')
      assert.deepEqual([status, body.success], [200, false])
      assert.equal(body.message, '1 of 2 accounts are synced, 1 failed')
      assert.deepEqual(body.accounts, [
        { accountId: user.accountId, success: true, syncedAt: SYNCED_AT },
        {
          accountId: second.id,
          success: false,
          syncedAt: null,
          error: 'SYNC_FAILED',
          message: 'The broker gave no answer: no answer',
        },
      ])
    })

    it('accounts synced on request by connection are those of that connection alone', async () => {
      const second = await createAccount(em(), { userId: user.userId })
      const { body } = await call('POST', `/sync/${second.brokerId}`)
      assert.deepEqual(api.gateway.synced, [second.id])
      assert.equal(body.accounts.length, 1)
    })
  })

  describe('the primary one', () => {
    const PRIMARY = 'select id from accounts where user_id = ? and is_primary order by id'
    const primaries = async () => pluck(await em().execute(PRIMARY, [user.userId]), 'id')

    it('the primary account is the one that was chosen last, and the audit log notes it', async () => {
      const second = await createAccount(em(), { userId: user.userId })
      await call('PUT', `/${user.accountId}/primary`)
      const { status, body } = await call('PUT', `/${second.id}/primary`)
      assert.deepEqual([status, body.id, body.isPrimary], [200, second.id, true])
      assert.deepEqual(await primaries(), [second.id])
      const events = await em().execute<{ data: { accountId: string } }[]>(
        `select data from audit_events where user_id = ? and kind = 'account.made_primary' order by sequence`,
        [user.userId],
      )
      assert.deepEqual(
        events.map(({ data }) => data.accountId),
        [user.accountId, second.id],
      )
    })

    it('the primary account is exactly one, however many are chosen at once', async () => {
      const accounts = [{ id: user.accountId }]
      for (let more = 0; more < 4; more++) accounts.push(await createAccount(em(), { userId: user.userId }))
      for (let round = 0; round < 3; round++) {
        const chosen = await Promise.all(
          Array.from({ length: 20 }, (_, index) => makePrimary(em(), user.userId, accounts[index % 5]!.id)),
        )
        assert.ok(chosen.every((made) => made?.account.isPrimary))
        assert.equal((await primaries()).length, 1)
      }
    })

    it('the primary account is never one that is not connected any more', async () => {
      await call('PUT', `/${user.accountId}/primary`)
      const gone = await createAccount(em(), { userId: user.userId, isActive: false })
      const { status, body } = await call('PUT', `/${gone.id}/primary`)
      assert.deepEqual([status, body.error], [409, 'ACCOUNT_INACTIVE'])
      assert.deepEqual(await primaries(), [user.accountId])
      assert.equal((await call('PUT', `/${other.accountId}/primary`)).status, 404)
    })
  })

  describe('whose positions are not known', () => {
    const positions = (path: string) => api.call('GET', `/api/v1/positions${path}`, { token: user.token })
    const put = (fields: { status: string; minutesAgo: number | null }) =>
      em().execute(
        `with account as (
           update accounts set last_synced_at = now() - make_interval(mins => ?) where id = ? returning broker_id)
         update broker_connections set status = ?, status_detail = 'keys revoked'
         where id = (select broker_id from account)`,
        [fields.minutesAgo, user.accountId, fields.status],
      )

    it('accounts whose positions are not known are answered 503, naming them, before the first sync and after a long error', async () => {
      for (const state of [
        { status: 'connected', minutesAgo: null },
        { status: 'error', minutesAgo: 6 },
      ]) {
        await put(state)
        for (const path of ['', `?accountId=${user.accountId}`, `/${user.accountId}`]) {
          const { status, body } = await positions(path)
          assert.deepEqual([status, body.error], [503, 'POSITIONS_UNAVAILABLE'], path)
          assert.match(body.message, /Paper account/)
          assert.equal(body.details[0].path[1], user.accountId)
        }
      }
    })

    it('accounts whose positions are not known are shown as last known while an error is young, or the broker is merely quiet', async () => {
      for (const [status, minutesAgo] of [
        ['error', 4],
        ['connected', 600],
      ] as const) {
        await put({ status, minutesAgo })
        assert.equal((await positions('')).status, 200)
      }
    })
  })

  it('add up the gains of positions today, of a short one when its price falls', async () => {
    const gained = async () =>
      (await api.call('GET', '/api/v1/positions', { token: user.token })).body.summary.totalDayChange
    assert.equal(await gained(), 0)
    // 10 x 1.5 - 4 x 0.25
    await hold('AAPL', 'LONG', { quantity: '10', currentPrice: '101', dayChange: '1.5' })
    await hold('TSLA', 'SHORT', { quantity: '4', currentPrice: '101', dayChange: '0.25' })
    assert.equal(await gained(), 14)
    await hold('NVDA', 'LONG', { currentPrice: '101' })
    assert.equal(await gained(), null)
    // Bought at 100 a moment ago, it needs no close.
    const bought = { accountId: user.accountId, symbol: 'NVDA', realisedPnl: null, status: 'OPEN' } as const
    await createTrade(em(), { ...bought, exitAt: new Date(Date.now() + 3_600_000) })
    assert.equal(await gained(), 15)
  })
})
