import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { resumeStateOf } from '#api/watch/resume-state.ts'
import type { Signal } from '#db/entities/index.ts'
import type { SignalRecord } from '#db/watch/unfinished-work.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order.ts'
import { orderReport, withFill } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'

const NOW = '2026-03-02T15:00:00.000Z'

describe('the state of a signal told from the ledger', () => {
  const id = randomUUID()
  const entry = withFill(orderReport({ id }), '10')
  const exit = (generation: number, changes: Partial<OrderReport> = {}): OrderReport =>
    orderReport({ id }, { role: 'exit', generation, ...changes })
  const sized = (quantity: string, coversQuantity = quantity) => ({
    quantity,
    coversQuantity,
    notBefore: null,
  })
  const known = (report: OrderReport, cancelledFor: string | null = null) => ({
    report,
    newsAt: NOW,
    cancelledFor,
  })
  const record = (changes: Partial<SignalRecord> = {}, fields: Partial<Signal> = {}): SignalRecord => ({
    signal: {
      id,
      status: 'executed',
      executeMode: 'immediate',
      orderId: randomUUID(),
      statusReason: null,
      statusDetail: null,
      exitRule: exitAtOnce,
      ...fields,
    } as Signal,
    orders: [known(entry)],
    decisions: {},
    closings: 0,
    exitGeneration: 0,
    exitDueAt: null,
    exitCancelledBy: null,
    cancels: [],
    ...changes,
  })
  const told = (changes: Partial<SignalRecord> = {}, fields: Partial<Signal> = {}) =>
    resumeStateOf(record(changes, fields), NOW)
  const exitOf = (
    orders: OrderReport[],
    decisions: Record<string, unknown>,
    changes: Partial<SignalRecord> = {},
  ) =>
    told({
      orders: [entry, ...orders].map((report) => known(report)),
      decisions,
      ...changes,
    })!

  it('goes on waiting for a person where its entry is held for one', () => {
    for (const executeMode of ['immediate', 'scheduled'] as const) {
      const state = told(
        { orders: [], decisions: { entry: { outcome: 'held' } } },
        { status: 'pending', executeMode },
      )
      assert.deepEqual([state?.phase, state?.status, state?.orderId], ['waiting', 'pending', null])
    }
  })

  it('begins at the beginning before anything was decided', () => {
    const unsent = { orders: [] }
    assert.equal(told(unsent, { status: 'pending', executeMode: 'pending' }), null)
    assert.equal(told(unsent, { status: 'scheduled', executeMode: 'scheduled' }), null)
    assert.equal(told(unsent, { status: 'queued' }), null)
  })

  it('does not wait a second time for a person or a time that has come', () => {
    const state = told({ orders: [] }, { status: 'queued', executeMode: 'pending' })
    assert.deepEqual([state?.phase, state?.status], ['checking', 'queued'])
  })

  it('looks an entry up whose outcome is not known', () => {
    const state = told({ orders: [] }, { status: 'transmitted' })
    assert.deepEqual([state?.phase, state?.status, state?.reports], ['checking', 'transmitted', []])
  })

  it('follows an entry, with the cancel that was asked for', () => {
    const asked = { clientOrderId: entry.clientOrderId, by: 'ann' }
    const open = { ...entry, status: 'PARTIALLY_FILLED' as const }
    const state = told({ orders: [known(open)], cancels: [asked] })
    assert.deepEqual([state?.phase, state?.orderCancel], ['working', asked])
    assert.equal(told({ cancels: [asked] })?.orderCancel, undefined)
  })

  it('keeps a replaced signal whose order works cancelled', () => {
    const state = told({}, { status: 'cancelled', statusReason: 'SUPERSEDED' })
    assert.deepEqual([state?.phase, state?.status, state?.reason], ['working', 'cancelled', 'SUPERSEDED'])
  })

  it('plans an exit anew that nothing was decided about', () => {
    const state = told({ exitDueAt: '2026-03-02T15:30:00.000Z' })
    assert.deepEqual([state?.phase, state?.exit.generation, state?.exit.notBefore], ['working', 1, null])
  })

  it('sends an exit under the same id whose outcome is not known', () => {
    const { phase, exit: progress } = exitOf([], { 'exit-1': sized('10') })
    assert.deepEqual([phase, progress.generation, progress.workingOrder], ['exiting', 1, null])
  })

  it('follows an exit that works', () => {
    const { phase, exit: progress } = exitOf([exit(1)], { 'exit-1': sized('10') })
    const placed = { clientOrderId: clientOrderIdFor(id, 'exit', 1), quantity: '10', coversQuantity: '10' }
    assert.deepEqual([phase, progress.generation, progress.workingOrder], ['exiting', 2, placed])
  })

  it('believes the order at the broker, not the size that an older ledger holds', () => {
    const { exit: progress } = exitOf([exit(1)], { 'exit-1': sized('6', '8') })
    const { quantity, coversQuantity } = progress.workingOrder!
    assert.deepEqual([quantity, coversQuantity], ['10', '10'])
  })

  it('counts the shares that exits have closed, and none of a position that a person closed', () => {
    const filled = { ...exit(1), ...withFill(exit(1), '10') }
    assert.equal(exitOf([filled], { 'exit-1': sized('10') }).exit.coveredQuantity, '10')
    assert.equal(exitOf([], { 'exit-1': sized('0', '10') }).exit.coveredQuantity, '10')
  })

  it('waits for the next try of an exit that was refused, and then uses the next id', () => {
    const later = { exitDueAt: '2026-03-02T15:05:00.000Z' }
    const { exit: progress } = exitOf([], { 'exit-1': sized('10'), 'exit-2': sized('10') }, later)
    assert.deepEqual([progress.generation, progress.notBefore], [2, later.exitDueAt])
  })

  it('waits for the time that the calendar gives, and is planned by it again, of an exit that leaves on a later day', () => {
    const exitDueAt = '2026-03-03T14:30:00.000Z'
    const { phase, plannedFor, exit: progress } = exitOf([], { 'exit-1': sized('10') }, { exitDueAt })
    assert.deepEqual([phase, plannedFor, progress.notBefore], ['awaitingExit', exitDueAt, null])
  })

  it('sends another exit for the rest that a rejected exit has left', () => {
    const rejected = exit(1, { status: 'REJECTED', filledQuantity: '4' })
    const { exit: progress } = exitOf([rejected], { 'exit-1': sized('10') })
    assert.deepEqual([progress.coveredQuantity, progress.uncovered, progress.generation], ['4', null, 2])
  })

  it('leaves the rest of an exit with a limit price, and exits that a person has cancelled', () => {
    const cancelled = exit(1, { status: 'CANCELLED', filledQuantity: '4' })
    const left = exitOf([cancelled], { 'exit-1': sized('10') })
    assert.deepEqual(left.exit.uncovered, { quantity: '6', clientOrderId: cancelled.clientOrderId })
    const cancels = [{ clientOrderId: cancelled.clientOrderId, by: 'ann' }]
    assert.equal(exitOf([cancelled], { 'exit-1': sized('10') }, { cancels }).exitCancelledBy, 'ann')
  })

  it('uses no number that a person has stopped', () => {
    const filled = { ...exit(1), ...withFill(exit(1), '4') }
    const state = told(
      {
        orders: [entry, filled].map((report) => known(report)),
        decisions: { 'exit-1': sized('4'), 'exit-2': { stopped: true } },
        exitGeneration: 2,
      },
      { exitStatus: 'cancelled' },
    )
    assert.equal(state?.exit.generation, 3)
  })

  it('leaves the rest of an exit that has expired, though a person had asked to cancel it', () => {
    const expired = exit(1, { status: 'EXPIRED', filledQuantity: '4', orderType: 'limit', limitPrice: '110' })
    const cancels = [{ clientOrderId: expired.clientOrderId, by: 'ann' }]
    const exitRule = { ...exitAtOnce, orderType: 'limit', limitPrice: '110' } as const
    const orders = [entry, expired].map((report) => known(report))
    const state = told({ orders, decisions: { 'exit-1': sized('10') }, cancels }, { exitRule })
    assert.deepEqual([state?.exitCancelledBy, state?.exit.uncovered?.quantity], [null, '6'])
  })

  it('keeps an exit cancelled that a person has cancelled', () => {
    const state = exitOf([], { 'exit-1': { stopped: true } }, { exitCancelledBy: 'ann' })
    assert.deepEqual([state.phase, state.exitCancelledBy], ['working', 'ann'])
  })
})
