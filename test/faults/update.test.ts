import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { BUILD_ID } from '#config/build-id.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { failedTasks } from '#test/support/failed-tasks.ts'
import type { Stack } from '#test/support/stack.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { substituting } from '#test/support/substitutes.ts'
import { tool } from '#test/support/tools.ts'
import { accepted, assertOneEntryOneExit, ordersAtVenue, shown } from '#test/service/sent-signal.ts'
import { BUILD_ID as NEXT_BUILD } from './fixtures/other-build.ts'

/** What a signal waits for while the code is replaced, and how many do. */
const WAITING = { approval: 4, exit: 3, time: 3, fill: 3 } as const
type WaitsFor = keyof typeof WAITING
type Waiting = { id: string; symbol: string; waitsFor: WaitsFor }

const SYMBOLS = [
  'AAPL',
  'AMD',
  'AMZN',
  'DIA',
  'GOOGL',
  'IWM',
  'JPM',
  'META',
  'MSFT',
  'NVDA',
  'QQQ',
  'SPY',
  'TSLA',
]
/** Dollars: prices are held here, until the entries are to fill that rest below. */
const PRICE = 100
const RESTING_AT = 95
/** Seconds until signals that wait for their time are due: the code has been replaced by then. */
const DUE_AFTER_S = 45

const NEXT_MODULES = { '#config/build-id.ts': 'test/faults/fixtures/other-build.ts' }
/** Settings with which API and worker believe to be another build. */
const NEXT = substituting({ 'worker/worker.ts': NEXT_MODULES, 'api/main.ts': NEXT_MODULES })
const VERSIONED = { WORKER_VERSIONING: 'deployment' }

/** Signals that wait, some for each event. */
async function sendAll(stack: Stack): Promise<Waiting[]> {
  for (const symbol of SYMBOLS) await stack.venue.pin(symbol, PRICE)
  const due = new Date(Date.now() + DUE_AFTER_S * 1_000).toISOString().slice(0, 23)
  const terms = {
    approval: { executeMode: 'pending', exitTriggerType: 'immediate' },
    exit: { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 },
    time: {
      executeMode: 'scheduled',
      scheduledProcessAt: due,
      timezone: 'UTC',
      exitTriggerType: 'immediate',
    },
    fill: { orderType: 'limit', limitPrice: RESTING_AT, timeInForce: 'gtc', exitTriggerType: 'immediate' },
  }
  const signals: Waiting[] = []
  for (const waitsFor of Object.keys(WAITING) as WaitsFor[])
    for (let count = 0; count < WAITING[waitsFor]; count += 1) {
      const symbol = SYMBOLS[signals.length]!
      const id = await accepted(stack, { symbol, quantity: 1, ...terms[waitsFor] })
      signals.push({ id, symbol, waitsFor })
    }
  return signals
}

const waitingFor = (signals: readonly Waiting[], event: WaitsFor): Waiting[] =>
  signals.filter(({ waitsFor }) => waitsFor === event)

/** Fails unless every signal still waits for what it was sent to wait for. */
async function assertAllWait(stack: Stack, signals: readonly Waiting[]): Promise<void> {
  const ledger = await stack.venue.ledger()
  const filled = { approval: [], exit: ['filled'], time: [], fill: ['new'] }
  for (const { id, waitsFor } of signals)
    assert.deepEqual(
      ordersAtVenue(ledger, id).map(({ status }) => status),
      filled[waitsFor],
      waitsFor,
    )
}

/** Approves each that is still pending. */
async function approve(stack: Stack, signals: readonly Waiting[]): Promise<void> {
  const trader = await stack.signIn()
  for (const { id } of signals) {
    if ((await shown(stack, id)).status !== 'pending') continue
    await eventually(
      async () => {
        const { status, body } = await trader.post(`/signals/${id}/process`, {}, 20_000)
        assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
      },
      { within: 30_000 },
    )
  }
}

/** Has everything happen that the signals wait for, and holds what came of each against every book. */
async function assertAllEnd(stack: Stack, signals: readonly Waiting[]): Promise<void> {
  await approve(stack, waitingFor(signals, 'approval'))
  for (const { symbol } of waitingFor(signals, 'fill')) await stack.venue.pin(symbol, RESTING_AT - 1)
  for (const { id } of signals) await assertOneEntryOneExit(stack, id, { within: 120_000 })
  assert.deepEqual(await stack.query(`select message from alerts where kind = 'action_overdue'`), [])
}

/** The builds whose workers did workflow tasks of a signal, in their order; throws when one of the tasks failed. */
async function buildsOf(stack: Stack, id: string): Promise<string[]> {
  const client = await stack.temporal()
  const history = await client.workflow.getHandle(workflowIdFor(id)).fetchHistory()
  assert.deepEqual(failedTasks(history), [])
  const builds = (history.events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: done }) => {
    // With versioning the first is there, without it the second.
    return done?.deploymentVersion?.buildId ?? done?.workerVersion?.buildId ?? []
  })
  return builds.filter((build, index) => build !== builds[index - 1])
}

describe('an update of the code while signals wait', function () {
  this.timeout(300_000)

  describe('by a restart', () => {
    const service = useStack()

    it('an update by a restart has every signal that waited end with one entry and one exit, on the new build', async () => {
      const { stack } = service
      const signals = await sendAll(stack)
      await assertAllWait(stack, signals)
      await stack.parts.worker.restart(NEXT)
      await stack.parts.api.restart(NEXT)
      await stack.untilReady()
      await assertAllWait(stack, signals)
      await assertAllEnd(stack, signals)
      for (const { id } of signals) assert.equal((await buildsOf(stack, id)).at(-1), NEXT_BUILD)
      for (const { id } of waitingFor(signals, 'exit'))
        assert.deepEqual(await buildsOf(stack, id), [BUILD_ID, NEXT_BUILD])
    })
  })

  describe("by Temporal's own command", () => {
    const service = useStack({ worker: VERSIONED })
    let signals: Waiting[]

    /** A line of docs/operate/deploying.md. Temporal knows a build only once its workers have asked for tasks. */
    async function temporalWorkerDeployment(step: string, build: string, ...more: string[]): Promise<void> {
      const program = await tool('temporal')
      const version = ['--deployment-name', 'durable-trader', '--build-id', build]
      const line = [step, ...version, '--address', service.stack.addresses.temporal, '--yes', ...more]
      await eventually(() => promisify(execFile)(program, ['worker', 'deployment', ...line]), {
        within: 30_000,
        every: 500,
      })
    }

    it('workers with WORKER_VERSIONING=deployment take tasks once their build is current, and not before', async () => {
      const { stack } = service
      const id = await accepted(stack, { quantity: 1, exitTriggerType: 'immediate' })
      assert.deepEqual(ordersAtVenue(await stack.venue.ledger(), id), [])
      await temporalWorkerDeployment('set-current-version', BUILD_ID)
      await assertOneEntryOneExit(stack, id)
    })

    it("an update by Temporal's own command gives a part of the workflows to the new build, then all", async () => {
      const { stack } = service
      signals = await sendAll(stack)
      await assertAllWait(stack, signals)
      await stack.addWorker({ ...VERSIONED, ...NEXT })
      await temporalWorkerDeployment('set-ramping-version', NEXT_BUILD, '--percentage', '50')
      await approve(stack, waitingFor(signals, 'approval').splice(0, 2))
      await temporalWorkerDeployment('set-current-version', NEXT_BUILD)
      await stack.parts.worker.stop()
      await stack.parts.api.restart(NEXT)
    })

    it("an update by Temporal's own command has every signal that waited end with one entry and one exit", async () => {
      const { stack } = service
      await assertAllEnd(stack, signals)
      for (const { id, waitsFor } of signals) {
        const builds = await buildsOf(stack, id)
        if (waitsFor !== 'approval') assert.deepEqual([builds[0], builds.at(-1)], [BUILD_ID, NEXT_BUILD])
      }
    })
  })
})
