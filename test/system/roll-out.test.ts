import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createDeploymentGateway } from '#api/temporal/deployments.ts'
import { BUILD_ID } from '#config/build-id.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { RollOutRefused } from '#domain/roll-out.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { deploymentStatus, goBack, promote, ramp, type Deployment } from '#local/commands/deploy.ts'
import { eventually } from '#test/support/eventually.ts'
import { failedTasks } from '#test/support/failed-tasks.ts'
import type { Part } from '#test/support/part.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { substituting } from '#test/support/substitutes.ts'
import { bundleQuietly } from '#test/support/workflow-bundle.ts'
import { assertOneEntryOneExit, buyNow, shown } from './sent-signal.ts'
import { BUILD_ID as NEWEST_BUILD } from './fixtures/newest-build.ts'
import { BUILD_ID as NEXT_BUILD } from './fixtures/other-build.ts'

const NEW_WAY = fileURLToPath(new URL('fixtures/new-way.ts', import.meta.url))
const PATCH = 'pause-before-exit'
const VERSIONED = { WORKER_VERSIONING: 'deployment' }
const SYMBOLS = ['AAPL', 'AMD', 'AMZN', 'DIA', 'GOOGL', 'IWM', 'JPM', 'META', 'MSFT', 'NVDA']

/** Settings with which a worker believes to be another build. */
const buildOf = (fixture: 'other-build' | 'newest-build') => {
  const modules = { '#config/build-id.ts': `test/system/fixtures/${fixture}.ts` }
  return substituting({ 'worker/worker.ts': modules, 'worker/deployment.ts': modules })
}

/** Signals that wait, by what they wait for. */
const WAITING = { approval: 30, exit: 20, time: 12 } as const
/** Seconds until signals that wait for their time are due: both builds have workers by then. */
const DUE_AFTER = 25

describe('a roll-out of a build with a new way in its workflows', function () {
  this.timeout(300_000)
  const service = useStack({ worker: VERSIONED })
  let database: Database
  let deployment: Deployment
  let next: Part
  const signals: { id: string; waitsFor: keyof typeof WAITING }[] = []
  /** Of the new build. */
  let settings: Record<string, string>

  before(async function () {
    this.timeout(120_000)
    const { stack } = service
    database = await openDatabase(stack.addresses.database, 2)
    deployment = {
      em: database.em.fork(),
      taskQueue: 'signals',
      deploymentName: 'durable-trader',
      gateway: createDeploymentGateway({
        TEMPORAL_ADDRESS: stack.addresses.temporal,
        TEMPORAL_NAMESPACE: 'default',
        TEMPORAL_TLS: false,
        WORKER_DEPLOYMENT: 'durable-trader',
      }),
    }
    const { code } = await bundleQuietly(undefined, [NEW_WAY])
    const bundle = join(stack.logFolder, 'next-workflows.js')
    writeFileSync(bundle, code)
    settings = {
      ...VERSIONED,
      WORKFLOW_BUNDLE: bundle,
      ...buildOf('other-build'),
    }
  })
  after(async () => {
    await deployment?.gateway.close()
    await database?.close(true)
  })

  const send = async (waitsFor: keyof typeof WAITING) => {
    const { stack } = service
    const later = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }
    const changes = {
      approval: { executeMode: 'pending', exitTriggerType: 'immediate' },
      exit: later,
      time: {
        executeMode: 'scheduled',
        scheduledProcessAt: new Date(Date.now() + DUE_AFTER * 1_000).toISOString().slice(0, 23),
        timezone: 'UTC',
        ...later,
      },
    }[waitsFor]
    const symbol = SYMBOLS[signals.length % SYMBOLS.length]
    const { status, body } = await stack.api.post(
      '/signals',
      buyNow(stack, { symbol, quantity: 1, ...changes }),
      20_000,
    )
    assert.ok(status < 300, JSON.stringify(body))
    signals.push({ id: body.signal.id, waitsFor })
  }
  const approve = async (count: number) => {
    const trader = await service.stack.signIn()
    const waiting = signals.filter(({ waitsFor }) => waitsFor === 'approval')
    let approved = 0
    for (const { id } of waiting) {
      if (approved === count) break
      if ((await shown(service.stack, id)).status !== 'pending') continue
      // While the tasks of a killed worker wait for another one, a decision is not confirmed in time and is sent again.
      await eventually(
        async () => {
          const { status, body } = await trader.post(`/signals/${id}/process`, {}, 20_000)
          assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
        },
        { within: 30_000 },
      )
      approved += 1
    }
  }
  const usedPatches = async (): Promise<string[]> =>
    (await service.stack.query<{ patch_id: string }>('select patch_id from workflow_patches')).map(
      ({ patch_id: id }) => id,
    )

  it('lets the first build of a new deployment take all tasks', async () => {
    await eventually(async () =>
      assert.match(await deploymentStatus(deployment), new RegExp(`^${BUILD_ID}  current  100 %.*1 worker$`)),
    )
    for (let count = 0; count < WAITING.approval; count += 1) await send('approval')
    for (let count = 0; count < WAITING.exit; count += 1) await send('exit')
    for (let count = 0; count < WAITING.time; count += 1) await send('time')
  })

  it('refuses to ramp or promote what has no workers, and to go back to nothing', async () => {
    await assert.rejects(ramp(deployment, 50, undefined), /No worker of a newer build/)
    await assert.rejects(promote(deployment, 'none'), /Temporal knows no build none/)
    await assert.rejects(goBack(deployment, undefined), /nothing to go back to/)
  })

  it('gives the new build half of the tasks, and it does not take the new way', async () => {
    const { stack } = service
    next = await stack.addWorker(settings)
    await eventually(async () =>
      assert.match(await deploymentStatus(deployment), new RegExp(`${NEXT_BUILD} .* 1 worker`)),
    )
    await ramp(deployment, 50, undefined)
    assert.match(await deploymentStatus(deployment), new RegExp(`${NEXT_BUILD}  ramping   50 %`))
    await approve(8)
    await Promise.all([next.kill(), stack.parts.worker.kill()])
    await sleep(2_000)
    await Promise.all([next.start(settings), stack.parts.worker.start()])
    await approve(4)
    assert.deepEqual(await usedPatches(), [])
  })

  it('goes back from the half, and forth again', async () => {
    assert.match(await goBack(deployment, undefined), new RegExp(`${BUILD_ID} takes all tasks again`))
    await approve(4)
    await ramp(deployment, 50, NEXT_BUILD)
    await approve(4)
    assert.deepEqual(await usedPatches(), [])
  })

  it('takes the new way once it is promoted, and then refuses to go back, with the reason', async () => {
    assert.match(await promote(deployment, undefined), /takes all tasks/)
    await approve(WAITING.approval)
    await eventually(async () => assert.deepEqual(await usedPatches(), [PATCH]), { within: 90_000 })
    await assert.rejects(goBack(deployment, undefined), (error: Error) => {
      assert.ok(error instanceof RollOutRefused)
      assert.match(error.message, new RegExp(`${BUILD_ID} does not know \\(${PATCH}\\)`))
      return true
    })
    assert.match(await deploymentStatus(deployment), new RegExp(`${NEXT_BUILD}  current  100 %.*${PATCH}`))
  })

  it('a roll-out of a build with a new way in its workflows has placed one entry and one exit for each signal, none late, and no task has failed', async () => {
    const { stack } = service
    const client = await stack.temporal()
    for (const { id } of signals) await assertOneEntryOneExit(stack, id, { within: 120_000 })
    const late = `select message from alerts where kind = 'action_overdue' or resolved_at is null`
    assert.deepEqual(await stack.query(late), [])
    let tookNewWay = 0
    for (const { id, waitsFor } of signals) {
      const handle = client.workflow.getHandle(workflowIdFor(id))
      const history = await handle.fetchHistory()
      assert.deepEqual(failedTasks(history), [])
      if (waitsFor === 'time')
        assert.equal((await handle.describe()).taskQueue, 'signals', 'its exit left the queue')
      if (history.events?.some((event) => event.markerRecordedEventAttributes?.markerName === 'core_patch'))
        tookNewWay += 1
    }
    assert.ok(tookNewWay > 0)
    console.log(`      ${tookNewWay} of ${signals.length} signals took the new way`)
  })

  it('a roll-out of a build with a new way in its workflows is stood in for by a newer build when it has had no worker for a minute, which then is promoted', async () => {
    const { stack } = service
    const newest = await stack.addWorker({ ...settings, ...buildOf('newest-build') })
    await stack.parts.worker.stop()
    await next.kill()
    await eventually(
      async () =>
        assert.match(
          await deploymentStatus(deployment),
          new RegExp(`${NEWEST_BUILD}  current  100 % .*not promoted`),
        ),
      { within: 90_000 },
    )
    await send('approval')
    await approve(1)
    await assertOneEntryOneExit(stack, signals.at(-1)!.id, { within: 60_000 })
    assert.match(await promote(deployment, undefined), new RegExp(`${NEWEST_BUILD} takes all tasks`))
    await newest.stop()
  })
})
