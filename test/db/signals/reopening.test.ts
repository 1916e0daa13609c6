import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, SignalEvent, type Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { recordAccepted, recordClosed, recordExitPlanned } from '#db/signals/ledger.ts'
import { acknowledgeUnfollowed, reopenSignal } from '#db/signals/reopening.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { exitBegins } from '#domain/exit-progress.ts'
import type { OrderReport } from '#domain/order.ts'
import { useDatabase } from '#test/support/database.ts'
import { orderIn } from '#test/support/ledger.ts'

const AT = '2026-03-02T15:00:02.000Z'

describe('a signal that is opened again', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let signal: Signal
  const ends = (closing: number, ...reports: OrderReport[]) =>
    recordClosed(em, { signalId: signal.id }, AT, {
      message: 'over',
      acknowledges: [],
      exit: null,
      rejected: false,
      unprotected: null,
      closing,
      reopenState: {
        resumeState: { end: closing, reports: reports.map((report) => ({ report, newsAt: AT })) },
      },
    })
  const openedBy = async (run: string) =>
    (await reopenSignal<{ end: number }>(em, signal.id, AT, run))?.end ?? null
  const alerts = async (): Promise<string[]> =>
    (await em.fork().find(Alert, { signalId: signal.id, resolvedAt: null })).map(({ kind }) => kind)
  beforeEach(async () => {
    signal = await createSignal(em)
    await recordAccepted(em, signal.accountId, orderReport(signal))
    await ends(1)
  })

  it('goes on in one run, however often that asks, and in no other before it has ended again', async () => {
    assert.deepEqual(await openedBy('one'), 1)
    assert.deepEqual(await openedBy('one'), 1)
    assert.equal(await openedBy('other'), null)
    await ends(1)
    assert.equal(await openedBy('other'), null, 'the first end is only recorded again')
    await ends(2)
    assert.deepEqual(await openedBy('other'), 2)
  })

  it('a signal that is opened again is planned an exit for after that in its timeline, though the plan counts from the end of its entry', async () => {
    await openedBy('one')
    const entry = withFill(orderReport(signal), '10')
    const plan = { submitAt: AT, reason: null }
    await recordExitPlanned(em, signal.id, '2026-03-02T15:00:01.000Z', {
      entry,
      plan,
      progress: exitBegins(1),
    })
    const told = await em
      .fork()
      .find(SignalEvent, { signalId: signal.id }, { orderBy: { at: 'asc', sequence: 'asc' } })
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['acknowledged', 'closed', 'reopened', 'exit_planned'],
    )
  })

  it('a signal that is opened again in two runs at once goes on in one of them', async () => {
    const opened = await Promise.all(['one', 'other', 'third'].map(openedBy))
    assert.equal(opened.filter((state) => state !== null).length, 1)
  })

  it('alerts its owner once, also when the run asks again after the alert was dealt with', async () => {
    await openedBy('one')
    assert.deepEqual(await alerts(), ['fill_after_end'])
    await em.execute('update alerts set resolved_at = now() where signal_id = ?', [signal.id], 'run')
    await openedBy('one')
    assert.deepEqual(await alerts(), [])
  })

  it('a signal that is opened again is not opened, nor its owner alerted, a second time for the same fill by a run that comes late', async () => {
    const filled = withFill(orderReport(signal), '4')
    await applyOrderReport(em, signal.accountId, filled)
    assert.deepEqual(await openedBy('one'), 1)
    await ends(2, filled)
    assert.deepEqual([await openedBy('late'), await alerts()], [null, []])
    await applyOrderReport(em, signal.accountId, withFill(orderReport(signal), '10'))
    assert.equal(await openedBy('third'), 2)
    assert.deepEqual(await alerts(), ['fill_after_end'])
  })

  it('a signal that is opened again is not settled by who knows of less than has filled', async () => {
    const filled = withFill(orderReport(signal), '10')
    await applyOrderReport(em, signal.accountId, filled)
    const isSettled = async () => (await orderIn(em, filled.clientOrderId)).endAcknowledgedAt !== null
    await acknowledgeUnfollowed(em, { clientOrderId: filled.clientOrderId, filledQuantity: '4' }, null)
    assert.equal(await isSettled(), false)
    await acknowledgeUnfollowed(em, { clientOrderId: filled.clientOrderId, filledQuantity: '10' }, null)
    assert.equal(await isSettled(), true)
  })
})
