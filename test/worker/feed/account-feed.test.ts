import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { compareAccount } from '#activities/account/compare.ts'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { findAccountConnection } from '#db/account/sync.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { Account, Alert, BrokerConnection, Position, type Signal } from '#db/entities/index.ts'
import { isAlertOpen } from '#db/alert/alerts.ts'
import { noteSeen, trackProtection } from '#db/exit/protections.ts'
import { acknowledgeEnds, recordAccepted, recordExitTrouble } from '#db/signal/ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { openFillLedger } from '#db/position/fills.ts'
import { writeLedgerMark } from '#db/watch/ledger-mark.ts'
import { markRestored } from '#db/watch/restoration.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor, type OrderPurpose, type OrderReport } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { orderIn, ordersOf, timelineOf } from '#test/support/ledger.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill, tradesIn } from '#test/support/fills.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { AccountFeed } from '#worker/feed/account-feed.ts'
import { FillImporter } from '#worker/feed/fill-importer.ts'
import { reportSlots, OrderReconciler } from '#worker/feed/order-reconciler.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

describe('account feed', () => {
  let database: Database
  let em: EntityManager
  useDatabase((opened) => {
    database = opened
    em = database.em
  })

  let broker: ScriptedBroker
  let announced: OrderReport[]
  let retried: string[]
  let logged: ReturnType<typeof loggerInMemory>
  let account: Account
  let stop: AbortController
  let running: Promise<void> | undefined
  beforeEach(async () => {
    broker = new ScriptedBroker()
    announced = []
    retried = []
    logged = loggerInMemory()
    account = await createAccount(em)
    stop = new AbortController()
    running = undefined
  })
  afterEach(async () => {
    stop.abort()
    await running
  })

  async function follow({ pollEvery = 60_000, untilHeard = true, quietMs = 0 } = {}): Promise<void> {
    const announcer = {
      async announce(_: object, report: OrderReport) {
        announced.push(report)
        return true
      },
      async ensureRunning() {},
      async retryExit(signalId: string) {
        retried.push(signalId)
      },
      async exitCalendarChanged() {},
    }
    const reconciler = new OrderReconciler(em, broker, announcer, account.id, logged.log)
    const found = await findAccountConnection(em, account.id)
    const fills = new FillImporter(em, broker, found!, (id) => reconciler.ask(id), logged.log)
    reconciler.executionsBy(fills)
    const feed = new AccountFeed({
      em,
      broker,
      reconciler,
      fills,
      announcer,
      account: found!,
      pollEvery,
      slots: reportSlots(10),
      patience: { quietMs, exitFillsWithin: 1, attributedWithin: 0, asksEvery: 50, lookAgainAfter: 250 },
      log: logged.log,
    })
    running = feed.run(stop.signal)
    if (untilHeard) await eventually(() => assert.equal(broker.listeners, 1))
  }

  async function working(): Promise<{ signal: Signal; report: OrderReport }> {
    const signal = await createSignal(em, { accountId: account.id })
    const report = orderReport(signal)
    await recordAccepted(em, report)
    broker.put(report)
    return { signal, report }
  }
  const filledOf = async (report: OrderReport) =>
    Number((await orderIn(em, report.clientOrderId)).filledQuantity)

  it('applies the reports of the stream in their order', async () => {
    const { signal, report } = await working()
    await follow()
    for (const filled of ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'] as const)
      broker.emit(withFill(report, filled))
    await eventually(() => assert.equal(announced.length, 1))
    const told = (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'order_progress')
    assert.deepEqual(
      told.map(({ data }) => data?.['filledQuantity']),
      ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
    )
  })

  it('leaves out an event that cannot be read, counts it, and asks what it may have reported', async () => {
    const { report } = await working()
    await follow()
    await eventually(() => assert.ok(broker.requests.has('listFills')))
    broker.put(withFill(report, '10'))
    broker.fills.push(
      aFill({
        brokerOrderId: report.brokerOrderId,
        quantity: '10',
        at: `${new Date().toISOString().slice(0, -1)}000Z`,
      }),
    )
    const event = { brokerOrderId: report.brokerOrderId, detail: 'status is not known here', isMissed: true }
    broker.emitUnreadable(event)
    broker.emitUnreadable({ ...event, isMissed: false })
    await eventually(async () => assert.equal(await filledOf(report), 10))
    assert.equal(broker.listeners, 1)
    const told = logged.lines.filter(({ msg }) => msg === 'an event of the order stream cannot be read')
    assert.deepEqual(
      told.map(({ skipped }) => skipped),
      [1, 2],
    )
  })

  const heldUp = async (): Promise<Signal> => {
    const signal = await createSignal(em, { accountId: account.id, status: 'executed' })
    const trouble = { kind: 'held', code: null, detail: 'another order holds the shares' } as const
    const told = { ...trouble, generation: 1, acknowledges: [] }
    await recordExitTrouble(em, signal.id, '2026-03-02T15:00:00.000Z', told)
    return signal
  }

  it('tries exits that an order from elsewhere has blocked as soon as the stream reports its end', async () => {
    const signal = await heldUp()
    await follow()
    const foreign = { ...orderReport({ id: randomUUID() }), clientOrderId: 'placed-in-the-app' }
    broker.emit({ ...foreign, status: 'OPEN' })
    broker.emit({ ...foreign, symbol: 'MSFT', status: 'CANCELLED' })
    broker.emit({ ...foreign, status: 'CANCELLED' })
    await eventually(() => assert.deepEqual(retried, [signal.id]))
  })

  it('tries exits that an order of ours has blocked when its end is heard, though it is recorded and acted upon', async () => {
    const signal = await heldUp()
    const { signal: other, report } = await working()
    const ended: OrderReport = { ...report, status: 'CANCELLED' }
    broker.put(ended)
    await applyOrderReport(em, account.id, ended)
    await acknowledgeEnds(em, other.id, [ended])
    await follow()
    broker.emit(ended)
    await eventually(() => assert.deepEqual(retried, [signal.id]))
    assert.deepEqual(announced, [])
  })

  it('tries exits when the account is synced and more shares are free than before', async () => {
    const signal = await heldUp()
    broker.positions = [{ ...position('AAPL', '10'), availableQuantity: '0' }]
    await follow()
    await eventually(async () => assert.equal(await em.fork().count(Position, { accountId: account.id }), 1))
    broker.positions = [position('AAPL', '10')]
    broker.emit({
      ...orderReport({ id: randomUUID() }),
      symbol: 'MSFT',
      clientOrderId: 'app',
      status: 'EXPIRED',
    })
    await eventually(() => assert.deepEqual(retried, [signal.id]))
  })

  it('reconnects when the stream breaks, and finds the reports of the gap', async () => {
    const { report } = await working()
    await follow()
    broker.breakStreams(new Error('connection reset'))
    await eventually(() => assert.equal(broker.listeners, 0))
    broker.emit(withFill(report, '10'))
    broker.put(withFill(report, '10'))
    await eventually(() => assert.equal(broker.listeners, 1))
    await eventually(() => assert.equal(announced[0]?.status, 'FILLED'))
    assert.ok(logged.lines.some(({ msg }) => msg.includes('stream broke')))
  })

  it('finds soon after the stream broke an execution that was taken back meanwhile, once, though a list has it again', async () => {
    const { report } = await working()
    await openFillLedger(em, { accountId: account.id, userId: account.userId }, [])
    await follow({ pollEvery: 50 })
    const at = new Date().toISOString().replace('Z', '000Z')
    const fill = aFill({ brokerOrderId: report.brokerOrderId, quantity: '10', at })
    broker.fills.push(fill)
    broker.put(withFill(report, '10'))
    broker.emit(withFill(report, '10'))
    await eventually(async () => assert.equal((await tradesIn(em, account.id)).length, 1))
    await em.execute(`update fills set recorded_at = recorded_at - interval '2 minutes'`)
    broker.fills = []
    broker.put({ ...report, status: 'CANCELLED' })
    broker.breakStreams(new Error('connection reset'))
    await eventually(async () => assert.deepEqual(await tradesIn(em, account.id), []))
    assert.equal(await filledOf(report), 0)
    broker.fills = [fill]
    const place = { em, broker, accountId: account.id }
    assert.deepEqual((await compareAccount(place, daysAgo(1))).unknownExecutions?.found, [])
  })

  it('finds by comparison the reports that a silent stream left out', async () => {
    const { report } = await working()
    await follow({ pollEvery: 50 })
    broker.put(withFill(report, '10'))
    await eventually(() => assert.equal(announced[0]?.status, 'FILLED'))
  })

  it('takes up at its start what ended since the state that was restored, once the lists can be had, and compares orders that work until then', async () => {
    const { report: filling } = await working()
    const signal = await createSignal(em, { accountId: account.id })
    const old = orderReport(signal, { submittedAt: daysAgo(3) })
    broker.put({ ...old, status: 'EXPIRED' })
    await writeLedgerMark(em, 1)
    await markRestored(em, daysAgo(4))
    const asked: (string | undefined)[] = []
    const { listOrders, listFills } = broker
    broker.listOrders = (query) => {
      if (query.status === 'closed') asked.push(query.after)
      return listOrders.call(broker, query)
    }
    broker.listFills = () => Promise.reject(new BrokerOutcomeUnknown('no answer'))
    await follow({ pollEvery: 50 })
    broker.put(withFill(filling, '10'))
    await eventually(async () => assert.equal(await filledOf(filling), 10))
    assert.deepEqual(await ordersOf(em, signal.id), [])
    broker.listFills = listFills
    await eventually(async () => assert.equal((await ordersOf(em, signal.id))[0]?.status, 'EXPIRED'))
    await eventually(() => assert.ok(asked.every((since) => since! < daysAgo(4))))
    const before = asked.length
    await eventually(() => assert.ok(broker.requests.get('listPositions')! > 3))
    assert.equal(asked.length, before)
    await em.execute('truncate ledger_mark')
  })

  it('finds soon, without waiting for the usual comparison, an order that filled while its acceptance was recorded', async () => {
    await follow()
    const signal = await createSignal(em, { accountId: account.id })
    const report = orderReport(signal)
    broker.put(withFill(report, '10'))
    await recordAccepted(em, report)
    await eventually(() => assert.equal(announced[0]?.status, 'FILLED'))
  })

  it('brings a report again, and soon, that the database could not take', async () => {
    const { report } = await working()
    const { report: next } = await working()
    await follow()
    // The pauses between two looks have grown to seconds by then.
    await eventually(() => assert.ok(broker.requests.get('listOrders')! >= 7), { within: 20_000 })
    const since = performance.now()
    await em.execute('alter table orders rename to out_of_reach')
    broker.put(withFill(report, '10'))
    broker.emit(withFill(report, '10'))
    await eventually(() =>
      assert.ok(logged.lines.some(({ msg }) => msg === 'an order report could not be applied')),
    )
    await em.execute('alter table out_of_reach rename to orders')
    await eventually(async () => assert.equal(await filledOf(report), 10))
    assert.ok(performance.now() - since < 1_500)
    broker.emit(withFill(next, '10'))
    await eventually(() => assert.equal(announced.length, 2))
  })

  it('copies balances and positions when it begins, and again after a fill', async () => {
    await follow()
    const balances = async () => Number((await em.fork().findOneOrFail(Account, { id: account.id })).equity)
    await eventually(async () => assert.equal(await balances(), 100_000))
    const { report } = await working()
    broker.balances = { ...broker.balances, equity: '99000' }
    broker.positions = [position('AAPL', '10')]
    broker.emit(withFill(report, '10'))
    await eventually(async () => assert.equal(await balances(), 99_000))
    assert.equal(await em.fork().count(Position, { accountId: account.id }), 1)
  })

  it('lists fills when the stream reports an execution, also of an order that is not ours', async () => {
    await follow()
    const fill = aFill({ at: new Date().toISOString().replace('Z', '000Z') })
    broker.fills.push(fill)
    const { executionId, quantity, price, at } = fill
    broker.emit(orderReport({ id: randomUUID() }), { executionId, quantity, price, at })
    await eventually(async () => assert.equal((await tradesIn(em, account.id)).length, 1))
  })

  it('alerts to refused keys, for which the connection is in error, and has exits tried again that waited for them, once they are accepted', async () => {
    const signal = await createSignal(em, { accountId: account.id, status: 'executed' })
    const trouble = { kind: 'rejected', code: 'BROKER_CREDENTIALS_INVALID', detail: 'revoked' } as const
    await recordExitTrouble(em, signal.id, '2026-03-02T15:00:00.000Z', {
      ...trouble,
      generation: 1,
      acknowledges: [],
    })
    broker.outage = new BrokerCredentialsError('revoked')
    await follow({ untilHeard: false })
    const health = async () => {
      const connection = await em.fork().findOneOrFail(BrokerConnection, { id: account.brokerId })
      const isOpen = await isAlertOpen(em, { accountId: account.id, signalId: null }, 'credentials')
      return [connection.status, connection.statusDetail, isOpen]
    }
    await eventually(async () => assert.deepEqual(await health(), ['error', 'revoked', true]))
    assert.deepEqual(retried, [])
    broker.outage = null
    await eventually(async () => assert.deepEqual(await health(), ['connected', null, false]))
    assert.deepEqual(retried, [signal.id])
  })

  it('reports once that the broker lets the account trade nothing while exits are to come, and ends that with the block or the last exit', async () => {
    const block = (...blocks: string[]) =>
      (broker.balances = { ...broker.balances, permissions: { ...broker.balances.permissions, blocks } })
    const found = async () =>
      (await em.fork().find(Alert, { accountId: account.id, kind: 'trading_blocked' })).map(
        ({ message, resolvedAt }) => `${resolvedAt ? 'over' : 'open'}: ${message}`,
      )
    const synced = async () => {
      const seen = broker.requests.get('getAccount') ?? 0
      await eventually(() => assert.ok((broker.requests.get('getAccount') ?? 0) >= seen + 2))
    }
    block('trading is blocked')
    await follow({ untilHeard: false, pollEvery: 100 })
    await synced()
    assert.deepEqual(await found(), [], 'nothing rests on the account')
    const holds = {
      accountId: account.id,
      status: 'executed',
      exitStatus: 'scheduled',
      filledQuantity: '10',
    } as const
    const signal = await createSignal(em, holds)
    await createSignal(em, { ...holds, filledQuantity: '0', symbol: 'MSFT' })
    await eventually(async () =>
      assert.match((await found()).join(), /^open: .*trading is blocked\. Exits are planned in AAPL, and/),
    )
    await synced()
    assert.equal((await found()).length, 1)
    block()
    await eventually(async () => assert.match((await found()).join(), /^over: /))
    block('the account is blocked')
    await eventually(async () =>
      assert.equal((await found()).filter((each) => each.startsWith('open')).length, 1),
    )
    await em.execute(`update signals set exit_status = 'filled' where id = ?`, [signal.id], 'run')
    await eventually(async () => assert.ok((await found()).every((each) => each.startsWith('over'))))
    const { status } = await em.fork().findOneOrFail(BrokerConnection, { id: account.brokerId })
    assert.equal(status, 'connected')
  })

  it('reports a stream that is refused while requests are answered as that, once, and the connection stays connected', async () => {
    broker.streamOutage = new BrokerCredentialsError('unauthorized')
    await follow({ untilHeard: false, pollEvery: 100, quietMs: 60_000 })
    const alerts = async () =>
      (await em.fork().find(Alert, { accountId: account.id })).map(
        ({ kind, message }) => `${kind}: ${message}`,
      )
    await eventually(async () =>
      assert.match((await alerts())[0] ?? '', /^stream_refused: .*unauthorized.*polled every/),
    )
    const attempts = broker.requests.get('streamOrders') ?? 0
    await eventually(() => assert.ok((broker.requests.get('streamOrders') ?? 0) >= attempts + 1))
    broker.streamOutage = null
    await eventually(() => assert.equal(broker.listeners, 1))
    broker.streamOutage = new BrokerCredentialsError('unauthorized')
    broker.breakStreams(broker.streamOutage)
    await eventually(() => assert.ok((broker.requests.get('streamOrders') ?? 0) >= attempts + 3))
    assert.equal((await alerts()).length, 1)
    const { status } = await em.fork().findOneOrFail(BrokerConnection, { id: account.brokerId })
    assert.equal(status, 'connected')
  })

  it('asks for a refused stream ever more rarely, though every request is answered', async () => {
    broker.streamOutage = new BrokerCredentialsError('unauthorized')
    await follow({ untilHeard: false, pollEvery: 100 })
    await sleep(900)
    // After 0.25 and 0.75 s at the soonest.
    assert.ok((broker.requests.get('streamOrders') ?? 0) <= 3, String(broker.requests.get('streamOrders')))
  })

  it('ends the alert of a refused stream once the stream has been there for the quiet time', async () => {
    broker.streamOutage = new BrokerCredentialsError('unauthorized')
    await follow({ untilHeard: false, pollEvery: 100 })
    const isOpen = () => isAlertOpen(em, { accountId: account.id, signalId: null }, 'stream_refused')
    await eventually(async () => assert.ok(await isOpen()))
    broker.streamOutage = null
    await eventually(async () => assert.ok(!(await isOpen())))
  })

  it('reports shares of a signal that were sold at the broker by an order from elsewhere', async () => {
    const { signal, report } = await working()
    await follow({ pollEvery: 100 })
    broker.emit(withFill(report, '10'))
    const at = (second: number) => new Date(Date.now() + second).toISOString().replace('Z', '000Z')
    const { brokerOrderId } = report
    broker.fills.push(
      aFill({ brokerOrderId, quantity: '10', at: at(0) }),
      aFill({ brokerOrderId: 'liquidation', side: 'SELL', quantity: '6', at: at(1) }),
    )
    const told = async () =>
      (await em.fork().find(Alert, { signalId: signal.id, kind: 'sold_elsewhere' })).map(
        ({ message }) => message,
      )
    await eventually(async () =>
      assert.match(
        (await told())[0] ?? '',
        /^6 of 10 AAPL of this signal were sold at the broker, outside this app/,
      ),
    )
    assert.match((await told())[0]!, /the other 4$/)
    assert.equal((await told()).length, 1)
  })

  it('reports an exit at market that does not fill while the exchange is open, until it does', async () => {
    const exitRule = {
      trigger: 'immediate',
      minutes: null,
      clockTime: null,
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
    } as const
    const signal = await createSignal(em, {
      accountId: account.id,
      status: 'executed',
      exitRule,
      exitStatus: 'scheduled',
    })
    const exit = orderReport(signal, {
      role: 'exit',
      submittedAt: new Date(Date.now() - 5_000).toISOString(),
    })
    await recordAccepted(em, exit)
    broker.put(exit)
    const isOpen = () => isAlertOpen(em, { accountId: account.id, signalId: signal.id }, 'exit_unfilled')
    await follow({ pollEvery: 100 })
    await new Promise((resolve) => setTimeout(resolve, 500))
    assert.ok(!(await isOpen()), 'the exchange is closed')
    const date = new Date().toISOString().slice(0, 10)
    broker.sessions = [
      {
        date,
        opensAt: new Date(Date.now() - 3_600_000).toISOString(),
        closesAt: new Date(Date.now() + 3_600_000).toISOString(),
      },
    ]
    await eventually(async () => assert.ok(await isOpen()))
    broker.put(withFill(exit, '10'))
    await eventually(async () => assert.ok(!(await isOpen())))
  })

  const reportsPassedLimit = async (purpose: OrderPurpose) => {
    const signal = await createSignal(em, {
      accountId: account.id,
      status: 'executed',
      protection: STOP_WITH_LIMIT,
    })
    await recordAccepted(em, withFill(orderReport(signal), '10'))
    const exit = {
      ...orderReport(signal, { role: 'exit', orderType: 'stopLimit', stopPrice: '95', limitPrice: '94.5' }),
      clientOrderId: clientOrderIdFor(signal.id, purpose, 1),
    }
    await recordAccepted(em, exit)
    broker.put(exit)
    await trackProtection(em, signal.id)
    const priceIs = (price: Decimal) =>
      noteSeen(em, [{ signalId: signal.id, best: '100', price, at: new Date().toISOString() }])
    const isOpen = () => isAlertOpen(em, { accountId: account.id, signalId: signal.id }, 'exit_unfilled')
    await priceIs('94.5')
    await follow({ pollEvery: 100 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.ok(!(await isOpen()), 'it is sold at its limit')
    await priceIs('80')
    await eventually(async () => assert.ok(await isOpen()))
    await priceIs('94.6')
    await eventually(async () => assert.ok(!(await isOpen())))
  }
  it('reports a stop of an exit whose limit the price has passed over, until the price is back', () =>
    reportsPassedLimit('plan'))
  it('reports a stop of an exit at a time whose limit the price has passed over, until the price is back', () =>
    reportsPassedLimit('timed'))

  it('ends on request, with every report it was given applied', async () => {
    const { report } = await working()
    await follow()
    broker.emit(withFill(report, '10'))
    stop.abort()
    await running
    assert.equal(await filledOf(report), 10)
    assert.equal(broker.listeners, 0)
  })
})

const STOP_WITH_LIMIT: Protection = {
  stop: { price: '95', limitOffset: '0.5' },
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
}

const position = (symbol: string, quantity: Decimal) => held(quantity, 'LONG', { symbol })
