import assert from 'node:assert/strict'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import type { OpenSignal } from '#db/signal/record.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { Account, Alert, type Signal } from '#db/entities/index.ts'
import { declareOrderLost } from '#db/watch/lost-orders.ts'
import { recordClosed, recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import type { FollowedOrder } from '#db/order/reports.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderIn, ordersOf } from '#test/support/ledger.ts'
import { dayBefore } from '#test/support/day-before.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { acceptanceOf, placedByHand } from '#test/support/placed-by-hand.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { pluck } from '#test/support/pluck.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'

describe('order desk', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let broker: ScriptedBroker
  let announced: (FollowedOrder & { report: OrderReport })[]
  let reopened: string[]
  let announce: (id: string) => Promise<boolean>
  let logged: ReturnType<typeof loggerInMemory>
  let accountId: string
  let reconciler: OrderReconciler
  beforeEach(async () => {
    broker = new ScriptedBroker()
    announced = []
    reopened = []
    announce = async () => true
    logged = loggerInMemory()
    accountId = (await createAccount(em)).id
    const announcer = {
      async announce({ signalId, orderId }: FollowedOrder, report: OrderReport) {
        announced.push({ signalId, orderId, report })
        return announce(signalId ?? orderId)
      },
      async ensureRunning({ terms }: OpenSignal) {
        reopened.push(terms.signalId)
      },
      async retryExit() {},
    }
    reconciler = new OrderReconciler(em, broker, announcer, accountId, logged.log)
  })

  /** A signal whose entry order the broker and the ledger holds, nothing of it filled. */
  async function working(fields: Partial<Signal> = {}): Promise<{ signal: Signal; report: OrderReport }> {
    const signal = await createSignal(em, { accountId, ...fields })
    const report = orderReport(signal)
    await recordAccepted(em, report)
    broker.put(report)
    return { signal, report }
  }
  const statuses = () => announced.map(({ report }) => `${report.status} ${report.filledQuantity}`)
  const inFourSeconds = () => Date.now() + 4_000

  describe('given an order', () => {
    it('announces its end once, however often it is reported', async () => {
      const { signal, report } = await working()
      assert.equal(await reconciler.apply(withFill(report, '4')), true)
      assert.equal(announced.length, 0)
      assert.equal(await reconciler.apply(withFill(report, '10')), true)
      assert.equal(await reconciler.apply(withFill(report, '10')), false)
      assert.equal(await reconciler.apply(withFill(report, '4')), false)
      assert.deepEqual(statuses(), ['FILLED 10'])
      assert.equal(announced.at(0)?.signalId, signal.id)
    })

    it('announces the state of the ledger, not that of a late report', async () => {
      const { report } = await working()
      await reconciler.apply(withFill(report, '4'))
      await reconciler.apply({ ...report, status: 'CANCELLED' })
      assert.deepEqual(statuses(), ['CANCELLED 4'])
    })

    it('announces a fill that comes after the end again', async () => {
      const { report } = await working()
      await reconciler.apply({ ...report, status: 'CANCELLED' })
      await reconciler.apply({ ...withFill(report, '3'), status: 'CANCELLED' })
      assert.deepEqual(statuses(), ['CANCELLED 0', 'CANCELLED 3'])
    })

    it('announces a cancel each time it is reported, until the workflow has acknowledged it', async () => {
      const { report } = await working()
      const cancelled = { ...report, status: 'CANCELLED' as const }
      await reconciler.apply(cancelled)
      await reconciler.apply(cancelled)
      assert.deepEqual(statuses(), ['CANCELLED 0', 'CANCELLED 0'])
      await em.execute('update orders set end_acknowledged_at = now() where client_order_id = ?', [
        report.clientOrderId,
      ])
      await reconciler.apply(cancelled)
      assert.equal(announced.length, 2)
    })

    it('order desk given an order that no signal asked for does nothing', async () => {
      const manual = {
        ...orderReport({ id: accountId }),
        clientOrderId: 'by-hand',
        status: 'FILLED' as const,
      }
      assert.equal(await reconciler.apply(manual), false)
      assert.deepEqual(announced, [])
    })

    it('order desk given an order of a signal of another account does nothing', async () => {
      const signal = await createSignal(em)
      assert.equal(await reconciler.apply(withFill(orderReport(signal), '10')), false)
      assert.deepEqual([await ordersOf(em, signal.id), announced], [[], []])
    })

    it('order desk given a fill before the workflow has recorded the acceptance leaves it to that record to report it', async () => {
      const signal = await createSignal(em, { accountId })
      await reconciler.apply(withFill(orderReport(signal), '10'))
      assert.equal((await ordersOf(em, signal.id)).length, 1)
      assert.deepEqual(statuses(), [])
      const { report } = await recordAccepted(em, orderReport(signal))
      assert.deepEqual([report.status, report.filledQuantity], ['FILLED', '10'])
    })

    it('order desk given a fill whose acceptance is never recorded announces it at a later comparison', async () => {
      const signal = await createSignal(em, { accountId })
      const report = withFill(orderReport(signal), '10')
      await reconciler.apply(report)
      await em.execute(`update orders set updated_at = now() - interval '10 seconds'`)
      await reconciler.reconcile(Date.now())
      assert.deepEqual(statuses(), ['FILLED 10'])
    })

    it('settles an ended one itself when no workflow follows the signal any more', async () => {
      announce = async () => false
      const { signal, report } = await working()
      await em.execute('update signals set closings = 1 where id = ?', [signal.id])
      await reconciler.apply(withFill(report, '10'))
      assert.ok((await orderIn(em, report.clientOrderId)).endAcknowledgedAt)
      assert.match(logged.lines.at(-1)!.msg, /no workflow follows it/)
      await reconciler.reconcile(inFourSeconds())
      assert.equal(announced.length, 1)
    })
  })

  describe('comparing the ledger with the broker', () => {
    it('reads the broker’s list once a minute while every order is settled, and asks nothing else', async () => {
      const now = Date.now()
      for (const seconds of [0, 15, 59]) assert.equal(await reconciler.reconcile(now + seconds * 1_000), 0)
      assert.deepEqual([...broker.requests], [['listOrders', 1]])
      await reconciler.reconcile(now + 60_000)
      assert.deepEqual([...broker.requests], [['listOrders', 2]])
    })

    it('finds a fill on the list of open orders', async () => {
      const { report } = await working()
      broker.put(withFill(report, '4'))
      assert.equal(await reconciler.reconcile(Date.now()), 1)
      assert.equal(await reconciler.reconcile(Date.now()), 0)
      assert.equal(Number((await orderIn(em, report.clientOrderId)).filledQuantity), 4)
      assert.equal(broker.requests.get('getOrder'), undefined)
    })

    it('reports other figures of an order on the list of open orders that no other order has replaced', async () => {
      const { signal, report } = await working()
      broker.put({ ...report, quantity: '100' })
      await reconciler.reconcile(Date.now())
      const alerts = await em.fork().find(Alert, { signalId: signal.id })
      assert.deepEqual(
        alerts.map(({ kind, message }) => [kind, message]),
        [
          [
            'order_changed_by_broker',
            'The order was changed at the broker, and not from here: quantity 100 where 10 was',
          ],
        ],
      )
    })

    for (const [what, changed, told] of [
      ['quantity', { quantity: '100' }, 'quantity 100 where 10 was'],
      ['limit', { limitPrice: '9' }, 'limit 9 where 90 was'],
      [
        'quantity and limit',
        { quantity: '100', limitPrice: '9' },
        'quantity 100 where 10 was, limit 9 where 90 was',
      ],
    ] as const)
      for (const by of ['a signal', 'hand'])
        it(`an order by ${by} whose ${what} the broker changes in place is reported within a minute, once, and the ledger follows`, async () => {
          const prices = { orderType: 'limit', limitPrice: '90' } as const
          const account = await em.fork().findOneOrFail(Account, { id: accountId })
          const resting =
            by === 'hand'
              ? acceptanceOf(await placedByHand(em, account, prices), { status: 'OPEN' })
              : orderReport(await createSignal(em, { accountId, ...prices }), prices)
          await reconciler.apply(resting)
          broker.put(resting)
          await reconciler.reconcile(Date.now())
          broker.put({ ...resting, ...changed })
          for (const seconds of [15, 30, 45, 60]) await reconciler.reconcile(Date.now() + seconds * 1_000)
          const alerts = await em.fork().find(Alert, { accountId, kind: 'order_changed_by_broker' })
          assert.deepEqual(pluck(alerts, 'message'), [
            `The order was changed at the broker, and not from here: ${told}`,
          ])
          const { quantity, limitPrice } = await orderIn(em, resting.clientOrderId)
          const follows = { ...resting, ...changed }
          assert.deepEqual(
            [Number(quantity), Number(limitPrice)],
            [Number(follows.quantity), Number(follows.limitPrice)],
          )
        })

    it('asks after an order that is not on it, and announces its end', async () => {
      const { report } = await working()
      broker.put({ ...withFill(report, '4'), status: 'EXPIRED' })
      assert.equal(await reconciler.reconcile(Date.now()), 1)
      assert.deepEqual(statuses(), ['EXPIRED 4'])
    })

    it('reminds the workflow of an end that it has not reacted to for three seconds, again and again', async () => {
      const { report } = await working()
      const filled = withFill(report, '10')
      broker.put(filled)
      announce = () => Promise.reject(new Error('Temporal cannot be reached'))
      await assert.rejects(reconciler.apply(filled), /Temporal cannot be reached/)
      announce = async () => true
      assert.equal(await reconciler.reconcile(Date.now()), 0)
      assert.equal(announced.length, 1)
      assert.equal(await reconciler.reconcile(inFourSeconds()), 0)
      assert.equal(await reconciler.reconcile(inFourSeconds()), 0)
      assert.deepEqual(statuses(), ['FILLED 10', 'FILLED 10', 'FILLED 10'])
    })

    it('reminds of the state of the ledger when the broker’s answer is older', async () => {
      const { report } = await working()
      await reconciler.apply({ ...withFill(report, '4'), status: 'CANCELLED' })
      broker.put(withFill(report, '2'))
      await reconciler.reconcile(inFourSeconds())
      assert.deepEqual(statuses(), ['CANCELLED 4', 'CANCELLED 4'])
    })

    it('logs an order that the broker does not know and goes on with the others', async () => {
      const lost = await working()
      const other = await working()
      broker.accepted.delete(lost.report.clientOrderId)
      broker.put(withFill(other.report, '10'))
      assert.equal(await reconciler.reconcile(Date.now()), 1)
      const line = logged.lines.find(({ msg }) => msg.includes('does not know'))
      assert.equal(line?.['clientOrderId'], lost.report.clientOrderId)
      assert.equal(announced[0]?.signalId, other.signal.id)
    })

    it('logs an order whose workflow cannot be informed and goes on with the others', async () => {
      const poisoned = await working()
      const other = await working()
      for (const { report } of [poisoned, other]) broker.put(withFill(report, '10'))
      announce = async (signalId) => {
        if (signalId === poisoned.signal.id) throw new Error('too large')
        return true
      }
      await reconciler.reconcile(Date.now())
      assert.deepEqual(
        announced.map(({ signalId }) => signalId),
        [poisoned.signal.id, other.signal.id],
      )
      assert.equal(logged.lines.filter(({ msg }) => msg.includes('could not be compared')).length, 1)
    })

    it('logs an order that the broker cannot answer for and goes on with the others', async () => {
      const unreadable = await working()
      const other = await working()
      for (const { report } of [unreadable, other]) broker.put(withFill(report, '10'))
      const { getOrder } = broker
      broker.getOrder = (id) =>
        id === unreadable.report.brokerOrderId
          ? Promise.reject(new BrokerOutcomeUnknown('unreadable'))
          : getOrder.call(broker, id)
      assert.equal(await reconciler.reconcile(Date.now()), 1)
      assert.equal(announced[0]?.signalId, other.signal.id)
    })

    it('stops at once when the keys are refused', async () => {
      await working()
      broker.outage = new BrokerCredentialsError('revoked')
      await assert.rejects(reconciler.reconcile(Date.now()), BrokerCredentialsError)
      assert.equal(broker.requests.size, 1)
    })

    it('stops when the keys are refused to the question for one order', async () => {
      for (const { report } of [await working(), await working()]) broker.put(withFill(report, '10'))
      let asked = 0
      broker.getOrder = () => {
        asked += 1
        return Promise.reject(new BrokerCredentialsError('revoked'))
      }
      await assert.rejects(reconciler.reconcile(Date.now()), BrokerCredentialsError)
      assert.equal(asked, 1)
    })
  })

  describe('of orders that the broker does not know', () => {
    const alerts = async () =>
      (await em.fork().find(Alert, { accountId, resolvedAt: null })).map(({ kind, signalId }) => [
        kind,
        signalId,
      ])
    const minutes = (count: number) => Date.now() + count * 60_000
    const asked = () => broker.requests.get('getOrder') ?? 0

    it('alerts when it is asked the second time, asks less and less often, and ends the alert when it knows', async () => {
      const { signal, report } = await working()
      broker.accepted.delete(report.clientOrderId)
      await reconciler.reconcile(minutes(0))
      assert.deepEqual(await alerts(), [])
      await reconciler.reconcile(minutes(0))
      assert.equal(asked(), 1)
      await reconciler.reconcile(minutes(1))
      assert.deepEqual(await alerts(), [['order_unknown_at_broker', signal.id]])
      await reconciler.reconcile(minutes(1.1))
      assert.equal(asked(), 2)
      broker.put(withFill(report, '4'))
      await reconciler.reconcile(minutes(30))
      assert.deepEqual(await alerts(), [])
      assert.equal(Number((await orderIn(em, report.clientOrderId)).filledQuantity), 4)
    })

    it('asks soon again after one that was known again in between', async () => {
      const { report } = await working()
      broker.accepted.delete(report.clientOrderId)
      for (const at of [0, 1, 2]) await reconciler.reconcile(minutes(at))
      broker.put(report)
      await reconciler.reconcile(minutes(30))
      broker.accepted.delete(report.clientOrderId)
      await reconciler.reconcile(minutes(31))
      const before = asked()
      await reconciler.reconcile(minutes(31.2))
      assert.equal(asked(), before + 1)
    })

    it('goes on alerting while the broker knows another order of the same signal', async () => {
      const { signal, report } = await working()
      const exit = orderReport(signal, { role: 'exit' })
      await recordAccepted(em, exit)
      broker.put(exit)
      broker.accepted.delete(report.clientOrderId)
      for (const at of [0, 1, 2]) await reconciler.reconcile(minutes(at))
      assert.deepEqual(await alerts(), [['order_unknown_at_broker', signal.id]])
      broker.put(report)
      await reconciler.reconcile(minutes(30))
      assert.deepEqual(await alerts(), [])
    })

    it('order desk of orders that the broker does not know that are declared lost end at once for their workflow, and may still fill late', async () => {
      const { signal, report } = await working()
      const { id } = await orderIn(em, report.clientOrderId)
      assert.equal(await declareOrderLost(em, id, { by: 'an operator', missed: 0 }), 'known_at_broker')
      await reconciler.apply(withFill(report, '4'))
      broker.accepted.delete(report.clientOrderId)
      await reconciler.reconcile(minutes(0))
      await reconciler.reconcile(minutes(1))
      assert.deepEqual(await alerts(), [['order_unknown_at_broker', signal.id]])
      const lost = await declareOrderLost(em, id, { by: 'an operator', missed: 0 })
      assert.ok(typeof lost === 'object' && lost.filledQuantity === '4')
      assert.equal(await declareOrderLost(em, id, { by: 'an operator', missed: 0 }), 'ended')
      assert.deepEqual(await alerts(), [])
      await reconciler.reconcile(minutes(1.2))
      assert.deepEqual(statuses(), ['CANCELLED 4'])
      broker.put({ ...withFill(report, '10'), status: 'FILLED' })
      await reconciler.reconcile(minutes(30))
      assert.deepEqual(statuses(), ['CANCELLED 4', 'FILLED 10'])
    })

    it('reminds the workflow of an ended order with the state of the ledger', async () => {
      const { report } = await working()
      await reconciler.apply(withFill(report, '10'))
      broker.accepted.delete(report.clientOrderId)
      await reconciler.reconcile(inFourSeconds())
      assert.deepEqual(statuses(), ['FILLED 10', 'FILLED 10'])
      assert.deepEqual(announced[1]?.report.side, 'BUY')
    })
  })

  it('takes up open orders of ours that the ledger lacks, and no others', async () => {
    const signal = await createSignal(em, { accountId })
    const elsewhere = await createSignal(em)
    const reports = [
      orderReport(signal),
      orderReport(elsewhere),
      { ...orderReport(signal), clientOrderId: 'by-hand' },
    ]
    for (const report of reports) broker.put(withFill(report, '4'))
    assert.equal(await reconciler.reconcile(Date.now()), 1)
    assert.equal(Number((await orderIn(em, reports[0]!.clientOrderId)).filledQuantity), 4)
    assert.deepEqual(await ordersOf(em, elsewhere.id), [])
  })

  it('order desk takes up orders of ours that the ledger lacks and that have ended, filled or not, and none that the broker has refused', async () => {
    const ends = ['CANCELLED', 'EXPIRED', 'REJECTED'] as const
    const signals = await Promise.all(ends.map(() => createSignal(em, { accountId })))
    for (const [at, status] of ends.entries()) broker.put({ ...orderReport(signals[at]!), status })
    assert.equal(await reconciler.reconcile(Date.now(), dayBefore()), 2)
    for (const [at, status] of ends.entries())
      assert.deepEqual(
        (await ordersOf(em, signals[at]!.id)).map((order) => order.status),
        status === 'REJECTED' ? [] : [status],
      )
  })

  describe('given a fill that comes after the signal has ended', () => {
    // That its entry ended early is told by an alert of its own.
    const alerts = () =>
      em.fork().find(Alert, { accountId, resolvedAt: null, kind: { $ne: 'ended_unfilled' } })
    /** Ends a signal whose entry was cancelled with that much of it filled. */
    async function ended(filledQuantity: Decimal, terms: Partial<Signal>, cancelledBy: string | null = null) {
      const { signal, report } = await working(terms)
      const end = {
        ...(filledQuantity === '0' ? report : withFill(report, filledQuantity)),
        status: 'CANCELLED' as const,
      }
      await reconciler.apply(end)
      await recordClosed(em, signal.id, end.submittedAt, {
        message: 'the end',
        acknowledges: [end],
        exit: null,
        rejected: false,
        unprotected: null,
        closing: 1,
        entryFilled: filledQuantity,
        progress: exitBegins(2),
      })
      await em.execute(
        'update signals set exit_cancelled_by = ? where id = ?',
        [cancelledBy, signal.id],
        'run',
      )
      announce = async () => false
      return { signal, late: { ...withFill(report, '5'), status: 'CANCELLED' as const }, end }
    }

    it('opens one with an exit again, and leaves the settling to it', async () => {
      const { signal, late } = await ended('2', { exitRule: exitAtOnce })
      await reconciler.apply(late)
      assert.deepEqual(reopened, [signal.id])
      assert.equal((await orderIn(em, late.clientOrderId)).endAcknowledgedAt, null)
      await reconciler.reconcile(inFourSeconds())
      assert.equal(reopened.length, 2)
    })

    it('opens none again whose exit a person has cancelled: its owner is alerted', async () => {
      const { late } = await ended('2', { exitRule: exitAtOnce }, 'Ann')
      await reconciler.apply(late)
      assert.deepEqual(reopened, [])
      assert.deepEqual(
        (await alerts()).map(({ kind }) => kind),
        ['fill_after_end'],
      )
    })

    it('opens none again for an exit that filled further: its owner is alerted', async () => {
      const { signal } = await ended('2', { exitRule: exitAtOnce })
      await reconciler.apply({ ...withFill(orderReport(signal, { role: 'exit' }), '2'), status: 'CANCELLED' })
      assert.deepEqual(reopened, [])
      const [alert] = await alerts()
      assert.match(alert!.message, /a fill of the exit after the signal had ended \(SELL 2 AAPL in all/)
    })

    it('alerts the owner of one without an exit, once, and settles it', async () => {
      const { signal, late } = await ended('0', {})
      await reconciler.apply(late)
      await reconciler.apply(late)
      await reconciler.reconcile(inFourSeconds())
      const [alert, ...others] = await alerts()
      assert.deepEqual(others, [])
      assert.deepEqual([alert?.kind, alert?.signalId], ['fill_after_end', signal.id])
      assert.match(alert!.message, /BUY 5 AAPL in all, 0 of it known by then.*no exit follows/)
      assert.ok((await orderIn(em, late.clientOrderId)).endAcknowledgedAt)
      assert.deepEqual(reopened, [])
    })

    it('starts one again whose workflow is missing before it has ended, and settles nothing meanwhile', async () => {
      const { report } = await working()
      announce = async () => false
      await reconciler.apply(withFill(report, '10'))
      assert.deepEqual(await alerts(), [])
      assert.equal((await orderIn(em, report.clientOrderId)).endAcknowledgedAt, null)
      announce = async () => true
      await reconciler.reconcile(inFourSeconds())
      assert.deepEqual(statuses(), ['FILLED 10', 'FILLED 10'])
      assert.equal(reopened.length, 1)
    })

    it('order desk given a fill that comes after the signal has ended does nothing about fills that the signal had taken into account', async () => {
      const { end } = await ended('2', { exitRule: exitAtOnce })
      await em.execute('update orders set end_acknowledged_at = null where client_order_id = ?', [
        end.clientOrderId,
      ])
      await reconciler.reconcile(inFourSeconds())
      assert.ok((await orderIn(em, end.clientOrderId)).endAcknowledgedAt)
      assert.deepEqual([reopened, await alerts()], [[], []])
    })
  })

  it('notifies its owner of a manual order that was refused and fills all the same, and of no other one', async () => {
    announce = async () => false
    const account = await em.fork().findOneOrFail(Account, { id: accountId })
    for (const filled of ['0', '4'] as const) {
      const terms = await placedByHand(em, account)
      await recordNotPlaced(em, terms.signalId, terms.acceptedAt, {
        outcome: 'rejected',
        code: 'BROKER_ERROR',
        detail: 'no',
      })
      const report = acceptanceOf(terms)
      await reconciler.apply({ ...(filled === '0' ? report : withFill(report, filled)), status: 'CANCELLED' })
      assert.ok((await orderIn(em, report.clientOrderId)).endAcknowledgedAt)
    }
    const late = await em.fork().find(Alert, { accountId, kind: 'fill_after_end' })
    assert.deepEqual(
      late.map(({ message }) => /\(.*\)/.exec(message)?.[0]),
      ['(BUY 4 AAPL in all)'],
    )
  })
})
