import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { setHalt } from '#db/risk/halts.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import { createSignal } from '../../support/factories.ts'
import { signalBody, startApi, type ApiServer, type TestUser } from '../support/api-server.ts'

describe('POST /api/v1/signals with dryRun', () => {
  let api: ApiServer
  let user: TestUser
  before(async function () {
    this.timeout(60_000)
    api = await startApi()
  })
  beforeEach(async () => {
    user = await api.addUser()
    Object.assign(api.broker, new ScriptedBroker())
    const today = new Date().toISOString().slice(0, 10)
    api.broker.sessions = nyseSessions(today, `${Number(today.slice(0, 4)) + 1}-02-01`)
  })
  after(() => api.stop())

  const dryRun = (changes: Record<string, unknown> = {}) =>
    api.call('POST', '/api/v1/signals', {
      token: user.token,
      body: signalBody(user.accountId, { dryRun: true, ...changes }),
    })
  const verdict = (body: { dryRun: { verdicts: { rule: string }[] } }, rule: string) =>
    body.dryRun.verdicts.find((one) => one.rule === rule)

  it('answers 200 with the order exactly as it would be sent', async () => {
    const { status, body } = await dryRun({
      orderType: 'limit',
      limitPrice: '101.50',
      timeInForce: 'gtd',
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    assert.equal(status, 200)
    assert.equal(body.success, true)
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
    assert.deepEqual(body.dryRun.session, api.broker.clock)
    assert.equal(body.dryRun.exitAt, null)
  })

  it('stores nothing, starts nothing and sends nothing', async () => {
    await dryRun({ sourceId: 'dry' })
    const rows = await api.database.em.execute<unknown[]>('select 1 from signals where user_id = ?', [
      user.userId,
    ])
    assert.deepEqual([rows, api.gateway.awaited, api.broker.submissions], [[], [], []])
  })

  it('works the size out from equity and price', async () => {
    api.broker.lastPrice = '333'
    const percent = await dryRun({ quantityType: 'percentEquity', quantity: 1, timeInForce: 'gtc' })
    assert.equal(percent.body.dryRun.order.quantity, 3)
    const dollars = await dryRun({ quantityType: 'dollarAmount', quantity: 500 })
    assert.equal(dollars.body.dryRun.order.quantity, 1.501501501)
  })

  it('gives every rule’s verdict, and the first denial decides', async () => {
    const { body } = await dryRun({ quantity: 200_000 })
    assert.equal(body.dryRun.outcome, 'denied')
    assert.match(body.message, /would not be sent \(ORDER_TOO_LARGE\)/)
    const rules: string[] = body.dryRun.verdicts.map(({ rule }: { rule: string }) => rule)
    for (const rule of [
      'accountActive',
      'tradingMode',
      'size',
      'tradingHalt',
      'maxOrderShares',
      'marketHours',
    ])
      assert.ok(rules.includes(rule), `${rule} among ${rules.join(', ')}`)
    assert.equal(body.dryRun.order.quantity, 200_000, 'the order that was judged is shown all the same')
  })

  it('shows a halt, a paused strategy and a wrong mode as denials', async () => {
    await api.database.em.execute(
      `update strategies set status = 'paused' where id = ?`,
      [user.strategyId],
      'run',
    )
    const target = { scope: 'account', userId: user.userId, accountId: user.accountId } as const
    await setHalt(api.database.em, target, { level: 'pauseEntries', reason: 'earnings day', by: 'operator' })
    await api.database.em.execute(`update users set trading_mode = 'LIVE' where id = ?`, [user.userId], 'run')
    const { body } = await dryRun({ strategyId: user.strategyId })
    assert.deepEqual(
      ['strategyActive', 'tradingMode', 'tradingHalt'].map(
        (rule) => (verdict(body, rule) as { code?: string }).code,
      ),
      ['STRATEGY_PAUSED', 'MODE_MISMATCH', 'TRADING_PAUSED'],
    )
  })

  it('tells a symbol that the broker does not have', async () => {
    api.broker.lastPrice = null
    api.broker.asset = null
    const { body } = await dryRun()
    assert.match(body.message, /INVALID_ORDER.*no asset AAPL/)
  })

  it('shows a closing action what it could close', async () => {
    const { body } = await dryRun({ action: 'closeLong' })
    assert.deepEqual([body.dryRun.outcome, body.dryRun.order], ['denied', null])
    assert.match(body.message, /NO_POSITION_TO_CLOSE/)
  })

  it('says when the exit would be sent if the entry were filled at once', async () => {
    const { body } = await dryRun({
      exitTriggerType: 'minutesBeforeClose',
      exitTriggerMinutes: 30,
    })
    const closes = api.broker.sessions.map(({ closesAt }) => Date.parse(closesAt) - 30 * 60_000)
    assert.equal(
      Date.parse(body.dryRun.exitAt),
      closes.find((at) => at > Date.now()),
    )
  })

  it('counts the exit of a scheduled signal from its time', async () => {
    const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 19)
    const { body } = await dryRun({
      executeMode: 'scheduled',
      scheduledProcessAt: inAMonth,
      timezone: 'UTC',
      exitTriggerType: 'minutesBeforeClose',
      exitTriggerMinutes: 30,
    })
    assert.ok(body.dryRun.exitAt >= inAMonth)
  })

  it('names the earlier signals that it would wait for', async () => {
    const close = await createSignal(api.database.em, { accountId: user.accountId, action: 'closeLong' })
    const { body } = await dryRun({ action: 'openShort' })
    assert.deepEqual(body.dryRun.waitsFor, [close.id])
  })

  it('says that a sourceId is taken', async () => {
    await createSignal(api.database.em, { accountId: user.accountId, sourceId: 'alert' })
    const { body } = await dryRun({ sourceId: 'alert' })
    assert.equal(body.advisories[0].code, 'source_id_taken')
  })

  it('answers 404 for an account or strategy that the user has not', async () => {
    const other = await api.addUser()
    assert.equal((await dryRun({ accountId: other.accountId })).body.code, 'ACCOUNT_NOT_FOUND')
    assert.equal((await dryRun({ strategyId: randomUUID() })).body.code, 'STRATEGY_NOT_FOUND')
  })

  it('answers 409 when the broker rejects the keys, and 502 when it does not answer', async () => {
    api.broker.outage = new BrokerCredentialsError('the keys are not accepted')
    const keys = await dryRun()
    assert.deepEqual([keys.status, keys.body.code], [409, 'BROKER_CREDENTIALS_INVALID'])
    api.broker.outage = new BrokerOutcomeUnknown('no answer in time')
    const silent = await dryRun()
    assert.deepEqual([silent.status, silent.body.code], [502, 'BROKER_ERROR'])
  })

  it('names every fault of a faulty body like a signal that is meant', async () => {
    const { status, body } = await dryRun({ quantity: -1, orderType: 'limit' })
    assert.deepEqual([status, body.code, body.details.length], [400, 'VALIDATION_ERROR', 2])
  })
})
