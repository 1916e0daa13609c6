import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { ordersBeyondLedger } from '#db/position/fills.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order/order.ts'
import { dayBefore } from '#test/support/day-before.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill } from '#test/support/fills.ts'
import { orderIn, signalIn } from '#test/support/ledger.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { FillImporter } from '#worker/feed/fill-importer.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'

/** Four of ten have filled when a person raises the limit in the broker's own app; the replacing order fills six. */
describe('the feed of an order that a person replaced at the broker', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const NEW = 'made-by-the-broker'
  let broker: ScriptedBroker
  let signal: Signal
  let entry: OrderReport
  let announced: string[]
  let fills: FillImporter
  let reconciler: OrderReconciler
  const follow = async () => {
    const { log } = loggerInMemory()
    const announcer = {
      async announce(_: object, { filledQuantity }: OrderReport) {
        announced.push(filledQuantity)
        return true
      },
      async ensureRunning() {},
      async retryExit() {},
    }
    const account = { accountId: signal.accountId, userId: signal.userId }
    reconciler = new OrderReconciler(em, broker, announcer, signal.accountId, log)
    fills = new FillImporter(em, broker, account, (id) => reconciler.ask(id), log)
    reconciler.executionsBy(fills)
    await fills.poll(Date.now())
  }
  beforeEach(async () => {
    announced = []
    broker = new ScriptedBroker()
    signal = await createSignal(em)
    entry = orderReport(signal, { submittedAt: new Date().toISOString() })
    await recordAccepted(em, entry)
    broker.put(entry)
    await follow()
  })

  const replaced = (): OrderReport => ({
    ...withFill({ ...entry, quantity: '6' }, '6'),
    brokerOrderId: NEW,
    links: [
      { brokerOrderId: entry.brokerOrderId, filledQuantity: '4' },
      { brokerOrderId: NEW, filledQuantity: '6' },
    ],
  })
  const now = (): string => new Date().toISOString().replace('Z', '000Z')
  const executes = () => {
    broker.fills.push(
      aFill({ brokerOrderId: entry.brokerOrderId, quantity: '4', orderFilled: '4', at: now() }),
      aFill({ brokerOrderId: NEW, quantity: '6', orderFilled: '6', at: now() }),
    )
  }
  const filled = async () => Number((await signalIn(em, signal.id)).filledQuantity)
  /** The broker's record has the last link only. */
  const isReplaced = (): OrderReport => {
    const report = replaced()
    broker.put(report)
    return report
  }

  it('informs its workflow of all that was executed at once, where the executions are listed by then', async () => {
    executes()
    await reconciler.apply(isReplaced())
    assert.deepEqual([await filled(), announced], [10, ['10']])
  })

  it('the feed of an order that a person replaced at the broker does so also where no stream has reported it and the orders are compared', async () => {
    executes()
    isReplaced()
    await reconciler.reconcile(Date.now(), dayBefore())
    assert.deepEqual([await filled(), announced], [10, ['10']])
  })

  it('takes the largest figure while the list lags, and reports the rest once it is there', async () => {
    await reconciler.apply(isReplaced())
    assert.deepEqual([await filled(), announced], [6, ['6']])
    executes()
    await fills.poll(Date.now() + 60_000)
    assert.deepEqual([await filled(), announced], [10, ['6', '10']])
  })

  it('takes the report at its own figure where the executions cannot be read now', async () => {
    broker.outage = new Error('the broker does not answer')
    await reconciler.apply(replaced())
    assert.deepEqual([await filled(), announced], [6, ['6']])
  })

  it('the feed of an oco informs its workflow once that its moved stop has filled, and knows whose the executions are', async () => {
    await reconciler.apply(withFill(entry, '10'))
    announced.length = 0
    const { symbol } = entry
    const oco = {
      symbol,
      side: 'SELL',
      quantity: '10',
      orderType: 'oco',
      limitPrice: '110',
      stopPrice: '95',
    } as const
    const clientOrderId = clientOrderIdFor(signal.id, 'plan', 1)
    const { brokerOrderId } = broker.accept({
      ...oco,
      clientOrderId,
      timeInForce: 'gtc',
      extendedHours: false,
    })
    broker.put(withFill(entry, '10'))
    await reconciler.reconcile(Date.now())
    await broker.changeOrder(brokerOrderId, { stopPrice: '97' })
    broker.tradeAt('96', '4')
    await fills.poll(Date.now())
    broker.tradeAt('96')
    await fills.poll(Date.now())
    await reconciler.reconcile(Date.now())
    assert.deepEqual(announced, ['10'])
    assert.deepEqual(await ordersBeyondLedger(em, signal, new Date(0).toISOString()), [])
    const { status, quantity, stopPrice } = await orderIn(em, clientOrderId)
    assert.deepEqual([status, Number(quantity), Number(stopPrice)], ['FILLED', 10, 97])
  })

  it('keeps executions that a list lacks for a moment where their own link confirms them', async () => {
    executes()
    await reconciler.apply(isReplaced())
    await fills.poll(Date.now())
    broker.fills = broker.fills.filter(({ brokerOrderId }) => brokerOrderId === NEW)
    const { getOrder } = broker
    broker.getOrder = async () => replaced()
    await reconciler.reconcile(Date.now() + 120_000, dayBefore())
    broker.getOrder = getOrder
    assert.equal(await filled(), 10)
  })
})
