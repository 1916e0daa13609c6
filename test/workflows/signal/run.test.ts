import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { LookRequest } from '#domain/exit/look.ts'
import { exitAtEnd, exitBegins } from '#domain/exit/progress.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { OrderReport } from '#domain/order/order.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { LoadedSignal } from '#activities/contract.ts'
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
  const midway: LoadedSignal = {
    terms,
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
  const run = (
    state: Partial<LoadedSignal> = {},
    changes: Partial<SignalTerms> = {},
    thenQueue: string | null = null,
  ): SignalRun => {
    const loaded = new Run(terms, { loads: true, thenQueue })
    const { exit } = midway
    loaded.load({
      ...midway,
      terms: { ...terms, ...changes },
      exit: { ...exit, cancelledBy: null },
      orderCancel: null,
      ...state,
    })
    return loaded
  }
  /** A run of the workflow that has loaded this state. */
  async function goesOn(state: Partial<LoadedSignal>): Promise<void> {
    const signalWorkflow = await loadBareWorkflow()
    void signalWorkflow({ terms, loads: true })
    await settle()
    const [load] = askedSteps()
    assert.equal(load?.name, 'loadSignal')
    load.resolve({ ...midway, ...state })
    await settle()
  }
  const parked = { exit: { ...midway.exit, cancelledBy: null, workingOrder: null } }

  it('goes on from the ledger in the next run, in the queue that it is to go to', () => {
    const inNextRun = run({}, {}, 'long')
    assert.deepEqual(inNextRun.continueAsNewInput(), { terms, loads: true, thenQueue: 'long' })
    const moving = run(parked, {}, 'long')
    assert.deepEqual([moving.nextQueue, moving.continueAsNewInput()], ['long', { terms, loads: true }])
  })

  it('belongs into its first queue until its entry has an outcome', () => {
    for (const phase of ['waiting', 'checking'] as const)
      assert.equal(run({ ...parked, phase }, {}, 'long').nextQueue, null)
  })

  it('what a run of the signal workflow is asked before it has loaded its state is answered by that state', async () => {
    const signalWorkflow = await loadBareWorkflow()
    void signalWorkflow({ terms, loads: true })
    const answers = [
      send('approveSignal', { by: 'ann', quantity: null, limitPrice: null, sendBefore: null }),
      send('awaitEntry', undefined),
    ]
    await settle()
    const [load, ...others] = askedSteps()
    assert.deepEqual([load?.name, others], ['loadSignal', []])
    load!.resolve({ ...midway, phase: 'working', reports: knows(ordered(entryId)) })
    const outcomes = Promise.allSettled(answers)
    await settle()
    const [approved, answered] = await outcomes
    assert.equal(approved!.status, 'rejected')
    assert.match(String((approved as PromiseRejectedResult).reason), /has an entry order at the broker/)
    assert.partialDeepStrictEqual(answered, { value: { status: 'cancelled', orderId: 'order' } })
  })

  const byHand = { origin: 'person', ask: { side: 'BUY', reducesOnly: false } } as const
  for (const [message, input, changes] of [
    ['withdrawSignal', { by: 'ann' }, {}],
    ['replaceSignal', { by: 'ann', replacement: { row: {}, received: {} } }, {}],
    ['cancelOrder', { by: 'ann', clientOrderId: entryId }, byHand],
  ] as const)
    it(`a run of the signal workflow that ${message} has started is stopped before it sends anything`, async () => {
      const signalWorkflow = await loadBareWorkflow()
      const asked = { ...terms, ...changes }
      void signalWorkflow({ terms: asked, loads: true })
      void send(message, input)
      await settle()
      const begun = {
        terms: asked,
        phase: 'checking',
        status: 'queued',
        orderId: null,
        reason: null,
        detail: null,
      } as const
      const exit = exitBegins()
      askedSteps()[0]!.resolve({ ...midway, ...begun, exit, reports: [], closings: 0, orderCancel: null })
      await settle()
      assert.deepEqual(
        askedSteps().map(({ name }) => name),
        [message === 'replaceSignal' ? 'recordReplaced' : 'recordCancelled'],
      )
    })

  it('what a run of the signal workflow knows has the broker asked again for a cancel whose answer the run before may have missed', async () => {
    await goesOn({ exit: { ...midway.exit, cancelledBy: null } })
    const asked = askedSteps().map(({ name, input }) => [
      name,
      (input as { brokerOrderId?: string }).brokerOrderId,
    ])
    assert.deepEqual(asked[0], ['cancelOrder', `broker-${exitId(3)}`])
  })

  it('a run of the signal workflow that goes on lets a person cancel its exit before it has looked at it', async () => {
    const time = { at: new Date(Date.now() + 3_600_000).toISOString(), lookAt: null }
    const exit = { ...midway.exit, workingOrder: null, cancelledBy: null, time }
    await goesOn({ orderCancel: null, exit })
    void send('cancelExit', { by: 'ann' })
    await settle()
    assert.ok(askedSteps().some(({ name }) => name === 'recordExitCancelled'))
  })

  it('keeps the first of several who want an order cancelled', async () => {
    await goesOn({ orderCancel: null, exit: { ...midway.exit, cancelledBy: null } })
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
    const clientOrderId = clientOrderIdFor(terms.signalId, 'plan', 1)
    const lies = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
    const workingOrder = { ...midway.exit.workingOrder!, clientOrderId, reason: 'PROTECTION' } as const
    const protection = { ...changeTo(null), stop: { price: '90' }, until: 'closed' } as Protection
    await goesOn({
      terms: { ...terms, exit: null, protection },
      orderCancel: null,
      reports: knows(entryFilled('10'), ordered(clientOrderId, lies)),
      exit: { ...exitBegins(2), workingOrder },
    })
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

  it('what a run of the signal workflow knows of a signal that is opened again includes the fills that were reported before, and the person who had cancelled the exit', () => {
    const opened = new Run(terms, { loads: true })
    opened.note(entryFilled('10'))
    opened.load({ ...midway, reports: knows(entryFilled('4')) })
    assert.deepEqual([opened.entry.filledQuantity, opened.phase, opened.closings], ['10', 'exiting', 2])
    assert.deepEqual(opened.exit, midway.exit)
  })

  it('what is stored at the end is the id of the next exit, and none that works or waits', () => {
    const reached = { reached: 'STOP_LOSS', retriedAt: AT, timeHasEnded: true } as const
    const { generation, coveredQuantity, ended, uncovered, cancelledBy, entryEndedAt } = midway.exit
    const kept = { generation: generation + 1, coveredQuantity, ended, uncovered, cancelledBy, entryEndedAt }
    assert.deepEqual(exitAtEnd({ ...midway.exit, ...reached }), {
      ...kept,
      workingOrder: null,
      waits: {},
      time: { at: null, lookAt: null },
    })
  })

  it('says which orders can be cancelled, or may be in a moment', () => {
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

  it('what a run of the signal workflow knows is taken from reports in any order, and its ended orders are those that have ended', () => {
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
