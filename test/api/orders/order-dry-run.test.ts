import assert from 'node:assert/strict'
import type { Activities } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { setHalt } from '#db/risk/halts.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { acceptanceOf } from '#test/support/placed-order.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import type { TestUser } from '../support/api-server.ts'
import { pluck } from '#test/support/pluck.ts'
import { useApi } from '../support/use-api.ts'

describe('POST /orders with dryRun', () => {
  const api = useApi()
  let user: TestUser
  let activities: Activities
  before(() => {
    const broker = { secretKeys, connectBroker: () => api.broker, requestTimeoutMs: 4_000 }
    activities = createActivities({ em: api.database.em, ...broker, liveTrading: true })
  })
  beforeEach(async () => {
    user = await api.addUser()
    Object.assign(api.broker, new ScriptedBroker())
    const today = new Date().toISOString().slice(0, 10)
    api.broker.sessions = nyseSessions(today, `${Number(today.slice(0, 4)) + 1}-02-01`)
    decided = null
  })

  let decided: object | null = null
  /** What the workflow does: it decides, and the broker takes what may be sent. */
  const decides = async (terms: ManualOrderTerms) => {
    const decision = await activities.prepareManualOrder(terms)
    decided = decision
    if (decision.outcome !== 'ready') return { status: 'REJECTED', brokerOrderId: null } as const
    const report = acceptanceOf({ ...terms, quantity: decision.quantity })
    await applyOrderReport(api.database.em.fork(), terms.accountId, report)
    return { status: report.status, brokerOrderId: report.brokerOrderId }
  }
  const ORDER = { symbol: 'AAPL', side: 'BUY', orderType: 'MARKET', quantity: 10 }
  const send = (changes: object = {}, key?: string) =>
    api.call('POST', '/api/v1/orders', {
      token: user.token,
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
      body: { accountId: user.accountId, ...ORDER, ...changes },
    })
  const limit = (limits: Parameters<typeof saveRiskSettings>[3]) =>
    saveRiskSettings(api.database.em.fork(), user.userId, user.accountId, limits)
  const halt = (level: 'pauseEntries' | 'reduceOnly' | 'fullStop') =>
    setHalt(
      api.database.em.fork(),
      { scope: 'account', userId: user.userId, accountId: user.accountId },
      { level, reason: 'drill', by: 'test' },
    )
  const hold = (...position: Parameters<typeof held>) => {
    api.broker.positions = [held(...position)]
  }

  /** The scene, the order, and what becomes of it; what else denies an order is held by the tests of the decision. */
  const scenes: [name: string, set: () => unknown, wish: object, outcome: string][] = [
    ['to sell more than is held', () => hold('4', 'LONG'), { side: 'SELL' }, 'SELL 4'],
    ['for too many shares', () => limit({ maxOrderShares: '5' }), {}, 'ORDER_TOO_LARGE'],
    ['to buy while trading is stopped', () => halt('fullStop'), {}, 'TRADING_STOPPED'],
  ]
  for (const [name, set, wish, outcome] of scenes)
    it(`a dry run of an order ${name} says ${outcome}, as the decision on it does`, async () => {
      api.gateway.onPlaceOrder = decides
      await set()
      decided = null
      const { status, body } = await send({ ...wish, dryRun: true })
      assert.equal(status, 200, JSON.stringify(body))
      const { outcome: said, order, code, verdicts } = body.dryRun
      assert.equal(said === 'ready' ? `${order.side} ${order.quantity}` : code, outcome)
      assert.equal(pluck(verdicts, 'outcome').includes('denied'), said === 'denied', JSON.stringify(verdicts))
      assert.equal(decided, null)
      await send(wish)
      const real = decided as unknown as { outcome: string; side: string; quantity: string; code: string }
      assert.equal(real.outcome === 'ready' ? `${real.side} ${real.quantity}` : real.code, outcome)
    })

  it('a dry run of an order tells cost, position and order as it would be sent, and stores, starts and sends nothing', async () => {
    hold('26', 'LONG')
    api.gateway.placed.length = 0
    const wish = { side: 'SELL', orderType: 'LIMIT', limitPrice: '101.50', timeInForce: 'GTC', dryRun: true }
    const { status, body } = await send(wish, 'a-key')
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.dryRun.order, {
      clientOrderId: '<order id>-h1',
      symbol: 'AAPL',
      side: 'SELL',
      quantity: 10,
      orderType: 'limit',
      limitPrice: 101.5,
      stopPrice: null,
      timeInForce: 'gtc',
      extendedHours: false,
    })
    assert.deepEqual([body.cost, body.position], [1015, { before: 26, after: 16 }])
    assert.match(body.message, /^Nothing was stored or sent/)
    const [counts] = await api.database.em.fork().execute<object[]>(
      `select (select count(*)::int from orders where user_id = ?) as orders,
         (select count(*)::int from idempotent_requests where user_id = ?) as keys`,
      [user.userId, user.userId],
    )
    assert.deepEqual(counts, { orders: 0, keys: 0 })
    assert.deepEqual([api.gateway.placed.length, api.broker.submissions.length], [0, 0])
  })
})
