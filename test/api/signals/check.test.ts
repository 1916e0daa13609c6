import assert from 'node:assert/strict'
import { WAITS_FOR_SESSION } from '#domain/advisory.ts'
import { BrokerOutcomeUnknown } from '#brokers/port.ts'
import { decideOnce, PRICE_BEFORE_APPROVAL } from '#db/orders/decisions.ts'
import { saveAccountSnapshot } from '#db/accounts/sync.ts'
import { setHalt } from '#db/risk/halts.ts'
import type { Signal } from '#db/entities/index.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { createSignal } from '../../support/factories.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { UNRESTRICTED } from '#test/support/permissions.ts'
import { pluck } from '#test/support/pluck.ts'

describe('GET /signals/:id/check', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    Object.assign(api.broker, new ScriptedBroker())
    const today = new Date().toISOString().slice(0, 10)
    api.broker.sessions = nyseSessions(today, `${Number(today.slice(0, 4)) + 1}-02-01`)
  })

  const store = (fields: Partial<Signal> = {}) =>
    createSignal(api.database.em, {
      accountId: user.accountId,
      executeMode: 'pending',
      status: 'pending',
      ...fields,
    })
  const check = ({ id }: Signal, query = '') =>
    api.call('GET', `/api/v1/signals/${id}/check${query}`, { token: user.token })
  const verdict = (
    body: { data: { dryRun: { verdicts: { rule: string; outcome: string }[] } } },
    rule: string,
  ) => body.data.dryRun.verdicts.find((one) => one.rule === rule)!

  it('shows the order as it would be sent, its cost, and the position before and after', async () => {
    const account = { accountId: user.accountId, userId: user.userId }
    const held = { symbol: 'AAPL', side: 'LONG', quantity: '5', avgCost: '90', currentPrice: '100' } as const
    const profit = {
      unrealisedPnl: '50',
      unrealisedPnlPercent: '11',
      dayChange: null,
      dayChangePercent: null,
    } as const
    await saveAccountSnapshot(api.database.em.fork(), account, {
      type: 'MARGIN',
      currency: 'USD',
      equity: '1000',
      cashBalance: '500',
      buyingPower: '2000',
      dayTradingBuyingPower: null,
      permissions: UNRESTRICTED,
      marketValue: '500',
      positions: [{ ...held, ...profit, marketValue: '500' }],
    })
    const { status, body } = await check(await store())
    assert.equal(status, 200)
    const { data } = body
    assert.equal(data.dryRun.outcome, 'ready')
    assert.deepEqual([data.dryRun.order.side, data.dryRun.order.quantity], ['BUY', 10])
    assert.deepEqual([data.cost, data.position], [1_000, { before: 5, after: 15 }])
    // Of this moment, as the rule counts it, and not as last synced.
    assert.equal(data.buyingPower, 200_000)
    assert.deepEqual([data.quote.last, data.quote.previousClose, data.heldPrice], [100, 96, null])
    assert.match(data.message, /The order would be sent/)
  })

  it('stores nothing, starts nothing, sends nothing and decides nothing', async () => {
    const signal = await store()
    await check(signal)
    const rows = await api.database.em.execute<{ status: string; decisions: object }[]>(
      'select status, decisions from signals where user_id = ?',
      [user.userId],
    )
    assert.deepEqual(rows, [{ status: 'pending', decisions: {} }])
    assert.deepEqual([api.gateway.messages, api.broker.submissions], [[], []])
  })

  it('holds the price of now against that with which the signal began to wait', async () => {
    const signal = await store()
    await decideOnce(api.database.em.fork(), signal.id, PRICE_BEFORE_APPROVAL, '100')
    api.broker.lastPrice = '104'
    const near = (await check(signal)).body
    assert.deepEqual([near.data.heldPrice, near.data.driftPercent, near.data.driftLimitPercent], [100, 4, 5])
    assert.equal(verdict(near, 'maxApprovalDriftPercent').outcome, 'passed')
    api.broker.lastPrice = '106'
    const far = (await check(signal)).body
    assert.equal(far.data.dryRun.outcome, 'denied')
    assert.equal(verdict(far, 'maxApprovalDriftPercent').outcome, 'denied')
  })

  it('takes the edits that an approval may carry, by the same rules', async () => {
    const signal = await store({ orderType: 'limit', limitPrice: '98' })
    const { body } = await check(signal, '?quantity=4&limitPrice=99')
    assert.deepEqual(
      [body.data.dryRun.order.quantity, body.data.dryRun.order.limitPrice, body.data.cost],
      [4, 99, 396],
    )
    assert.equal(body.data.limitDistancePercent, -1)
    for (const query of ['?quantity=0', '?limitPrice=-1', '?size=3'])
      assert.equal((await check(signal, query)).status, 400, query)
    assert.equal((await check(await store({ symbol: 'MSFT' }), '?limitPrice=99')).status, 400)
  })

  it('GET /signals/:id/check does not take the signal for a repetition of itself', async () => {
    const signal = await store({ sourceId: 'breakout' })
    const { body } = await check(signal)
    assert.equal(verdict(body, 'duplicateWindowSeconds').outcome, 'passed')
    // That the exchange is closed depends on the hour at which the test runs.
    const codes = pluck(body.data.advisories, 'code')
    assert.deepEqual(
      codes.filter((code: string) => code !== WAITS_FOR_SESSION),
      [],
    )
  })

  it('names the rule that would refuse it', async () => {
    const signal = await store()
    const target = { scope: 'account', userId: user.userId, accountId: user.accountId } as const
    const halt = { level: 'fullStop', reason: 'enough', by: 'test' } as const
    await setHalt(api.database.em.fork(), target, halt)
    const { status, body } = await check(signal)
    assert.deepEqual([status, body.data.dryRun.outcome], [200, 'denied'])
    assert.equal(body.data.dryRun.code, 'TRADING_STOPPED')
    assert.match(body.data.message, /Trading is stopped for this account: enough/)
  })

  it('tells the state of a signal that cannot be decided on any more', async () => {
    const decided = await store({ status: 'rejected', statusReason: 'DECLINED' })
    const { status, body } = await check(decided)
    assert.deepEqual([status, body.code], [409, 'SIGNAL_NOT_PENDING'])
    assert.match(body.error, /DECLINED/)
  })

  it('GET /signals/:id/check is answered 502 while the broker is silent, and 404 for a signal of another user', async () => {
    const signal = await store()
    api.broker.outage = new BrokerOutcomeUnknown('connection reset')
    assert.equal((await check(signal)).status, 502)
    const other = await api.addUser()
    const foreign = await api.call('GET', `/api/v1/signals/${signal.id}/check`, { token: other.token })
    assert.equal(foreign.status, 404)
  })
})
