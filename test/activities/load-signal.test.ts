import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { stateOf } from '#activities/load.ts'
import type { Signal } from '#db/entities/index.ts'
import type { SignalRecord } from '#db/signal/record.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { describeExitEnd, exitBegins } from '#domain/exit/progress.ts'
import { EXIT_AT_MARKET } from '#domain/exit/exit.ts'
import { clientOrderIdFor, parseClientOrderId, type OrderReport } from '#domain/order/order.ts'
import { orderReport, withFill } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'

const NOW = '2026-03-02T15:00:00.000Z'
const createdSignal = { quantity: '10', acceptedAt: new Date(NOW) }

describe('the state of a signal read from the ledger', () => {
  const id = randomUUID()
  const entry = withFill(orderReport({ id }), '10')
  const exit = (generation: number, changes: Partial<OrderReport> = {}): OrderReport =>
    orderReport({ id }, { role: 'exit', generation, ...changes })
  const sized = (quantity: Decimal, coversQuantity = quantity) => ({
    quantity,
    coversQuantity,
    notBefore: null,
  })
  const known = (report: OrderReport, askedBy: string | null = null) => ({
    role: parseClientOrderId(report.clientOrderId)!.role,
    report,
    newsAt: NOW,
    marks: { askedBy, cancelledFor: null },
  })
  const record = (changes: Partial<SignalRecord> = {}, fields: Partial<Signal> = {}): SignalRecord => ({
    isOpen: true,
    hasEnded: false,
    signal: {
      ...createdSignal,
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
    exitProgress: null,
    exitCancelledBy: null,
    exitEndedBy: null,
    levelsSince: null,
    ...changes,
  })
  const told = (changes: Partial<SignalRecord> = {}, fields: Partial<Signal> = {}) =>
    stateOf(record(changes, fields))
  const exitOf = (
    orders: OrderReport[],
    decisions: Record<string, unknown>,
    changes: Partial<SignalRecord> = {},
    fields: Partial<Signal> = {},
  ) => told({ orders: [entry, ...orders].map((report) => known(report)), decisions, ...changes }, fields)

  it('goes on waiting for a person where its entry is held for one', () => {
    for (const executeMode of ['immediate', 'scheduled'] as const) {
      const state = told(
        { orders: [], decisions: { entry: { outcome: 'held' } } },
        { status: 'pending', executeMode },
      )
      assert.deepEqual([state.phase, state.status, state.orderId], ['waiting', 'pending', null])
    }
  })

  it('begins at the beginning before anything was decided', () => {
    for (const [status, executeMode, phase] of [
      ['pending', 'pending', 'waiting'],
      ['scheduled', 'scheduled', 'waiting'],
      ['queued', 'immediate', 'checking'],
    ] as const) {
      const state = told({ orders: [] }, { status, executeMode })
      assert.deepEqual([state.phase, state.status, state.exit], [phase, status, exitBegins()])
    }
  })

  it('the state of a signal read from the ledger has ended where nothing is open', () => {
    const state = told({ isOpen: false }, { status: 'rejected', statusReason: 'STALE' })
    assert.deepEqual([state.phase, state.status, state.reason], ['ended', 'rejected', 'STALE'])
  })

  it('the state of a signal read from the ledger adopts an entry that was sent, and the exits that followed it, though it waits by its record', () => {
    for (const [status, executeMode] of [
      ['pending', 'pending'],
      ['pending', 'immediate'],
      ['scheduled', 'scheduled'],
      ['queued', 'immediate'],
    ] as const) {
      const sold = withFill(exit(1), '10')
      const state = exitOf([sold], {}, {}, { status, executeMode })
      assert.deepEqual([state.phase, state.status, state.orderId], ['checking', status, null])
      assert.deepEqual(
        state.reports.map(({ report }) => report),
        [sold],
      )
    }
  })

  it('the state of a signal read from the ledger does not wait a second time for a person or a time that has come', () => {
    const state = told({ orders: [] }, { status: 'queued', executeMode: 'pending' })
    assert.deepEqual([state.phase, state.status], ['checking', 'queued'])
  })

  it('looks an entry up whose outcome is not known', () => {
    const state = told({ orders: [] }, { status: 'transmitted' })
    assert.deepEqual([state.phase, state.status, state.reports], ['checking', 'transmitted', []])
  })

  it('follows an entry, with the cancel that was asked for', () => {
    const asked = { clientOrderId: entry.clientOrderId, by: 'ann' }
    const open = { ...entry, status: 'PARTIALLY_FILLED' as const }
    const state = told({ orders: [known(open, 'ann')] })
    assert.deepEqual([state.phase, state.orderCancel], ['working', asked])
    assert.equal(told({ orders: [known(entry, 'ann')] }).orderCancel, null)
  })

  it('keeps a replaced signal whose order works cancelled', () => {
    const state = told({}, { status: 'cancelled', statusReason: 'SUPERSEDED' })
    assert.deepEqual([state.phase, state.status, state.reason], ['working', 'cancelled', 'SUPERSEDED'])
  })

  it('plans an exit again without a decision', () => {
    const state = told()
    assert.deepEqual([state.phase, state.exit], ['working', exitBegins()])
  })

  it('follows an exit that works', () => {
    const { phase, exit: progress } = exitOf([exit(1)], { 'exit-1': sized('10') })
    const placed = {
      clientOrderId: clientOrderIdFor(id, 'timed', 1),
      quantity: '10',
      coversUpTo: '10',
      reason: 'TIME',
      filledThen: '10',
      since: exit(1).submittedAt,
    }
    assert.deepEqual([phase, progress.generation, progress.workingOrder], ['exiting', 2, placed])
  })

  it('believes the order at the broker, not the size that an older ledger holds', () => {
    const { exit: progress } = exitOf([exit(1)], { 'exit-1': sized('6', '8') })
    const { quantity, coversUpTo } = progress.workingOrder!
    assert.deepEqual([quantity, coversUpTo], ['10', '10'])
  })

  it('the state of a signal read from the ledger takes an exit whose rest another one was for as replaced, where an older ledger lacks the reason', () => {
    const gone = exit(1, { status: 'CANCELLED' })
    const { exit: progress } = exitOf([gone, withFill({ ...exit(2), quantity: '6' }, '6')], {})
    assert.deepEqual(
      [progress.coveredQuantity, progress.uncovered, progress.workingOrder?.coversUpTo],
      ['0', [], '6'],
    )
  })

  it('counts an exit from what was covered when it was sized, also where the one before has filled late', () => {
    const before = exit(1, { status: 'CANCELLED', filledQuantity: '6' })
    const works = exit(2, { quantity: '4' })
    const decisions = { 'exit-1': sized('10'), 'exit-2': { ...sized('4', '6'), coveredBefore: '4' } }
    const { exit: progress } = exitOf([before, works], decisions)
    assert.deepEqual([progress.workingOrder?.coversUpTo, progress.ended], ['10', [before.clientOrderId]])
  })

  it('leaves the count of an exit that has ended last to the workflow, which reports it', () => {
    for (const status of ['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'] as const) {
      const ended = exit(1, { status, filledQuantity: status === 'FILLED' ? '10' : '4' })
      const { phase, exit: progress } = exitOf([ended], { 'exit-1': sized('10') })
      assert.deepEqual([phase, progress.workingOrder?.clientOrderId], ['exiting', ended.clientOrderId])
      assert.deepEqual([progress.coveredQuantity, progress.generation], ['0', 2])
    }
  })

  it('goes on from all that the workflow of an exit knew', () => {
    const wait = {
      why: 'refused',
      tries: 4,
      until: '2026-03-02T15:05:00.000Z',
      detail: 'another try',
    } as const
    const exitProgress = {
      ...exitBegins(2),
      opposed: true as const,
      entryEndedAt: NOW,
      time: { at: NOW, lookAt: NOW },
      waits: { TIME: wait },
    }
    const decisions = { 'exit-1': { ...sized('10'), stopped: true } }
    const { phase, exit: progress } = exitOf([], decisions, { exitProgress })
    assert.deepEqual([phase, progress], ['exiting', exitProgress])
  })

  it('knows for which level the order at the broker was decided', () => {
    for (const reason of ['STOP_LOSS', 'TAKE_PROFIT', 'PROTECTION', 'TIME'] as const) {
      const order = { reason, terms: EXIT_AT_MARKET }
      const { exit: placed } = exitOf([exit(1)], { 'exit-1': { ...sized('10'), order } })
      assert.equal(placed.workingOrder?.reason, reason)
    }
  })

  it('opens an exit for a late fill at a number that its end had not used', () => {
    const filled = { ...exit(1), ...withFill(exit(1), '10') }
    const exitProgress = { ...exitBegins(3), coveredQuantity: '10' as const, ended: [filled.clientOrderId] }
    const state = exitOf([filled], { 'exit-1': sized('10') }, { exitProgress }, { exitStatus: 'filled' })
    assert.deepEqual([state.phase, state.exit], ['exiting', exitProgress])
  })

  it('the state of a signal read from the ledger counts no exit as ended whose order a ledger that was rolled back does not hold', () => {
    const [lost, filled] = [exit(1), withFill(exit(2), '10')]
    const ended = [lost, filled].map(({ clientOrderId }) => clientOrderId)
    const uncovered = ended.map((clientOrderId) => ({ clientOrderId, quantity: '10' as const }))
    const exitProgress = { ...exitBegins(3), coveredQuantity: '10' as const, ended, uncovered }
    const { exit: progress, reports } = exitOf([filled], {}, { exitProgress })
    assert.deepEqual(progress, { ...exitProgress, ended: [ended[1]], uncovered: [uncovered[1]] })
    const reportOf = (id: string) => reports.find(({ report }) => report.clientOrderId === id)!.report
    assert.equal(describeExitEnd(progress, reportOf).status, 'filled')
  })

  it('knows who has ended the levels of an exit', () => {
    assert.equal(told({ exitEndedBy: 'ann' }).exit.levelsEndedBy, 'ann')
  })

  it('keeps an exit cancelled that a person has cancelled', () => {
    const state = exitOf([], { 'exit-1': { stopped: true } }, { exitCancelledBy: 'ann' })
    assert.deepEqual([state.phase, state.exit.cancelledBy], ['working', 'ann'])
  })
})
