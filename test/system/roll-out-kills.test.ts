import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkflowBundle,
} from '@temporalio/worker'
import pino from 'pino'
import { createDeploymentGateway } from '#api/temporal/deployments.ts'
import type { Database } from '#db/engine/database.ts'
import { usePatch } from '#db/watch/worker-builds.ts'
import { recordHeartbeat } from '#db/watch/worker-heartbeats.ts'
import { RollOutRefused } from '#domain/roll-out.ts'
import { deploymentStatus, goBack, promote, ramp, type Deployment } from '#local/commands/deploy.ts'
import { PatchSwitch } from '#worker/patch-switch.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { failedTasks } from '#test/support/failed-tasks.ts'
import { temporalAddress } from '#test/support/servers.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { finish, step } from './fixtures/steps.ts'

const COMMAND = fileURLToPath(new URL('../../local/commands/admin.ts', import.meta.url))
const CODE = { first: 'old', old: 'old', new: 'new' } as const
type Build = keyof typeof CODE
const WORKFLOWS = { old: 'fixtures/old-steps.ts', new: 'fixtures/new-steps.ts' } as const

/** Workflows that go on while workers of several builds are rolled out by commands that are killed. */
describe('a roll-out whose command is killed', function () {
  this.timeout(60_000)
  quietTemporal()
  let database: Database
  let databaseUrl: string
  let address: string
  let client: Client
  let native: NativeConnection
  let code: Record<'old' | 'new', WorkflowBundle>
  useDatabase((opened, url) => {
    database = opened
    databaseUrl = url
  })
  before(async () => {
    address = await temporalAddress()
    client = new Client({ connection: await Connection.connect({ address }) })
    native = await NativeConnection.connect({ address })
    const bundled = (build: 'old' | 'new') =>
      bundleWorkflowCode({
        workflowsPath: fileURLToPath(new URL(WORKFLOWS[build], import.meta.url)),
        logger: new DefaultLogger('ERROR'),
      })
    code = { old: await bundled('old'), new: await bundled('new') }
  })
  after(async () => {
    await client?.connection.close()
    await native?.close()
  })

  let deployment: Deployment
  let workers: { worker: Worker; ended: Promise<void> }[]
  let workflows: WorkflowHandle[]
  const em = () => database.em.fork()

  beforeEach(async () => {
    await em().execute('truncate workflow_patches, worker_builds, worker_heartbeats')
    const deploymentName = `deployment-${randomUUID()}`
    deployment = {
      em: em(),
      taskQueue: deploymentName,
      deploymentName,
      gateway: createDeploymentGateway({
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: 'default',
        TEMPORAL_TLS: false,
        WORKER_DEPLOYMENT: deploymentName,
      }),
    }
    workers = []
    workflows = []
  })
  afterEach(async () => {
    for (const { worker } of workers) worker.shutdown()
    await Promise.all(workers.map(({ ended }) => ended))
    await deployment.gateway.close()
  })

  async function startWorker(buildId: Build): Promise<void> {
    const { taskQueue, deploymentName } = deployment
    const worker = await Worker.create({
      connection: native,
      taskQueue,
      workflowBundle: code[CODE[buildId]],
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName, buildId },
        defaultVersioningBehavior: 'AUTO_UPGRADE',
      },
      patchActivationCallback: new PatchSwitch(
        (patchId) => usePatch(em(), buildId, patchId),
        pino({ level: 'silent' }),
      ).isOn,
      // What one worker keeps in memory is not replayed: each task shows whether its build can follow the history.
      maxCachedWorkflows: 0,
    })
    workers.push({ worker, ended: worker.run() })
    await eventually(async () => {
      const routing = await deployment.gateway.read()
      assert.ok(routing?.builds.some(({ id }) => id === buildId))
    })
    await recordHeartbeat(em(), { workerId: randomUUID(), taskQueue, buildId, inApi: false })
    // Heard of for the whole test, however slow the machine is.
    await em().execute(`update worker_heartbeats set seen_at = now() + interval '10 minutes'`, [], 'run')
  }
  /** Builds that took all tasks one after the other; the last has them. */
  async function promoted(...builds: Build[]): Promise<void> {
    for (const build of builds) {
      await startWorker(build)
      await promote(deployment, build)
      await goOn()
    }
  }

  /** Begins one more workflow, and has all go a step; tells whether the newest went the new way. */
  async function goOn(): Promise<boolean> {
    workflows.push(
      await client.workflow.start('steps', {
        taskQueue: deployment.taskQueue,
        workflowId: `steps-${randomUUID()}`,
        workflowTaskTimeout: '5s',
      }),
    )
    const ways = await Promise.all(
      workflows.map((workflow) =>
        client.withDeadline(Date.now() + 15_000, () => workflow.executeUpdate(step)),
      ),
    )
    return ways.at(-1)!
  }

  /** Runs the command in a process of its own, which is killed at the failpoint. */
  async function killed(command: 'promote' | 'back', failpoint: string): Promise<void> {
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_TASK_QUEUE: deployment.taskQueue,
      WORKER_DEPLOYMENT: deployment.deploymentName,
      FAILPOINT: `${failpoint}:crash`,
    }
    await new Promise<void>((resolve, reject) =>
      execFile(process.execPath, [COMMAND, 'deploy', command], { env }, (error, stdout, stderr) =>
        error?.signal === 'SIGKILL' && stderr.includes(`failpoint ${failpoint}: crash`)
          ? resolve()
          : reject(new Error(`not killed at ${failpoint}: ${stdout}${stderr}`)),
      ),
    )
  }
  /** Runs it to its end; answers what it says, or why it refuses. */
  async function deploy(command: 'promote' | 'back'): Promise<string> {
    try {
      return await { promote, back: goBack }[command](deployment, undefined)
    } catch (error) {
      assert.ok(error instanceof RollOutRefused, String(error))
      return error.message
    }
  }
  /** Every workflow ends, and no task of any has failed. */
  async function endsWell(): Promise<void> {
    for (const workflow of workflows) {
      await workflow.executeUpdate(finish)
      assert.deepEqual(failedTasks(await workflow.fetchHistory()), [])
    }
  }
  const status = (): Promise<string> => deploymentStatus(deployment)
  const newWayIsOn = () =>
    eventually(async () => assert.equal(await goOn(), true, 'new workflows go the new way'), {
      within: 20_000,
    })

  describe('promotion', () => {
    for (const [point, taker, answer] of [
      ['promote.before_temporal', 'old', /^Build new takes all tasks/],
      ['promote.before_ledger', 'new', /^Build new takes all tasks/],
      ['promote.after_ledger', 'new', /^No worker of a newer build than new, which takes all tasks, runs/],
    ] as const)
      it(`killed at ${point}: workflows go on, and the same command ends it`, async () => {
        await promoted('old')
        await startWorker('new')
        await killed('promote', point)
        await goOn()
        assert.match(await status(), new RegExp(`^${taker}  current`, 'm'))
        assert.match(await deploy('promote'), answer)
        assert.match(await status(), /^new  current  100 %(?!.*not promoted)/m)
        await newWayIsOn()
        await endsWell()
      })

    it('killed between Temporal and the ledger goes no new way, and can be taken back', async () => {
      await promoted('old')
      await startWorker('new')
      await killed('promote', 'promote.before_ledger')
      assert.equal(await goOn(), false)
      assert.equal(await goOn(), false)
      assert.match(await deploy('back'), /^Build old takes all tasks again/)
      assert.equal(await goOn(), false)
      await endsWell()
    })
  })

  describe('going back', () => {
    const again = /^Build old takes all tasks again/
    const already = /^Build old has taken the tasks of new back already/
    for (const [point, isDone, answer] of [
      ['back.before_ledger', false, again],
      ['back.before_temporal', false, again],
      ['back.after_temporal', true, already],
    ] as const)
      it(`going back from all tasks, killed at ${point}: workflows go on, and the same command ends it`, async () => {
        // One more build before could be gone back to by mistake.
        await (isDone ? promoted('first', 'old') : promoted('old'))
        await startWorker('new')
        await deploy('promote')
        await killed('back', point)
        assert.match(await status(), isDone ? /^old  current/m : /^new  current/m)
        // Before the ledger is told, the new build may go its new way: then there is no way back.
        if (point !== 'back.before_ledger') assert.equal(await goOn(), false)
        assert.match(await deploy('back'), answer)
        assert.match(await status(), /^old  current  100 %(?!.*not promoted)/m)
        assert.equal(await goOn(), false)
        await endsWell()
      })

    for (const [point, isDone, answer] of [
      ['back.before_temporal', false, again],
      ['back.after_temporal', true, already],
    ] as const)
      it(`going back from a part of the tasks, killed at ${point}: workflows go on, and the same command ends it`, async () => {
        await (isDone ? promoted('first', 'old') : promoted('old'))
        await startWorker('new')
        await ramp(deployment, 50, 'new')
        await killed('back', point)
        assert.equal(await goOn(), false)
        assert.match(await deploy('back'), answer)
        assert.match(await status(), /^old  current  100 %/m)
        assert.doesNotMatch(await status(), /ramping/)
        assert.equal(await goOn(), false)
        await endsWell()
      })

    it('killed between the ledger and Temporal can be turned into a promotion', async () => {
      await promoted('old')
      await startWorker('new')
      await deploy('promote')
      await killed('back', 'back.before_temporal')
      assert.equal(await goOn(), false)
      assert.match(await deploy('promote'), /^Build new takes all tasks/)
      await newWayIsOn()
      assert.match(await deploy('back'), /old does not know \(second-pause\)/)
      await endsWell()
    })
  })
})
