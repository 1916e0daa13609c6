import assert from 'node:assert/strict'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import type { Signal } from '#db/entities/index.ts'
import { decideOnce, PRICE_BEFORE_APPROVAL } from '#db/order/decisions.ts'
import { setHalt } from '#db/risk/halts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { WAITS_FOR_SESSION } from '#domain/signal/advisory.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { pluck } from '#test/support/pluck.ts'
import { createSignal, orderReport, withFill } from '../../support/factories.ts'
import { letPass } from '../../support/let-pass.ts'
import { held } from '../../support/sample-position.ts'
import { exitAtOnce } from '../../support/sample-signal.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

/** What else is told of it; that the exchange is closed depends on the hour at which the test runs. */
const codesOf = (body: { advisories?: { code: string }[] }): string[] =>
  pluck(body.advisories ?? [], 'code').filter((code) => code !== WAITS_FOR_SESSION)

describe('a signal that is tried out', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    Object.assign(api.broker, new ScriptedBroker())
    const today = new Date().toISOString().slice(0, 10)
    api.broker.sessions = nyseSessions(today, `${Number(today.slice(0, 4)) + 1}-02-01`)
  })

  const store = (fields: Partial<Signal> = {}) =>
    createSignal(api.database.em, { accountId: user.accountId, ...fields })
  const halt = (level: 'pauseEntries' | 'fullStop') =>
    setHalt(
      api.database.em,
      { scope: 'account', userId: user.userId, accountId: user.accountId },
      { level, reason: 'enough', by: 'operator' },
    )
  const verdict = (
    dryRun: { verdicts: { rule: string; outcome: string; code?: string; message: string }[] },
    rule: string,
  ) => dryRun.verdicts.find((one) => one.rule === rule)!

  describe('POST /api/v1/signals with dryRun', () => {
    const dryRun = (changes: Record<string, unknown> = {}) => {
      const body = signalBody(user.accountId, { dryRun: true, ...changes })
      return api.call('POST', '/api/v1/signals', { token: user.token, body })
    }
    const scheduled = (instant: number, more: object = {}) => {
      const scheduledProcessAt = new Date(instant).toISOString().slice(0, 19)
      return dryRun({ executeMode: 'scheduled', scheduledProcessAt, timezone: 'UTC', ...more })
    }
    const comingSessions = () =>
      api.broker.sessions.filter(({ opensAt }) => Date.parse(opensAt) > Date.now() + 86_400_000)

    it('a dry run answers 200 with the order exactly as it would be sent, and stores, starts and sends nothing', async () => {
      const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
      const limit = { orderType: 'limit', limitPrice: '101.50', timeInForce: 'gtd', expiresAt }
      const { status, body } = await dryRun({ ...limit, sourceId: 'dry' })
      assert.deepEqual([status, body.success], [200, true])
      assert.match(body.message, /Nothing was stored or sent. The order would be sent/)
      assert.deepEqual(body.dryRun.order, {
        clientOrderId: '<signal id>-e1',
        symbol: 'AAPL',
        side: 'BUY',
        quantity: 10,
        orderType: 'limit',
        limitPrice: 101.5,
        stopPrice: null,
        timeInForce: 'gtc',
        extendedHours: false,
      })
      assert.deepEqual([body.dryRun.session, body.dryRun.exitAt], [api.broker.clock, null])
      const rows = await api.database.em.execute('select 1 from signals where user_id = ?', [user.userId])
      assert.deepEqual([rows, api.gateway.awaited, api.broker.submissions], [[], [], []])
    })

    it('a dry run sizes an entry by what its levels risk, shows them and where they are kept, and denies those that make no sense', async () => {
      const byRisk = { quantityType: 'riskDollars', quantity: 100, orderType: 'limit', limitPrice: '100' }
      const protection = { stop: { price: '98' }, target: { percent: '5' }, breakEven: { percent: 1 } }
      const { body } = await dryRun({ ...byRisk, protection })
      assert.deepEqual([body.dryRun.outcome, body.dryRun.order.quantity], ['ready', 50])
      assert.match(verdict(body.dryRun, 'protection').message, /stop is at \$98 \(2 % away\)/)
      assert.deepEqual(codesOf(body), ['protection_kept_here', 'protection_after_entry'])
      const senseless = (await dryRun({ protection: { stop: { price: 101 } } })).body.dryRun
      assert.deepEqual([senseless.outcome, senseless.code], ['denied', 'PROTECTION_SENSELESS'])
      const body_ = signalBody(user.accountId, { protection })
      const sent = await api.call('POST', '/api/v1/signals', { token: user.token, body: body_ })
      const { data } = (
        await api.call('GET', `/api/v1/signals/${sent.body.signal.id}`, { token: user.token })
      ).body
      const kept = { stop: { price: 98 }, target: { percent: 5 }, trail: null, breakEven: { percent: 1 } }
      assert.deepEqual(data.protection, { ...kept, until: 'closed' })
    })

    it('a dry run names the earlier signals that it would wait for, and one that holds its sourceId', async () => {
      const close = await store({ action: 'closeLong' })
      assert.deepEqual((await dryRun({ action: 'openShort' })).body.dryRun.waitsFor, [close.id])
      const holder = await store({ sourceId: 'alert', filledQuantity: '7' })
      const { body } = await dryRun({ sourceId: 'alert' })
      assert.deepEqual([body.dryRun.outcome, body.dryRun.signalId], ['existing', holder.id])
      assert.equal(body.advisories[0].code, 'source_id_taken')
      const replacing = (await dryRun({ sourceId: 'alert', replaceExisting: true })).body
      assert.deepEqual(
        [replacing.dryRun.outcome, replacing.dryRun.code],
        ['denied', 'REPLACE_REFUSED_FILLED'],
      )
    })

    it('a dry run decides a scheduled signal for its time, shows the session of that day, and says that an order outside of it waits', async () => {
      await api.database.em.execute(
        `insert into risk_settings (account_id, user_id, limits) values (?, ?, '{"marketHours": "regular"}')`,
        [user.accountId, user.userId],
      )
      const [session, next] = comingSessions()
      const during = (await scheduled(Date.parse(session!.opensAt) + 3_600_000)).body
      assert.equal(during.dryRun.outcome, 'ready', during.message)
      assert.deepEqual(
        [during.dryRun.session.isOpen, during.dryRun.session.nextClose, during.advisories],
        [true, session!.closesAt, undefined],
      )
      const evening = () => scheduled(Date.parse(session!.closesAt) + 3_600_000)
      const { code, session: closed } = (await evening()).body.dryRun
      assert.deepEqual([code, closed.isOpen], ['OUTSIDE_MARKET_HOURS', false])
      await api.database.em.execute('delete from risk_settings where account_id = ?', [user.accountId])
      const [advisory] = (await evening()).body.advisories
      assert.equal(advisory.code, WAITS_FOR_SESSION)
      assert.match(advisory.message, new RegExp(next!.opensAt))
    })

    it('a dry run names the orders that it would cancel first, sizes what is left by them, and cancels none', async () => {
      const { em } = api.database
      const owner = await store({ exitRule: exitAtOnce, acceptedAt: new Date(Date.now() - 3_600_000) })
      const filled = withFill(orderReport(owner, { quantity: '10' }), '10')
      const exit = orderReport(owner, { role: 'exit', orderType: 'limit', limitPrice: '120' })
      for (const report of [filled, exit]) await recordAccepted(em, report)
      api.broker.put(exit)
      await letPass(em, 3_600_000)
      api.broker.positions = [held('10', 'LONG', { availableQuantity: '0' })]
      const { body } = await dryRun({ action: 'closeLong' })
      assert.deepEqual([body.dryRun.outcome, body.dryRun.order?.quantity], ['ready', 10], body.message)
      const told = body.advisories.find(({ code }: { code: string }) => code === 'would_cancel')
      assert.match(told.message, /^Would cancel first: SELL 10/)
      const rows = await em.execute('select status, cancelled_for from orders where role = ?', ['exit'])
      assert.deepEqual(
        [rows, api.broker.requests.get('cancelOrder')],
        [[{ status: 'OPEN', cancelled_for: null }], undefined],
      )
    })

    it('a dry run has no transaction open and holds no lock while it asks the broker', async () => {
      const open = `select (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
        (select count(*)::int from pg_stat_activity where datname = current_database() and state ~ '^idle in') as idle`
      const seen: unknown[] = []
      Object.assign(api.broker, {
        async getAccount() {
          seen.push(...(await api.database.em.execute<object[]>(open)))
          return ScriptedBroker.prototype.getAccount.call(api.broker)
        },
      })
      await dryRun()
      Reflect.deleteProperty(api.broker, 'getAccount')
      assert.deepEqual(seen, [{ locks: 0, idle: 0 }])
    })

    it('a dry run says that the sending would wait, and for what', async () => {
      const owner = await store()
      await recordAccepted(api.database.em, withFill(orderReport(owner, { quantity: '10' }), '10'))
      const { body } = await dryRun({ action: 'closeLong' })
      assert.deepEqual([body.dryRun.outcome, body.dryRun.order], ['waits', null], body.message)
      assert.match(body.message, /would not be sent yet: the broker does not show yet that 10 AAPL are held/)
    })

    it('a dry run is answered 409 when the broker rejects the keys, and 502 when it does not answer', async () => {
      for (const [outage, ...told] of [
        [new BrokerCredentialsError('the keys are not accepted'), 409, 'BROKER_CREDENTIALS_INVALID'],
        [new BrokerOutcomeUnknown('no answer in time'), 502, 'BROKER_ERROR'],
      ] as const) {
        api.broker.outage = outage
        const { status, body } = await dryRun()
        assert.deepEqual([status, body.code], told)
      }
    })
  })

  describe('GET /signals/:id/check', () => {
    const pending = (fields: Partial<Signal> = {}) =>
      store({ executeMode: 'pending', status: 'pending', ...fields })
    const check = ({ id }: Signal, query = '', token = user.token) =>
      api.call('GET', `/api/v1/signals/${id}/check${query}`, { token })

    it('a check shows the order as it would be sent, its cost, and the position before and after', async () => {
      const account = { accountId: user.accountId, userId: user.userId }
      const positions = [held('5', 'LONG')]
      await saveAccountSnapshot(api.database.em.fork(), account, { ...api.broker.balances, positions })
      const { status, body } = await check(await pending())
      const { dryRun, cost, position, buyingPower, quote, heldPrice, message } = body.data
      assert.deepEqual(
        [status, dryRun.outcome, dryRun.order.side, dryRun.order.quantity],
        [200, 'ready', 'BUY', 10],
      )
      assert.deepEqual([cost, position], [1_000, { before: 5, after: 15 }])
      // Of this moment, as the rule counts it, and not as last synced.
      assert.equal(buyingPower, 200_000)
      assert.deepEqual([quote.last, quote.previousClose, heldPrice], [100, 96, null])
      assert.match(message, /The order would be sent/)
    })

    it('a check stores, starts, sends and decides nothing, and does not take the signal for a repetition of itself', async () => {
      const { body } = await check(await pending({ sourceId: 'breakout' }))
      assert.equal(verdict(body.data.dryRun, 'duplicateWindowSeconds').outcome, 'passed')
      assert.deepEqual(codesOf(body.data), [])
      const rows = await api.database.em.execute('select status, decisions from signals where user_id = ?', [
        user.userId,
      ])
      assert.deepEqual(rows, [{ status: 'pending', decisions: {} }])
      assert.deepEqual([api.gateway.messages, api.broker.submissions], [[], []])
    })

    it('a check holds the price of now against that with which the signal began to wait', async () => {
      const signal = await pending()
      await decideOnce(api.database.em.fork(), signal.id, PRICE_BEFORE_APPROVAL, '100')
      api.broker.lastPrice = '104'
      const near = (await check(signal)).body.data
      assert.deepEqual([near.heldPrice, near.driftPercent, near.driftLimitPercent], [100, 4, 5])
      assert.equal(verdict(near.dryRun, 'maxApprovalDriftPercent').outcome, 'passed')
      api.broker.lastPrice = '106'
      const far = (await check(signal)).body.data
      assert.equal(verdict(far.dryRun, 'maxApprovalDriftPercent').outcome, 'denied')
    })

    it('a check takes the edits that an approval may carry, by the same rules', async () => {
      const signal = await pending({ orderType: 'limit', limitPrice: '98' })
      const { dryRun, cost, limitDistancePercent } = (await check(signal, '?quantity=4&limitPrice=99')).body
        .data
      assert.deepEqual(
        [dryRun.order.quantity, dryRun.order.limitPrice, cost, limitDistancePercent],
        [4, 99, 396, -1],
      )
      for (const query of ['?quantity=0', '?limitPrice=-1', '?size=3'])
        assert.equal((await check(signal, query)).status, 400, query)
      assert.equal((await check(await pending({ symbol: 'MSFT' }), '?limitPrice=99')).status, 400)
    })

    it('a check names the rule that would refuse the signal, and the state of one that is decided', async () => {
      await halt('fullStop')
      const { dryRun, message } = (await check(await pending())).body.data
      assert.deepEqual([dryRun.outcome, dryRun.code], ['denied', 'TRADING_STOPPED'])
      assert.match(message, /Trading is stopped for this account: enough/)
      const { status, body } = await check(await pending({ status: 'rejected', statusReason: 'DECLINED' }))
      assert.deepEqual([status, body.code], [409, 'SIGNAL_NOT_PENDING'])
      assert.match(body.error, /DECLINED/)
    })
  })

  describe('POST /orders with dryRun', () => {
    const ORDER = { symbol: 'AAPL', side: 'BUY', orderType: 'MARKET', quantity: 10, dryRun: true }
    const dryRun = async (changes: object = {}) =>
      api.call('POST', '/api/v1/orders', {
        token: user.token,
        headers: { 'Idempotency-Key': 'a-key' },
        body: { accountId: user.accountId, ...ORDER, ...changes },
      })

    it('a dry run of an order says what the decision on it would say', async () => {
      const said = async (changes: object = {}) => {
        const { outcome, order, code, verdicts } = (await dryRun(changes)).body.dryRun
        assert.equal(pluck(verdicts, 'outcome').includes('denied'), outcome === 'denied')
        return outcome === 'ready' ? `${order.side} ${order.quantity}` : code
      }
      assert.equal(await said({ side: 'SELL' }), 'SELL_SHORT 10')
      api.broker.positions = [held('4', 'LONG')]
      assert.equal(await said({ side: 'SELL' }), 'SELL 4')
      await halt('fullStop')
      assert.equal(await said(), 'TRADING_STOPPED')
    })

    it('a dry run of an order shows cost, position and order as it would be sent, and stores, starts and sends nothing', async () => {
      api.broker.positions = [held('26', 'LONG')]
      api.gateway.placed.length = 0
      const limit = { orderType: 'LIMIT', limitPrice: '101.50', timeInForce: 'GTC' }
      const { status, body } = await dryRun({ side: 'SELL', ...limit })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(body.dryRun.order, {
        clientOrderId: '<signal id>-e1',
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
           (select count(*)::int from requests where user_id = ?) as keys`,
        [user.userId, user.userId],
      )
      assert.deepEqual(counts, { orders: 0, keys: 0 })
      assert.deepEqual([api.gateway.placed.length, api.broker.submissions.length], [0, 0])
    })
  })
})
