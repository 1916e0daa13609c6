import assert from 'node:assert/strict'
import { BrokerOutcomeUnknown, type BrokerPosition } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Account } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { openFillLedger } from '#db/position/fills.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order/order.ts'
import { dayBefore } from '#test/support/day-before.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill } from '#test/support/fills.ts'
import { orderIn } from '#test/support/ledger.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { acceptanceOf, placedByHand } from '#test/support/placed-by-hand.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { FillImporter } from '#worker/feed/fill-importer.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'

describe('an order that its broker does not show', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let broker: ScriptedBroker
  let account: Account
  let reconciler: OrderReconciler
  let fills: FillImporter
  let announced: string[]
  let now: number
  beforeEach(async () => {
    broker = new ScriptedBroker()
    account = await createAccount(em, { createdAt: new Date(Date.now() - 3_600_000) })
    await openFillLedger(em, { accountId: account.id, userId: account.userId }, [])
    announced = []
    now = Date.now()
    startWorker()
  })

  function startWorker(): void {
    const { log } = loggerInMemory()
    const announcer = {
      async announce(_: object, { status, filledQuantity }: OrderReport) {
        announced.push(`${status} ${filledQuantity}`)
        return true
      },
      async ensureRunning() {},
      async retryExit() {},
    }
    reconciler = new OrderReconciler(em, broker, announcer, account.id, log)
    const owner = { accountId: account.id, userId: account.userId }
    fills = new FillImporter(em, broker, owner, (id) => reconciler.ask(id), log)
    reconciler.executionsBy(fills)
  }

  /** The account is compared every fifteen seconds, for so long. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 15) {
      now += 15_000
      for (const [table, column] of [
        ['orders', 'updated_at'],
        ['orders', 'unconfirmed_since'],
        ['fills', 'recorded_at'],
      ])
        await em.execute(`update ${table} set ${column} = ${column} - interval '15 seconds'`)
      await reconciler.reconcile(now)
    }
  }

  async function restingEntry(): Promise<OrderReport> {
    const signal = await createSignal(em, { accountId: account.id, orderType: 'limit', limitPrice: '90' })
    const report = orderReport(signal, { orderType: 'limit', limitPrice: '90', timeInForce: 'gtc' })
    await recordAccepted(em, report)
    broker.put(report)
    return report
  }
  /** The stop of ten shares, which are held. */
  async function restingStop(): Promise<OrderReport> {
    const signal = await createSignal(em, { accountId: account.id })
    const entry = orderReport(signal)
    const at = new Date(now - 60_000).toISOString().replace('Z', '000Z')
    broker.fills.push(aFill({ brokerOrderId: entry.brokerOrderId, quantity: '10', at }))
    await recordAccepted(em, entry)
    await applyOrderReport(em, account.id, withFill(entry, '10'))
    await acknowledge(entry)
    await fills.read()
    broker.positions = [held('10', 'LONG')]
    const stop = {
      ...orderReport(signal, { role: 'exit', orderType: 'stop', stopPrice: '95', timeInForce: 'gtc' }),
      clientOrderId: clientOrderIdFor(signal.id, 'plan', 1),
    }
    await applyOrderReport(em, account.id, stop)
    broker.put(stop)
    return stop
  }
  async function restingManualOrder(): Promise<OrderReport> {
    const terms = await placedByHand(em, account, { orderType: 'limit', limitPrice: '90' })
    const report = acceptanceOf(terms, { status: 'OPEN' })
    await applyOrderReport(em, account.id, report)
    broker.put(report)
    return report
  }
  const hide = ({ clientOrderId }: OrderReport) => broker.accepted.delete(clientOrderId)
  const stateOf = async ({ clientOrderId }: OrderReport): Promise<string> => {
    const { status, filledQuantity, unconfirmedSince } = await orderIn(em, clientOrderId)
    return `${status} ${Number(filledQuantity)}${unconfirmedSince == null ? '' : ' unconfirmed'}`
  }
  const alerts = async () =>
    (await em.fork().find(Alert, { accountId: account.id, resolvedAt: null }))
      .filter(({ kind }) => kind === 'order_unknown_at_broker')
      .map(({ message }) => message)
  const live = async () =>
    (await readSymbolState(em, account.id, 'AAPL')).live.map(({ clientOrderId }) => clientOrderId)
  const acknowledge = ({ clientOrderId }: OrderReport) =>
    em.execute('update orders set end_acknowledged_at = now() where client_order_id = ?', [clientOrderId])

  for (const [what, rest] of [
    ['the stop of a position', restingStop],
    ['an entry', restingEntry],
    ['a manual order', restingManualOrder],
  ] as const)
    it(`an order that its broker does not show, ${what}, has ended after a minute, and holds nothing up any more`, async () => {
      const report = await rest()
      hide(report)
      await pass(60)
      assert.equal(await stateOf(report), 'OPEN 0 unconfirmed')
      assert.match(
        (await alerts()).join(),
        /does not know order .* whether it works or has filled is not known/,
      )
      await pass(15)
      assert.equal(await stateOf(report), 'REJECTED 0 unconfirmed')
      assert.match((await orderIn(em, report.clientOrderId)).reason!, /not known it for 60 s, asked 5 times/)
      assert.match((await alerts()).join(), /counts as ended: .* nothing says that it has filled/)
      assert.deepEqual(announced, ['REJECTED 0'])
      assert.deepEqual(await live(), [])
    })

  it('an order that its broker does not show at times is ended by none of these answers', async () => {
    const report = await restingStop()
    for (const hidden of [15, 60, 45]) {
      hide(report)
      await pass(hidden)
      assert.equal(await stateOf(report), 'OPEN 0 unconfirmed')
      broker.put(report)
      await pass(15)
      assert.deepEqual([await stateOf(report), await alerts()], ['OPEN 0', []])
    }
  })

  it('an order that its broker does not show is not ended while the broker answers nothing at all', async () => {
    const report = await restingStop()
    hide(report)
    await pass(30)
    broker.outage = new BrokerOutcomeUnknown('no answer in time')
    for (let passed = 0; passed < 90; passed += 15) await assert.rejects(pass(15))
    broker.outage = null
    await pass(15)
    assert.equal(await stateOf(report), 'OPEN 0 unconfirmed')
  })

  it('an order that its broker does not show, and cannot answer for, is unconfirmed and not ended', async () => {
    const report = await restingStop()
    hide(report)
    broker.getOrder = () => Promise.reject(new BrokerOutcomeUnknown('500'))
    await pass(300)
    assert.equal(await stateOf(report), 'OPEN 0 unconfirmed')
  })

  it('an order that its broker does not show is asked for by each process for a minute before it ends it', async () => {
    const report = await restingStop()
    hide(report)
    await pass(60)
    startWorker()
    await pass(60)
    assert.equal(await stateOf(report), 'OPEN 0 unconfirmed')
    await pass(15)
    assert.equal(await stateOf(report), 'REJECTED 0 unconfirmed')
  })

  const doubts: [what: string, positions: BrokerPosition[], told: RegExp][] = [
    ['has closed all shares', [], /shows nothing of AAPL .* may have filled/],
    ['has closed a part', [held('6', 'LONG')], /shows LONG 6 of AAPL .* may have filled/],
    [
      'still has shares',
      [held('10', 'LONG', { availableQuantity: '0' })],
      /still holds 10 AAPL for an order/,
    ],
  ]
  for (const [what, positions, told] of doubts)
    it(`an order that its broker does not show and that by the position ${what} is not ended: its owner is asked`, async () => {
      const report = await restingStop()
      hide(report)
      await pass(30)
      broker.positions = positions
      await pass(300)
      assert.equal(await stateOf(report), 'OPEN 0 unconfirmed')
      assert.match((await alerts()).join(), told)
      assert.deepEqual(announced, [])
      broker.positions = [held('10', 'LONG')]
      await pass(300)
      assert.equal(await stateOf(report), 'REJECTED 0 unconfirmed')
    })

  for (const [what, filled, end, left] of [
    ['all of it', '10', 'FILLED 10', 0],
    ['a part of it', '4', 'REJECTED 4', 1],
  ] as const)
    it(`an order that its broker does not show and whose executions say that ${what} has filled has filled that much`, async () => {
      const report = await restingStop()
      hide(report)
      await pass(30)
      const at = new Date(now).toISOString().replace('Z', '000Z')
      const { brokerOrderId } = report
      broker.fills.push(aFill({ brokerOrderId, side: 'SELL', quantity: filled, orderFilled: filled, at }))
      broker.positions = filled === '10' ? [] : [held('6', 'LONG')]
      await pass(90)
      assert.ok((await stateOf(report)).startsWith(end), await stateOf(report))
      assert.deepEqual([[...new Set(announced)], (await alerts()).length], [[end], left])
    })

  it('an order that its broker does not show has filled also by an execution that is older than those that were read last', async () => {
    const report = await restingEntry()
    await em.execute(`update accounts set created_at = now() - interval '4 days' where id = ?`, [account.id])
    await em.execute(`update orders set submitted_at = now() - interval '3 days' where client_order_id = ?`, [
      report.clientOrderId,
    ])
    hide(report)
    const at = new Date(now - 2 * 86_400_000).toISOString().replace('Z', '000Z')
    broker.fills.push(aFill({ brokerOrderId: report.brokerOrderId, quantity: '10', orderFilled: '10', at }))
    broker.positions = [held('10', 'LONG')]
    await pass(120)
    assert.deepEqual([(await stateOf(report)).split(' ').slice(0, 2), await alerts()], [['FILLED', '10'], []])
    assert.deepEqual([...new Set(announced)], ['FILLED 10'])
  })

  it('an order that its broker does not show is not ended where a report comes at that moment', async () => {
    const report = await restingStop()
    hide(report)
    await pass(60)
    const { getPosition } = broker
    broker.getPosition = async (symbol) => {
      await reconciler.apply(withFill(report, '4'))
      return getPosition.call(broker, symbol)
    }
    await pass(15)
    assert.deepEqual([await stateOf(report), announced], ['PARTIALLY_FILLED 4', []])
  })

  describe('and that was ended', () => {
    let report: OrderReport
    const cancels = () => broker.requests.get('cancelOrder') ?? 0
    beforeEach(async () => {
      report = await restingStop()
      hide(report)
      await pass(75)
      assert.equal(await stateOf(report), 'REJECTED 0 unconfirmed')
      announced = []
    })

    it('an order that was ended unseen and shows again is cancelled once its workflow has gone on, and not before', async () => {
      broker.put(report)
      await pass(30)
      assert.deepEqual([cancels(), (await alerts()).length], [0, 1])
      await acknowledge(report)
      announced = []
      await pass(60)
      assert.equal(cancels(), 1)
      await reconciler.reconcile(now, dayBefore(now))
      assert.deepEqual([await stateOf(report), await alerts(), announced], ['CANCELLED 0', [], []])
    })

    for (const [what, shown] of [
      ['filled', (): OrderReport => withFill(report, '10')],
      ['filled in part, and works', () => withFill(report, '4')],
    ] as const)
      it(`an order that was ended unseen and shows again ${what}: the fill counts, and is reported`, async () => {
        await acknowledge(report)
        broker.put(shown())
        if (shown().status === 'FILLED') await reconciler.reconcile(now, dayBefore(now))
        else await pass(60)
        const { filledQuantity } = shown()
        assert.equal(Number((await orderIn(em, report.clientOrderId)).filledQuantity), Number(filledQuantity))
        assert.match(announced.join(), new RegExp(`(FILLED|REJECTED) ${filledQuantity}`))
        assert.deepEqual([cancels(), (await alerts()).length], [0, shown().status === 'FILLED' ? 0 : 1])
        await acknowledge(report)
        await pass(60)
        assert.equal(cancels(), shown().status === 'FILLED' ? 0 : 1)
      })
  })
})
