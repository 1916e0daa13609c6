import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Account, type Signal } from '#db/entities/index.ts'
import { decideOnce } from '#db/order/decisions.ts'
import type { OpenSignal } from '#db/signal/record.ts'
import { recordClosed, recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { ordersOf } from '#test/support/ledger.ts'
import { dayBefore } from '#test/support/day-before.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill } from '#test/support/fills.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { FillImporter } from '#worker/feed/fill-importer.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'

const MINUTE = 60_000
const DENIED = { outcome: 'denied', code: 'PRICE_DRIFTED', detail: 'it has moved' }

describe('a fill after the end of its order, while no stream reports it,', () => {
  let em: EntityManager
  let broker: ScriptedBroker
  let account: Account
  let reopened: string[]
  let reconciler: OrderReconciler
  let fills: FillImporter
  useDatabase((database) => {
    em = database.em
  })
  beforeEach(async () => {
    broker = new ScriptedBroker()
    account = await createAccount(em, { createdAt: new Date(Date.now() - 60 * MINUTE) })
    reopened = []
    startWorker()
  })

  /** A worker that has just been started knows nothing but the ledger. */
  function startWorker(): void {
    const { log } = loggerInMemory()
    const announcer = {
      announce: async () => false,
      async ensureRunning({ terms }: OpenSignal) {
        const [order] = await ordersOf(em, terms.signalId)
        reopened.push(`${order!.status} ${Number(order!.filledQuantity)}`)
      },
      retryExit: async () => {},
    }
    reconciler = new OrderReconciler(em, broker, announcer, account.id, log)
    fills = new FillImporter(
      em,
      broker,
      { accountId: account.id, userId: account.userId },
      (id) => reconciler.ask(id),
      log,
    )
  }
  const alerts = async () => (await em.fork().find(Alert, { accountId: account.id })).map(({ kind }) => kind)
  const executed = (report: OrderReport) =>
    broker.fills.push(
      aFill({
        brokerOrderId: report.brokerOrderId,
        quantity: '10',
        at: new Date(Date.now() + 1_000).toISOString().replace('Z', '000Z'),
      }),
    )

  /** A signal with an exit whose entry was cancelled without a fill, and which has ended with that. */
  async function ended(): Promise<{ signal: Signal; report: OrderReport }> {
    const signal = await createSignal(em, { accountId: account.id, exitRule: exitAtOnce })
    const report = orderReport(signal, { timeInForce: 'gtc', submittedAt: new Date().toISOString() })
    const cancelled = { ...report, status: 'CANCELLED' as const }
    await recordAccepted(em, cancelled)
    broker.put(cancelled)
    await recordClosed(em, signal.id, new Date().toISOString(), {
      message: 'ended',
      acknowledges: [cancelled],
      exit: { generation: 1, status: 'cancelled', reason: 'ENTRY_NOT_FILLED' },
      rejected: false,
      unprotected: null,
      closing: 1,
      entryFilled: '0',
      progress: exitBegins(2),
    })
    return { signal, report }
  }

  const lookBack = () => reconciler.reconcile(Date.now(), dayBefore())

  it('a fill after the end of its order, while no stream reports it, is found by its execution: the signal is opened again for its exit', async () => {
    const { signal, report } = await ended()
    await fills.poll(Date.now())
    broker.put({ ...withFill(report, '10'), status: 'FILLED' })
    executed(report)
    await fills.poll(Date.now() + 2_000)
    assert.deepEqual(reopened, ['FILLED 10'])
    const [order] = await ordersOf(em, signal.id)
    assert.deepEqual([order?.status, Number(order?.filledQuantity)], ['FILLED', 10])
  })

  it('a fill after the end of its order, while no stream reports it, is found by its execution although no worker ran when that was stored', async () => {
    const { report } = await ended()
    await fills.poll(Date.now())
    broker.put({ ...withFill(report, '10'), status: 'FILLED' })
    executed(report)
    const getOrder = broker.getOrder.bind(broker)
    broker.getOrder = () => Promise.reject(new Error('the worker dies here'))
    await assert.rejects(fills.poll(Date.now() + 2_000), /dies here/)
    broker.getOrder = getOrder
    startWorker()
    await fills.poll(Date.now() + 10 * MINUTE)
    assert.deepEqual(reopened, ['FILLED 10'])
  })

  it('a fill after the end of its order, while no stream reports it, is found by a look back at the orders that have ended lately, with a list of fills that lacks it', async () => {
    const { report } = await ended()
    assert.equal(await lookBack(), 0)
    broker.put({ ...withFill(report, '4'), status: 'CANCELLED' })
    assert.equal(await lookBack(), 1)
    assert.deepEqual(reopened, ['CANCELLED 4'])
  })

  it('a fill after the end of its order, while no stream reports it, is found by a look back though the broker’s list of ended orders does not reach to it', async () => {
    const { report } = await ended()
    broker.put({ ...withFill(report, '4'), status: 'CANCELLED' })
    broker.listOrders = async () => []
    assert.equal(await lookBack(), 1)
    assert.deepEqual(reopened, ['CANCELLED 4'])
  })

  it('opens the signal again where the order was thought to be refused', async () => {
    const signal = await createSignal(em, { accountId: account.id, exitRule: exitAtOnce })
    await recordNotPlaced(em, signal.id, new Date().toISOString(), {
      outcome: 'rejected',
      code: 'INSUFFICIENT_FUNDS',
      detail: 'no',
    })
    await fills.poll(Date.now())
    const report = orderReport(signal, { submittedAt: new Date().toISOString() })
    broker.put({ ...withFill(report, '10'), status: 'FILLED' })
    executed(report)
    await fills.poll(Date.now() + 2_000)
    assert.deepEqual(reopened, ['FILLED 10'])
  })

  it('a fill after the end of its order, while no stream reports it, of a signal that was denied, as after its decision was lost with the ledger: opens it again for its exit', async () => {
    const signal = await createSignal(em, { accountId: account.id, exitRule: exitAtOnce })
    await decideOnce(em, signal.id, 'entry', DENIED)
    await filledAfterDenial(signal)
    assert.deepEqual(reopened, ['FILLED 10'])
  })

  /** The signal is recorded as not sent, and its order is found filled. */
  async function filledAfterDenial(signal: Signal, changes: Partial<OrderReport> = {}): Promise<OrderReport> {
    await recordNotPlaced(em, signal.id, new Date().toISOString(), {
      outcome: 'rejected',
      code: 'PRICE_DRIFTED',
      detail: 'no',
    })
    return foundFilled(signal, changes)
  }

  async function foundFilled(signal: Signal, changes: Partial<OrderReport> = {}): Promise<OrderReport> {
    const order = orderReport(signal, { submittedAt: new Date().toISOString(), ...changes })
    const report = { ...withFill(order, '10'), status: 'FILLED' as const }
    broker.put(report)
    assert.equal(await lookBack(), 1)
    return report
  }

  it('a fill after the end of its order, while no stream reports it, of an order from elsewhere is asked for once and changes nothing', async () => {
    await fills.poll(Date.now())
    const foreign = { ...orderReport(await createSignal(em)), clientOrderId: 'by-hand' }
    broker.put({ ...withFill(foreign, '10'), status: 'FILLED' })
    executed(foreign)
    for (const seconds of [2, 4, 6, 80, 90]) await fills.poll(Date.now() + seconds * 1_000)
    assert.equal(broker.requests.get('getOrder'), 1)
    assert.deepEqual([reopened, await alerts()], [[], []])
  })
})
