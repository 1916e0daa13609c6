import assert from 'node:assert/strict'
import { WAITS_FOR_SESSION } from '#domain/advisory.ts'
import { randomUUID } from 'node:crypto'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { setHalt } from '#db/risk/halts.ts'
import { recordAccepted } from '#db/signals/ledger.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import { createSignal, orderReport } from '../../support/factories.ts'
import { held } from '../../support/sample-position.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck } from '#test/support/pluck.ts'

/** What else is told of it; that the exchange is closed depends on the hour at which the test runs. */
const codesOf = (body: { advisories?: { code: string }[] }): string[] =>
  pluck(body.advisories ?? [], 'code').filter((code) => code !== WAITS_FOR_SESSION)

describe('POST /api/v1/signals with dryRun', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    Object.assign(api.broker, new ScriptedBroker())
    const today = new Date().toISOString().slice(0, 10)
    api.broker.sessions = nyseSessions(today, `${Number(today.slice(0, 4)) + 1}-02-01`)
  })

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

  it('foresees that the exit would meet a resting order of the account', async () => {
    const resting = { orderType: 'limit', limitPrice: '60', timeInForce: 'gtc' } as const
    const other = await createSignal(api.database.em, { accountId: user.accountId, ...resting })
    await recordAccepted(api.database.em, other.accountId, { ...orderReport(other, resting), status: 'OPEN' })
    const { body } = await dryRun({ exitTriggerType: 'immediate' })
    assert.deepEqual(codesOf(body), ['exit_meets_own_order'])
    assert.deepEqual(codesOf((await dryRun()).body), [])
  })

  it('tells that an order outside a session waits for the next one, and one in a session not', async () => {
    const scheduled = (instant: number) => {
      const scheduledProcessAt = new Date(instant).toISOString().slice(0, 19)
      return dryRun({ executeMode: 'scheduled', scheduledProcessAt, timezone: 'UTC' })
    }
    const [session, next] = api.broker.sessions.filter(
      ({ opensAt }) => Date.parse(opensAt) > Date.now() + 86_400_000,
    )
    const after = await scheduled(Date.parse(session!.closesAt) + 60_000)
    const advisory = after.body.advisories.find(({ code }: { code: string }) => code === WAITS_FOR_SESSION)
    assert.match(advisory.message, new RegExp(next!.opensAt))
    const during = await scheduled(Date.parse(session!.opensAt) + 60_000)
    assert.equal(during.body.advisories, undefined)
  })

  it('works the size out from equity and price', async () => {
    api.broker.lastPrice = '333'
    const percent = await dryRun({ quantityType: 'percentEquity', quantity: 1, timeInForce: 'gtc' })
    assert.equal(percent.body.dryRun.order.quantity, 3)
    const dollars = await dryRun({ quantityType: 'dollarAmount', quantity: 500 })
    assert.equal(dollars.body.dryRun.order.quantity, 1.501501501)
  })

  it('sizes an entry by what its exit plan risks, tells the plan and where it is kept, and denies one that makes no sense', async () => {
    api.broker.lastPrice = '100'
    const byRisk = { quantityType: 'riskDollars', quantity: 100, orderType: 'limit', limitPrice: '100' }
    const protection = { stop: { price: '98' }, target: { percent: '5' }, breakEven: { percent: 1 } }
    const { body } = await dryRun({ ...byRisk, protection })
    assert.deepEqual([body.dryRun.outcome, body.dryRun.order.quantity], ['ready', 50])
    assert.match(
      (verdict(body, 'protection') as { message: string } | undefined)!.message,
      /stop is at \$98 \(2 % away\)/,
    )
    assert.deepEqual(codesOf(body), ['protection_kept_here', 'protection_after_entry'])

    const senseless = await dryRun({ protection: { stop: { price: 101 } } })
    assert.deepEqual(
      [senseless.body.dryRun.outcome, senseless.body.dryRun.code],
      ['denied', 'PROTECTION_SENSELESS'],
    )
    const unread = await dryRun({ protection: { stop: { price: 95, percent: '0' } } })
    assert.deepEqual(
      [unread.status, pluck(unread.body.details, 'field')],
      [400, ['protection.stop.percent', 'protection.stop']],
    )

    const sent = await api.call('POST', '/api/v1/signals', {
      token: user.token,
      body: signalBody(user.accountId, { protection }),
    })
    const [stored] = await api.database.em.execute<{ protection: unknown }[]>(
      'select protection from signals where id = ?',
      [sent.body.signal.id],
    )
    assert.deepEqual(stored!.protection, {
      stop: { price: '98' },
      target: { percent: '5' },
      trail: null,
      breakEven: { percent: '1' },
      until: 'closed',
    })
  })

  it('gives every rule’s verdict, and the first denial decides', async () => {
    const { body } = await dryRun({ quantity: 200_000 })
    assert.deepEqual([body.dryRun.outcome, body.dryRun.code], ['denied', 'ORDER_TOO_LARGE'])
    assert.match(body.message, /would not be sent: The order is for 200,000 shares/)
    const rules: string[] = pluck(body.dryRun.verdicts, 'rule')
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
    assert.equal(body.dryRun.code, 'INVALID_ORDER')
    assert.match(body.message, /no asset AAPL/)
  })

  it('shows for a closing action the shares that it could close', async () => {
    const { body } = await dryRun({ action: 'closeLong' })
    assert.deepEqual([body.dryRun.outcome, body.dryRun.order], ['denied', null])
    assert.equal(body.dryRun.code, 'NO_POSITION_TO_CLOSE')
  })

  it('says when the exit would be sent if the entry were filled at once', async () => {
    const { body } = await dryRun({ exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 30 })
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

  it('names the signal that holds its sourceId, which would be answered instead', async () => {
    const holder = await createSignal(api.database.em, { accountId: user.accountId, sourceId: 'alert' })
    const { body } = await dryRun({ sourceId: 'alert' })
    assert.deepEqual([body.dryRun.outcome, body.dryRun.signalId], ['existing', holder.id])
    assert.equal(body.advisories[0].code, 'source_id_taken')
  })

  it('refuses to replace a signal whose order has filled, by the code of the sending', async () => {
    await createSignal(api.database.em, { accountId: user.accountId, sourceId: 'alert', filledQuantity: '7' })
    const { body } = await dryRun({ sourceId: 'alert', replaceExisting: true })
    assert.deepEqual([body.dryRun.outcome, body.dryRun.code], ['denied', 'REPLACE_REFUSED_FILLED'])
    assert.match(body.message, /7 of 7 shares filled/)
  })

  for (const [what, changes] of Object.entries({
    'extended hours at market': { extendedHours: true },
    'extended hours with ioc': {
      extendedHours: true,
      orderType: 'limit',
      limitPrice: 100,
      timeInForce: 'ioc',
    },
    'a stop order for the opening auction': { orderType: 'stop', stopPrice: 101, timeInForce: 'opg' },
    'a limit of parts of a cent': { orderType: 'limit', limitPrice: 100.005 },
    'an exit by a stop order in the closing auction': {
      exitTriggerType: 'immediate',
      exitOrderType: 'stop',
      exitStopPrice: 99,
      exitTimeInForce: 'cls',
    },
    'an exit at a limit of parts of a cent': {
      exitTriggerType: 'immediate',
      exitOrderType: 'limit',
      exitLimitPrice: 100.005,
    },
    'an exit for the closing auction at 15:55': {
      exitTriggerType: 'atClockTime',
      exitTriggerTime: '15:55',
      exitTimeInForce: 'cls',
    },
    'an exit for the closing auction five minutes before the close': {
      exitTriggerType: 'minutesBeforeClose',
      exitTriggerMinutes: 5,
      exitTimeInForce: 'cls',
    },
  }))
    it(`denies ${what} as INVALID_ORDER`, async () => {
      const { status, body } = await dryRun(changes)
      assert.deepEqual([status, body.dryRun.outcome, body.dryRun.code], [200, 'denied', 'INVALID_ORDER'])
    })

  it('denies assets that are not traded or not shortable, and orders against the position', async () => {
    const asset = api.broker.asset!
    api.broker.asset = { ...asset, tradable: false }
    assert.match((await dryRun()).body.message, /AAPL is not traded/)
    api.broker.asset = { ...asset, shortable: false }
    assert.match((await dryRun({ action: 'openShort' })).body.message, /AAPL cannot be sold short/)
    api.broker.asset = asset
    api.broker.positions = [held('4', 'SHORT')]
    const { body } = await dryRun()
    assert.equal(body.dryRun.code, 'INVALID_ORDER')
    assert.match(body.message, /SHORT 4 AAPL are held/)
  })

  it('judges a scheduled signal for its time, and shows the session of that day', async () => {
    const session = api.broker.sessions.find(({ opensAt }) => Date.parse(opensAt) > Date.now() + 86_400_000)!
    const during = new Date(Date.parse(session.opensAt) + 3_600_000).toISOString()
    await api.database.em.execute(
      `insert into risk_settings (account_id, user_id, limits) values (?, ?, '{"marketHours": "regular"}')`,
      [user.accountId, user.userId],
    )
    const at = (instant: string) =>
      dryRun({ executeMode: 'scheduled', scheduledProcessAt: instant.slice(0, 19), timezone: 'UTC' })
    const { body } = await at(during)
    assert.equal(body.dryRun.outcome, 'ready', body.message)
    assert.deepEqual([body.dryRun.session.isOpen, body.dryRun.session.nextClose], [true, session.closesAt])
    const after = await at(new Date(Date.parse(session.closesAt) + 3_600_000).toISOString())
    assert.deepEqual(
      [after.body.dryRun.code, after.body.dryRun.session.isOpen],
      ['OUTSIDE_MARKET_HOURS', false],
    )
  })

  it('POST /api/v1/signals with dryRun of a close tells the shares that foreign orders hold, like the sending', async () => {
    api.broker.positions = [held('10', 'LONG', { availableQuantity: '4' })]
    const { body } = await dryRun({ action: 'closeLong' })
    assert.deepEqual([body.dryRun.outcome, body.dryRun.order.quantity], ['ready', 4])
    assert.deepEqual(codesOf(body), ['quantity_reduced_to_position', 'position_held'])
    api.broker.positions = [held('10', 'LONG', { availableQuantity: '0' })]
    const none = await dryRun({ action: 'closeLong' })
    assert.deepEqual([none.body.dryRun.code, none.body.dryRun.order], ['POSITION_HELD', null])
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
