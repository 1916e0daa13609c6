import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, SignalEvent, type Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordExitCancelled } from '#db/signal/decision-ledger.ts'
import { recordAccepted, recordClosed, recordExitScheduled } from '#db/signal/ledger.ts'
import { findOpenSignal } from '#db/signal/record.ts'
import { acknowledgeUnfollowed, noteReopened } from '#db/signal/reopening.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import { useDatabase } from '#test/support/database.ts'
import { orderIn } from '#test/support/ledger.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'

const AT = '2026-03-02T15:00:02.000Z'

describe('a signal that is opened again', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let signal: Signal
  const ends = (closing: number, entryFilled: Decimal) =>
    recordClosed(em, signal.id, AT, {
      message: 'over',
      acknowledges: [],
      exit: null,
      rejected: false,
      unprotected: null,
      closing,
      entryFilled,
      progress: exitBegins(closing + 1),
    })
  const fills = (quantity: Decimal) =>
    applyOrderReport(em, signal.accountId, withFill(orderReport(signal), quantity))
  const isOpen = async (): Promise<boolean> => (await findOpenSignal(em, signal.id)) !== null
  const alerts = async (): Promise<string[]> =>
    (await em.fork().find(Alert, { signalId: signal.id, resolvedAt: null })).map(({ kind }) => kind)
  beforeEach(async () => {
    signal = await createSignal(em, { exitRule: exitAtOnce, exitStatus: 'waiting' })
    await recordAccepted(em, orderReport(signal))
    await ends(1, '0')
  })

  it('a signal that is opened again is open from a fill that its end has not counted until an end that has', async () => {
    assert.equal(await isOpen(), false)
    await fills('4')
    assert.equal(await isOpen(), true)
    await ends(1, '4')
    assert.equal(await isOpen(), true, 'the first end is only recorded again')
    await ends(2, '4')
    assert.equal(await isOpen(), false)
    await fills('10')
    assert.equal(await isOpen(), true)
  })

  it('a signal that is opened again by a late fill is none whose exit a person has cancelled, or which wanted none', async () => {
    assert.equal(await recordExitCancelled(em, signal.id, AT, { by: 'ann', generation: 2 }), 'stopped')
    await fills('4')
    assert.equal(await isOpen(), false)
    signal = await createSignal(em)
    await recordAccepted(em, orderReport(signal))
    await ends(1, '0')
    await fills('4')
    assert.equal(await isOpen(), false)
  })

  it('a signal that is opened again stays open while its exit order works, also once no exit is wanted any more', async () => {
    await fills('4')
    const order = orderReport(signal, { role: 'exit', generation: 2, side: 'SELL', quantity: '4' })
    await recordAccepted(em, order, { progress: exitBegins(3) })
    await em.execute(
      'update signals set exit_rule = null, protection = null where id = ?',
      [signal.id],
      'run',
    )
    assert.equal(await isOpen(), true)
    const exit = { generation: 3, status: 'filled', reason: null } as const
    await recordClosed(em, signal.id, AT, {
      message: 'over',
      acknowledges: [],
      exit,
      rejected: false,
      unprotected: null,
      closing: 2,
      entryFilled: '4',
      progress: exitBegins(4),
    })
    assert.equal(await isOpen(), false)
  })

  it('a signal that is opened again is planned an exit for after that in its timeline, though the plan counts from the end of its entry', async () => {
    await noteReopened(em, signal.id, AT)
    await recordExitScheduled(em, signal.id, '2026-03-02T15:00:01.000Z', {
      entry: withFill(orderReport(signal), '10'),
      plan: { submitAt: AT, reason: null },
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

  it('alerts its owner once for each end, also when it is loaded again after the alert was dealt with', async () => {
    await noteReopened(em, signal.id, AT)
    assert.deepEqual(await alerts(), ['fill_after_end'])
    await em.execute('update alerts set resolved_at = now() where signal_id = ?', [signal.id], 'run')
    await noteReopened(em, signal.id, AT)
    assert.deepEqual(await alerts(), [])
    await ends(2, '4')
    await noteReopened(em, signal.id, AT)
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
