import assert from 'node:assert/strict'
import type { Decimal } from '#domain/decimal.ts'
import type { LookRequest } from '#domain/exit/look.ts'
import { exitBegins } from '#domain/exit-progress.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import type { Protection } from '#domain/protection.ts'
import type { OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { ResumeState } from '#workflows/signal/contract.ts'
import type { SignalRun } from '#workflows/signal/run.ts'
import { loadBare, loadBareWorkflow } from '../../support/bare-signal-workflow.ts'
import { askedSteps, send, settle, startAfresh } from '../../support/bare-workflow.ts'
import {
  changeTo,
  exitAfter,
  exitAtOnce,
  filled,
  reportOf,
  signalTerms,
} from '../../support/sample-signal.ts'
import { StageLevels } from '../../support/stage-levels.ts'

const AT = '2026-03-02T15:00:05.000Z'
const LATER = '2026-03-02T15:05:00.000Z'

describe('what a run of the signal workflow knows', () => {
  let Run: typeof SignalRun
  before(async () => {
    ;({ SignalRun: Run } = await loadBare<{ SignalRun: typeof SignalRun }>('signal/run.ts'))
  })
  beforeEach(startAfresh)

  const terms = signalTerms({ exit: exitAfter(30) })
  const entryId = clientOrderIdFor(terms.signalId, 'entry', 1)
  const exitId = (generation: number): string => clientOrderIdFor(terms.signalId, 'timed', generation)
  const ordered = (clientOrderId: string, changes: Partial<OrderReport> = {}): OrderReport =>
    reportOf(
      {
        clientOrderId,
        symbol: 'AAPL',
        side: 'BUY',
        quantity: '10',
        orderType: 'market',
        limitPrice: null,
        stopPrice: null,
        timeInForce: 'day',
        extendedHours: false,
      },
      AT,
      changes,
    )
  const entryFilled = (quantity: Decimal): OrderReport =>
    ordered(entryId, { status: quantity === '10' ? 'FILLED' : 'CANCELLED', ...filled(quantity, AT) })
  const knows = (...reports: OrderReport[]) => reports.map((report) => ({ report, newsAt: AT }))
  const cancel = { clientOrderId: exitId(3), by: 'ann', at: AT }
  /** Every field is another than that of a run that begins. */
  const midway: ResumeState = {
    phase: 'exiting',
    status: 'cancelled',
    orderId: 'order',
    reason: 'SUPERSEDED',
    detail: 'Replaced',
    reports: knows(entryFilled('10'), ordered(exitId(1), { status: 'EXPIRED' }), ordered(exitId(3))),
    exit: {
      generation: 4,
      coveredQuantity: '3',
      workingOrder: {
        clientOrderId: exitId(3),
        quantity: '7',
        coversUpTo: '10',
        reason: 'TIME',
        filledThen: '10',
        since: AT,
      },
      ended: [exitId(1)],
      uncovered: [{ quantity: '1', clientOrderId: exitId(1) }],
      cancelledBy: 'bob',
      entryEndedAt: AT,
      time: { at: AT, lookAt: LATER },
      waits: { TIME: { why: 'refused', tries: 2, until: AT, detail: 'another try' } },
    },
    closings: 2,
    orderCancel: cancel,
  }
  const run = (resumeState?: Partial<ResumeState>, changes: Partial<SignalTerms> = {}): SignalRun =>
    new Run(
      { ...terms, ...changes },
      {
        resumeState: resumeState && {
          ...midway,
          exit: { ...midway.exit, cancelledBy: null },
          orderCancel: undefined!,
          ...resumeState,
        },
      },
    )

  it('goes over whole into the next run, but for a queue that it has come to', () => {
    const inNextRun = new Run(terms, { resumeState: midway, thenQueue: 'long' })
    assert.deepEqual(inNextRun.resumeState(), midway)
    assert.deepEqual(inNextRun.continueAsNewInput(), { terms, resumeState: midway, thenQueue: 'long' })
    const parked = { ...midway, exit: { ...midway.exit, workingOrder: null } }
    const moving = new Run(terms, { resumeState: parked, thenQueue: 'long' })
    assert.deepEqual(
      [moving.nextQueue, moving.continueAsNewInput()],
      ['long', { terms, resumeState: parked }],
    )
  })

  it('belongs into its first queue until its entry has an outcome', () => {
    const parked = { ...midway, exit: { ...midway.exit, workingOrder: null } }
    for (const phase of ['waiting', 'checking', 'sending'] as const)
      assert.equal(new Run(terms, { resumeState: { ...parked, phase }, thenQueue: 'long' }).nextQueue, null)
  })

  it('what a run of the signal workflow knows has the broker asked again for a cancel, of which the run before may not have heard the answer', async () => {
    const signalWorkflow = await loadBareWorkflow()
    const working = { ...midway, exit: { ...midway.exit, cancelledBy: null } }
    void signalWorkflow({ terms, resumeState: working })
    await settle()
    const asked = askedSteps().map(({ name, input }) => [
      name,
      (input as { brokerOrderId?: string }).brokerOrderId,
    ])
    assert.deepEqual(asked[0], ['cancelOrder', `broker-${exitId(3)}`])
  })

  it('a run of the signal workflow that goes on lets a person cancel its exit before it has looked at it', async () => {
    const signalWorkflow = await loadBareWorkflow()
    const { orderCancel: _, ...waiting } = midway
    const time = { at: new Date(Date.now() + 3_600_000).toISOString(), lookAt: null }
    const exit = { ...midway.exit, workingOrder: null, cancelledBy: null, time }
    void signalWorkflow({ terms, resumeState: { ...waiting, exit } })
    void send('cancelExit', { by: 'ann' })
    await settle()
    assert.ok(askedSteps().some(({ name }) => name === 'recordExitCancelled'))
  })

  it('keeps the first of several who want an order cancelled', async () => {
    const signalWorkflow = await loadBareWorkflow()
    const { orderCancel: _, ...working } = midway
    const exit = { ...midway.exit, cancelledBy: null }
    void signalWorkflow({ terms, resumeState: { ...working, exit } })
    await settle()
    assert.deepEqual(
      askedSteps().map(({ name }) => name),
      ['acknowledgeEnds'],
    )
    askedSteps()[0]!.resolve(undefined)
    await settle()
    const both = ['ann', 'bob'].map((by) => send('cancelOrder', { clientOrderId: exitId(3), by }))
    await settle()
    const asked = askedSteps().map(({ name, input }) => [name, (input as { by?: string }).by])
    assert.deepEqual(asked, [
      ['cancelOrder', undefined],
      ['recordCancelRequested', 'ann'],
    ])
    for (const each of askedSteps()) each.resolve({ report: null })
    await settle()
    const answer = { status: 'OPEN', filledQuantity: '0' }
    assert.deepEqual(await Promise.all(both), [answer, answer])
    assert.deepEqual(askedSteps(), [])
  })

  it('a run of the signal workflow that is rebuilt brings the order of its levels to a change that the one before had not got there', async () => {
    const signalWorkflow = await loadBareWorkflow()
    const clientOrderId = clientOrderIdFor(terms.signalId, 'plan', 1)
    const lies = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
    const workingOrder = { ...midway.exit.workingOrder!, clientOrderId, reason: 'PROTECTION' } as const
    const protection = { ...changeTo(null), stop: { price: '90' }, until: 'closed' } as Protection
    const { orderCancel: _, ...working } = midway
    void signalWorkflow({
      terms: { ...terms, exit: null, protection },
      resumeState: {
        ...working,
        reports: knows(entryFilled('10'), ordered(clientOrderId, lies)),
        exit: { ...exitBegins(2), workingOrder },
      },
    })
    await settle()
    const levels = new StageLevels()
    Object.assign(levels.facts, { resting: lies, revision: 1 })
    const [look] = askedSteps()
    assert.equal(look?.name, 'lookAtExit')
    look.resolve(levels.look(look.input as LookRequest))
    await settle()
    assert.deepEqual(
      askedSteps().map(({ name }) => name),
      ['adjustProtection'],
    )
  })

  it('what a run of the signal workflow knows of a signal that is opened again includes the fills that were heard of before, and the person who had cancelled the exit', () => {
    const opened = run()
    opened.note(entryFilled('10'))
    opened.reopen({ ...midway, reports: knows(entryFilled('4')) })
    assert.deepEqual([opened.entry.filledQuantity, opened.phase, opened.closings], ['10', 'exiting', 2])
    assert.deepEqual(opened.exit, midway.exit)
  })

  it('what a run of the signal workflow knows is kept at the end with the id of the next exit, and none that works or waits', () => {
    const reached = { reached: 'STOP_LOSS', retriedAt: AT, timeIsOver: true } as const
    const { phase, exit } = run({ exit: { ...midway.exit, ...reached } }).reopenState().resumeState
    const { generation, coveredQuantity, ended, uncovered, cancelledBy, entryEndedAt } = midway.exit
    const kept = { generation: generation + 1, coveredQuantity, ended, uncovered, cancelledBy, entryEndedAt }
    assert.deepEqual(phase, 'exiting')
    assert.deepEqual(exit, { ...kept, workingOrder: null, waits: {}, time: { at: null, lookAt: null } })
  })

  it('tells which orders can be cancelled, or may be in a moment', () => {
    const working = run({ phase: 'working', reports: knows(ordered(entryId)) })
    assert.equal(working.whyNotCancellable(entryId), null)
    assert.equal(run({ phase: 'working' }).whyNotCancellable(entryId), 'is FILLED')
    assert.equal(run({}).whyNotCancellable(exitId(3)), null)
    assert.equal(run({}).whyNotCancellable(exitId(1)), 'is EXPIRED')
    const checking = run({ phase: 'checking', reports: [] })
    assert.equal(checking.isOnItsWay(entryId), false)
    checking.lostAttempt = { cause: '', failure: 'Timeout', at: AT }
    assert.equal(checking.isOnItsWay(entryId), true)
  })

  it('what a run of the signal workflow knows is taken from reports in any order, and its ended orders are those that are over', () => {
    const one = run({ exit: { ...midway.exit, ended: [] } }, { exit: exitAtOnce })
    assert.equal(one.note(entryFilled('4')).filledQuantity, '10')
    assert.equal(one.entry.status, 'FILLED')
    const partly = run({
      reports: knows(ordered(entryId, { status: 'PARTIALLY_FILLED', ...filled('4', AT) })),
    })
    partly.note(ordered(entryId, { status: 'CANCELLED', ...filled('3', AT) }))
    assert.deepEqual([partly.entry.status, partly.entry.filledQuantity], ['CANCELLED', '4'])
    assert.deepEqual(
      one.endedOrders.map(({ clientOrderId }) => clientOrderId),
      [entryId, exitId(1)],
    )
  })
})
