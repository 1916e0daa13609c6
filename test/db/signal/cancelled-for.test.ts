import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { readCancelMarks, recordCancelledFor } from '#db/exit/exits.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { acceptanceOf, entryIdOf, placedByHand } from '#test/support/placed-by-hand.ts'

const AT = '2026-03-02T15:00:02.000Z'
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()

describe('the order for which an exit was cancelled', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  let account: Account
  let exit: OrderReport
  let owner: Signal
  beforeEach(async () => {
    account = await createAccount(em)
    owner = await createSignal(em, { accountId: account.id })
    exit = orderReport(owner, { role: 'exit' })
    await recordAccepted(em, exit)
  })
  const closing = (): Promise<Signal> => createSignal(em, { accountId: account.id, action: 'closeLong' })

  /** The broker is asked to cancel the exit for the other order, so many seconds ago. */
  async function asked(closer: string, seconds: number): Promise<void> {
    const { clientOrderId } = exit
    await recordCancelledFor(em, { clientOrderId }, closer, AT)
    await em.execute(
      'update orders set cancelled_for_at = cancelled_for_at - make_interval(secs => ?) where client_order_id = ?',
      [seconds, clientOrderId],
      'run',
    )
  }
  const ends = (changes: Partial<OrderReport> = {}) =>
    applyOrderReport(em, account.id, { ...exit, status: 'CANCELLED', endedAt: ago(0), ...changes })
  const cancelledFor = async () => (await readCancelMarks(em, exit.clientOrderId)).cancelledFor

  it('the order for which an exit was cancelled is the close that is under way, however long ago it asked', async () => {
    const { id } = await closing()
    await asked(`${id}-e1`, 3_600)
    await ends()
    assert.equal(await cancelledFor(), `${id}-e1`)
  })

  const notPlaced = (outcome: 'rejected' | 'not_placed') => (signalId: string) =>
    recordNotPlaced(em, signalId, AT, { outcome, code: 'BROKER_ERROR', detail: 'no' })
  const over: [how: string, ended: (id: string) => Promise<unknown>][] = [
    ['has become too old', notPlaced('not_placed')],
    ['was rejected by its broker', notPlaced('rejected')],
    ['was withdrawn', (id) => recordCancelled(em, id, AT, { reason: 'WITHDRAWN', detail: 'by ann' })],
    [
      'was filled',
      async (id) => {
        const report = orderReport({ ...owner, id }, { side: 'SELL' })
        await recordAccepted(em, withFill(report, '4'))
        await applyOrderReport(em, account.id, withFill(report, '10'))
      },
    ],
  ]
  for (const [how, end] of over)
    it(`the order for which an exit was cancelled is a close that ${how} before the cancel that it asked for is confirmed, and none when another actor cancels the exit later`, async () => {
      for (const [seconds, counts] of [
        [50, true],
        [61, false],
      ] as const) {
        const { id } = await closing()
        await asked(`${id}-e1`, seconds)
        await end(id)
        await ends()
        assert.equal(await cancelledFor(), counts ? `${id}-e1` : null)
        exit = orderReport(owner, { role: 'exit', generation: 2 })
        await recordAccepted(em, exit)
      }
    })

  it('the order for which an exit was cancelled is a close whose cancel was carried out in time, though that becomes known an hour later', async () => {
    const { id } = await closing()
    await asked(`${id}-e1`, 3_600)
    await notPlaced('not_placed')(id)
    await ends({ endedAt: ago(3_595) })
    assert.equal(await cancelledFor(), `${id}-e1`)
  })

  it('the order for which an exit was cancelled does not depend on a clock of the broker that is ahead, nor on whether it says when the exit has ended', async () => {
    const { id } = await closing()
    await asked(`${id}-e1`, 10)
    await notPlaced('not_placed')(id)
    await ends({ endedAt: ago(-600) })
    assert.equal(await cancelledFor(), `${id}-e1`)
    const second = orderReport(owner, { role: 'exit', generation: 2 })
    await recordAccepted(em, second)
    exit = second
    await asked(`${id}-e1`, 61)
    await ends({ endedAt: null })
    assert.equal(await cancelledFor(), null)
  })

  it('the order for which an exit was cancelled is a sale by hand until that has ended', async () => {
    const sale = await placedByHand(em, account, { side: 'SELL' })
    const closer = entryIdOf(sale)
    await asked(closer, 3_600)
    await ends()
    assert.equal(await cancelledFor(), closer)
    exit = orderReport(owner, { role: 'exit', generation: 2 })
    await recordAccepted(em, exit)
    await asked(closer, 61)
    await applyOrderReport(em, account.id, acceptanceOf(sale, { status: 'CANCELLED' }))
    await ends()
    assert.equal(await cancelledFor(), null)
  })

  it('stays what it was at the end of the exit, after any later report', async () => {
    const { id } = await closing()
    await asked(`${id}-e1`, 3_600)
    await ends()
    await notPlaced('not_placed')(id)
    await ends({ filledQuantity: '4', avgFillPrice: '100', filledAt: ago(0) })
    assert.equal(await cancelledFor(), `${id}-e1`)
  })

  it('the order for which an exit was cancelled is none of an exit that had ended by itself before its broker was asked', async () => {
    const { id } = await closing()
    await ends()
    await asked(`${id}-e1`, 5)
    assert.equal(await cancelledFor(), null)
    const requests = (await timelineOf(em, owner.id)).filter(({ kind }) => kind === 'cancel_requested')
    assert.deepEqual(requests, [])
  })

  it('the order for which an exit was cancelled is reported again each time that its broker is asked', async () => {
    const { id } = await closing()
    await asked(`${id}-e1`, 3_600)
    await asked(`${id}-e1`, 5)
    await notPlaced('not_placed')(id)
    await ends()
    assert.equal(await cancelledFor(), `${id}-e1`)
  })
})
