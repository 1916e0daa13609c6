import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import {
  acknowledgeEnds,
  recordClosed,
  recordAccepted,
  recordExitScheduled,
  recordExitTrouble,
  recordNotPlaced,
  recordTransmitted,
} from '#db/signal/ledger.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { IllegalTransition } from '#db/signal/ledger-write.ts'
import { orderIdFor } from '#db/order/order-rows.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { Alert, type Signal } from '#db/entities/index.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import type { OrderReport, AcknowledgedEnd } from '#domain/order/order.ts'
import { SIGNAL_STATUSES, type SignalStatus } from '#domain/signal/signal.ts'
import { orderIn, ordersOf, signalIn, timelineOf } from '#test/support/ledger.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { useDatabase } from '#test/support/database.ts'

const AT = '2026-03-02T15:00:02.000Z'
const PLAN = { submitAt: '2026-03-02T15:30:00.000Z', reason: null } as const

describe('ledger', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const kinds = async (signal: Signal) => (await timelineOf(em, signal.id)).map(({ kind }) => kind)

  /** What a step leaves behind, apart from the moment of writing. */
  async function books(signal: Signal) {
    const row = await signalIn(em, signal.id)
    const timeline = await timelineOf(em, signal.id)
    return {
      signal: { ...row, updatedAt: null, workflowStartedAt: row.workflowStartedAt !== null },
      orders: (await ordersOf(em, signal.id)).map(
        ({ createdAt: _, updatedAt: __, endAcknowledgedAt, ...order }) => ({
          ...order,
          settled: endAcknowledgedAt !== null,
        }),
      ),
      timeline: timeline.map(({ key, kind, at, message, data }) => ({ key, kind, at, message, data })),
    }
  }
  /** A step by which a signal comes to a status. */
  const to = {
    executed: (signal: Signal) => recordAccepted(em, orderReport(signal)),
    transmitted: ({ id }: Signal) => recordTransmitted(em, id, AT, 'timeout'),
    rejected: ({ id }: Signal) => recordNotPlaced(em, id, AT, refusal),
    error: ({ id }: Signal) => recordNotPlaced(em, id, AT, tooOld),
  }
  const exitSizeFacts = async ({ id }: Signal) => {
    const { exitStatus, exitReason, exitOrderId } = await signalIn(em, id)
    return [exitStatus, exitReason ?? null, exitOrderId]
  }
  const progressOf = ({
    status,
    filledQuantity,
    avgFillPrice,
  }: {
    status: string
    filledQuantity?: unknown
    avgFillPrice?: unknown
  }) => [status, Number(filledQuantity), Number(avgFillPrice)]

  describe('of a step', () => {
    const trouble = (kind: 'rejected' | 'unknown') => (signal: Signal) =>
      recordExitTrouble(em, signal.id, AT, exitTrouble(kind))
    const ends =
      (changes = {}) =>
      (signal: Signal) =>
        recordClosed(em, signal.id, AT, { ...endOf(orderReport(signal)), ...changes })
    const planned = (signal: Signal) =>
      recordExitScheduled(em, signal.id, AT, {
        entry: orderReport(signal),
        plan: PLAN,
        progress: exitBegins(1),
      })
    const exitAccepted = (signal: Signal) => recordAccepted(em, orderReport(signal, { role: 'exit' }))
    type Step = [
      name: string,
      from: SignalStatus,
      act: (signal: Signal) => Promise<unknown>,
      to: SignalStatus,
      kind: string,
    ]
    const steps: Step[] = [
      ['an accepted entry', 'queued', to.executed, 'executed', 'acknowledged'],
      ['an entry whose outcome is unknown', 'queued', to.transmitted, 'transmitted', 'transmitted'],
      ['a refused entry', 'transmitted', to.rejected, 'rejected', 'rejected'],
      ['an entry that was not sent', 'queued', to.error, 'error', 'not_placed'],
      ['a planned exit', 'executed', planned, 'executed', 'exit_planned'],
      ['an accepted exit', 'executed', exitAccepted, 'executed', 'acknowledged'],
      ['a refused exit', 'executed', trouble('rejected'), 'executed', 'rejected'],
      ['an exit whose outcome is unknown', 'executed', trouble('unknown'), 'executed', 'transmitted'],
      ['the end of the story', 'executed', ends(), 'executed', 'closed'],
      [
        'an entry that was rejected after its acceptance',
        'executed',
        ends({ rejected: true }),
        'rejected',
        'closed',
      ],
    ]
    for (const [name, from, act, status, kind] of steps)
      it(`${name} written twice, or ten times at once, leaves the same as written once`, async () => {
        const given = { status: from, exitRule: exitAtOnce, exitStatus: 'waiting' } as const
        const signal = await createSignal(em, given)
        const first = await act(signal)
        const once = await books(signal)
        assert.deepEqual([once.signal.status, once.signal.workflowStartedAt], [status, true])
        assert.deepEqual(await kinds(signal), [kind])
        assert.deepEqual(await act(signal), first)
        assert.deepEqual(await books(signal), once)

        const atOnce = await createSignal(em, given)
        await Promise.all(Array.from({ length: 10 }, () => act(atOnce)))
        assert.deepEqual([await kinds(atOnce), (await signalIn(em, atOnce.id)).status], [[kind], status])
        assert.ok((await ordersOf(em, atOnce.id)).length <= 1)
      })

    it('ledger of a step of a signal that does not exist throws and writes nothing', async () => {
      const { accountId } = await createSignal(em)
      const signal = { id: '00000000-0000-4000-8000-000000000000', accountId }
      await assert.rejects(recordAccepted(em, orderReport(signal)), IllegalTransition)
      assert.deepEqual(await ordersOf(em, signal.id), [])
      assert.deepEqual(await timelineOf(em, signal.id), [])
    })
  })

  describe('of a step that the transition table does not list', () => {
    /** Written out, so that a slip in the table itself shows. */
    const allowed: Record<keyof typeof to, SignalStatus[]> = {
      executed: ['pending', 'scheduled', 'queued', 'transmitted', 'executed'],
      transmitted: ['pending', 'scheduled', 'queued', 'transmitted'],
      rejected: ['pending', 'scheduled', 'queued', 'transmitted', 'executed', 'rejected'],
      error: ['pending', 'scheduled', 'queued', 'transmitted', 'error'],
    }
    for (const target of ['executed', 'transmitted', 'rejected', 'error'] as const)
      for (const from of SIGNAL_STATUSES)
        if (allowed[target].includes(from))
          it(`${from} -> ${target} is written`, async () => {
            const signal = await createSignal(em, { status: from })
            await to[target](signal)
            assert.equal((await signalIn(em, signal.id)).status, target)
          })
        else if (from !== 'executed' || target !== 'transmitted')
          it(`${from} -> ${target} throws and writes nothing`, async () => {
            const signal = await createSignal(em, { status: from })
            const untouched = await books(signal)
            await assert.rejects(to[target](signal), (error: unknown) => {
              assert.ok(error instanceof IllegalTransition)
              assert.match(error.message, new RegExp(`${signal.id} is ${from} and cannot become ${target}`))
              return true
            })
            assert.deepEqual(await books(signal), untouched)
          })

    it('executed -> transmitted writes nothing, because the acceptance on record is better than a doubt', async () => {
      const signal = await createSignal(em, { status: 'executed' })
      const untouched = await books(signal)
      await recordTransmitted(em, signal.id, AT, 'timeout')
      assert.deepEqual(await books(signal), untouched)
    })

    for (const status of ['transmitted', 'executed', 'rejected', 'cancelled', 'error'] as const)
      it(`${status} -> queued writes nothing, because a workflow that is done over takes its first step again`, async () => {
        const signal = await createSignal(em, { status })
        const untouched = await books(signal)
        await recordDue(em, signal.id, AT, null)
        assert.deepEqual(await books(signal), untouched)
      })
  })

  describe('of an accepted entry and the feed', () => {
    const stories: [name: string, heard: (accepted: OrderReport) => OrderReport[]][] = [
      ['that says it works', (accepted) => [accepted]],
      ['that has filled a part', (accepted) => [withFill(accepted, '4')]],
      ['that has filled it', (accepted) => [withFill(accepted, '4'), withFill(accepted, '10')]],
      ['that ended without a fill', (accepted) => [{ ...accepted, status: 'REJECTED', reason: 'halted' }]],
    ]
    for (const [name, heard] of stories)
      it(`${name} leave the same ledger, whichever comes first`, async () => {
        const told = async (feedFirst: boolean) => {
          const signal = await createSignal(em)
          const accepted = orderReport(signal)
          const feed = async () => {
            for (const report of heard(accepted)) await applyOrderReport(em, signal.accountId, report)
          }
          if (feedFirst) await feed()
          const { report, orderId } = await recordAccepted(em, accepted)
          assert.equal(orderId, orderIdFor(accepted.clientOrderId))
          if (feedFirst) assert.deepEqual(progressOf(report), progressOf(heard(accepted).at(-1)!))
          if (!feedFirst) await feed()
          const { id, userId, accountId, acceptedAt, ...row } = (await books(signal)).signal
          const order = await orderIn(em, accepted.clientOrderId)
          assert.equal(row.orderId, orderIdFor(accepted.clientOrderId))
          const { symbol, side, quantity, reason, filledAt } = order
          return {
            row: { ...row, orderId: null },
            order: [symbol, side, quantity, reason, filledAt, ...progressOf(order)],
            told: (await kinds(signal)).toSorted(),
          }
        }
        assert.deepEqual(await told(true), await told(false))
      })

    it('ledger of an accepted entry and the feed both at once, ten times over, leave one order with all of its fill', async () => {
      for (let round = 0; round < 10; round++) {
        const signal = await createSignal(em)
        const accepted = orderReport(signal)
        const [first, filled, , second] = await Promise.all([
          recordAccepted(em, accepted),
          applyOrderReport(em, signal.accountId, withFill(accepted, '10')),
          applyOrderReport(em, signal.accountId, withFill(accepted, '4')),
          recordAccepted(em, withFill(accepted, '4')),
        ])
        // The record that comes after the fill tells of it, or else the feed does.
        const isNotifiedOf = [first, second].some(({ report }) => report.status === 'FILLED')
        assert.ok(isNotifiedOf || !filled!.isReportedByAcceptance, 'nobody tells the workflow of the fill')
        const { status, filledQuantity, orderId } = await signalIn(em, signal.id)
        assert.deepEqual([status, Number(filledQuantity)], ['executed', 10])
        const orders = await ordersOf(em, signal.id)
        assert.deepEqual(
          orders.map((order) => [order.id, order.status, Number(order.filledQuantity)]),
          [[orderId, 'FILLED', 10]],
        )
      }
    })
  })

  it('an entry that is filled in its own acceptance shows the fill in order, signal and timeline', async () => {
    const signal = await createSignal(em)
    const filled = withFill(orderReport(signal), '10')
    await recordAccepted(em, filled)
    const order = await orderIn(em, filled.clientOrderId)
    assert.deepEqual(progressOf(order), ['FILLED', 10, 100])
    assert.equal(order.filledAt?.toISOString(), filled.filledAt)
    assert.deepEqual(progressOf(await signalIn(em, signal.id)), ['executed', 10, 100])
    assert.deepEqual(await kinds(signal), ['acknowledged', 'order_progress'])
  })

  it('an exit that is filled in its own acceptance leaves the signal’s entry fill alone', async () => {
    const signal = await createSignal(em, withExit)
    const exit = withFill(orderReport(signal, { role: 'exit' }), '10')
    await recordAccepted(em, exit)
    assert.deepEqual(await exitSizeFacts(signal), ['submitted', null, orderIdFor(exit.clientOrderId)])
    assert.equal(Number((await signalIn(em, signal.id)).filledQuantity), 0)
    assert.equal((await orderIn(em, exit.clientOrderId)).status, 'FILLED')
  })

  it('an exit refused in two generations reports both', async () => {
    const signal = await createSignal(em, { status: 'executed' })
    for (const generation of [1, 2, 2])
      await recordExitTrouble(em, signal.id, AT, { ...exitTrouble('rejected'), generation })
    assert.deepEqual(
      (await timelineOf(em, signal.id)).map(({ key }) => key),
      ['exit-rejected-1', 'exit-rejected-2'],
    )
    assert.equal((await signalIn(em, signal.id)).exitReason, 'no money')
  })

  it('an exit that is at the broker stays so after any late write of an attempt that was given up', async () => {
    const signal = await createSignal(em, withExit)
    const exit = orderReport(signal, { role: 'exit' })
    await recordAccepted(em, exit)
    await recordExitTrouble(em, signal.id, AT, exitTrouble('unknown'))
    assert.deepEqual(await exitSizeFacts(signal), ['submitted', null, orderIdFor(exit.clientOrderId)])
  })

  it('an exit that ended early is due again under the next number, until that is at the broker', async () => {
    const signal = await createSignal(em, { status: 'executed', exitRule: exitAtOnce })
    await recordAccepted(em, orderReport(signal, { role: 'exit' }))
    await recordExitTrouble(em, signal.id, AT, { ...exitTrouble('rejected'), kind: 'ended', code: null })
    const open = async () =>
      (await em.fork().find(Alert, { signalId: signal.id, resolvedAt: null })).map(({ kind }) => kind)
    assert.deepEqual(await open(), ['unprotected_position'])
    assert.equal((await signalIn(em, signal.id)).exitStatus, 'scheduled')
    const next = orderReport(signal, { role: 'exit', generation: 2 })
    await recordAccepted(em, next)
    assert.deepEqual(await exitSizeFacts(signal), ['submitted', null, orderIdFor(next.clientOrderId)])
    assert.deepEqual(await open(), [])
  })

  it('an order that works is not settled by a workflow that thinks it has ended', async () => {
    const signal = await createSignal(em)
    const entry = orderReport(signal)
    await recordAccepted(em, entry)
    await acknowledgeEnds(em, signal.id, [entry])
    assert.equal((await orderIn(em, entry.clientOrderId)).endAcknowledgedAt, null)
  })

  it('a signal that places no entry has its exit cancelled; one that asked for none has none', async () => {
    const rows: Signal[] = []
    for (const fields of [{ exitRule: exitAtOnce, exitStatus: 'waiting' } as const, {}]) {
      const { id } = await createSignal(em, fields)
      await recordNotPlaced(em, id, AT, refusal)
      rows.push(await signalIn(em, id))
    }
    const [first, second] = rows
    assert.deepEqual([first!.exitStatus, second!.exitStatus], ['cancelled', null])
    assert.deepEqual([first!.statusReason, first!.statusDetail], [refusal.code, refusal.detail])
  })

  it('the end of the story settles the order that ended it', async () => {
    const signal = await createSignal(em)
    const filled = withFill(orderReport(signal), '10')
    await recordAccepted(em, filled)
    assert.equal((await orderIn(em, filled.clientOrderId)).endAcknowledgedAt, null)
    await recordClosed(em, signal.id, AT, endOf(filled))
    const { endAcknowledgedAt } = await orderIn(em, filled.clientOrderId)
    assert.ok(endAcknowledgedAt)
    await recordClosed(em, signal.id, AT, endOf(filled))
    assert.deepEqual((await orderIn(em, filled.clientOrderId)).endAcknowledgedAt, endAcknowledgedAt)
  })

  it('an accepted order whose broker id belongs to another order is an error, not a silence', async () => {
    const signal = await createSignal(em, { status: 'executed' })
    const first = orderReport(signal, { role: 'exit', generation: 1 })
    await recordAccepted(em, first)
    const second = orderReport(signal, { role: 'exit', generation: 2, brokerOrderId: first.brokerOrderId })
    await assert.rejects(recordAccepted(em, second), /is not in the ledger/)
  })
})

const withExit = { status: 'executed', exitRule: exitAtOnce, exitStatus: 'scheduled' } as const
const refusal = {
  outcome: 'rejected',
  code: 'INSUFFICIENT_FUNDS',
  detail: 'buying power of 5 is too small',
} as const
const tooOld = { outcome: 'not_placed', code: 'STALE', detail: 'too old' } as const
const exitTrouble = (kind: 'rejected' | 'unknown') =>
  ({
    generation: 1,
    kind,
    code: 'INSUFFICIENT_FUNDS',
    detail: 'no money',
    acknowledges: [] as AcknowledgedEnd[],
  }) as const
const endOf = (report: OrderReport) => ({
  message: 'ended',
  acknowledges: [report],
  exit: { generation: 1, status: 'filled', reason: null } as const,
  rejected: false,
  unprotected: null,
  closing: 1,
  entryFilled: '0' as const,
  progress: exitBegins(),
})
