import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import pino from 'pino'
import type { Part } from '#config/periodically.ts'
import { BUILD_ID } from '#config/build-id.ts'
import type { Database } from '#db/engine/database.ts'
import { promoteBuild, promotionsOf } from '#db/watch/worker-builds.ts'
import { recordHeartbeat } from '#db/watch/worker-heartbeats.ts'
import { deploymentKeeper } from '#worker/deployment.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

const TASK_QUEUE = 'signals'

/** A deployment in Temporal, and how often it was asked for. */
class KnownDeployment {
  current: string | null
  looks = 0
  /** Whether Temporal answers. */
  isUp = true

  constructor(current: string | null) {
    this.current = current
  }

  readonly #token = () => Buffer.from(String(this.current))
  readonly client = {
    options: { namespace: 'default' },
    workflowService: {
      describeWorkerDeployment: async () => {
        this.looks += 1
        if (!this.isUp) throw new Error('Temporal is gone')
        return {
          conflictToken: this.#token(),
          workerDeploymentInfo: {
            routingConfig: { currentDeploymentVersion: this.current && { buildId: this.current } },
          },
        }
      },
      setWorkerDeploymentCurrentVersion: async ({
        buildId,
        conflictToken,
      }: {
        buildId: string
        conflictToken: Uint8Array
      }) => {
        assert.deepEqual(conflictToken, this.#token())
        this.current = buildId
      },
    },
  } as unknown as Client
}

describe('a worker that keeps its deployment', function () {
  this.timeout(60_000)
  let database: Database
  useDatabase((opened) => {
    database = opened
  })
  const em = () => database.em.fork()
  const { now } = performance
  let keeper: Part | undefined
  beforeEach(async () => {
    await em().execute('truncate workflow_patches, worker_builds, worker_heartbeats')
  })
  afterEach(async () => {
    performance.now = now
    await keeper?.stop()
  })
  const keep = (known: KnownDeployment): void => {
    keeper = deploymentKeeper({
      client: known.client,
      em: em(),
      settings: {
        WORKER_VERSIONING: 'deployment',
        WORKER_DEPLOYMENT: 'durable-trader',
        TEMPORAL_TASK_QUEUE: TASK_QUEUE,
      },
      log: pino({ level: 'silent' }),
    })
    keeper.start()
  }
  const workerOf = (buildId: string) => {
    const workerId = randomUUID()
    const beat = () => recordHeartbeat(em(), { workerId, taskQueue: TASK_QUEUE, buildId, inApi: false })
    const beating = setInterval(() => void beat(), 500)
    return { beat, die: () => clearInterval(beating) }
  }
  const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1_000))

  it('takes all tasks at once where no build has them, and then asks Temporal six times a minute', async () => {
    const known = new KnownDeployment(null)
    keep(known)
    await eventually(() => assert.equal(known.current, BUILD_ID), { within: 3_000 })
    assert.ok((await promotionsOf(em())).get(BUILD_ID))
    const before = known.looks
    await seconds(12)
    assert.ok(known.looks - before <= 2, `${known.looks - before} looks in 12 s`)
    assert.ok(known.looks > before, 'it goes on')
  })

  it('looks every second where Temporal did not answer', async () => {
    const known = new KnownDeployment(BUILD_ID)
    known.isUp = false
    keep(known)
    await seconds(4)
    assert.ok(known.looks >= 3, `${known.looks} looks in 4 s`)
  })

  it('stands in for a build that was promoted meanwhile and has had no worker for a minute, and not sooner', async () => {
    const known = new KnownDeployment(BUILD_ID)
    await promoteBuild(em(), BUILD_ID)
    const other = workerOf('other')
    try {
      await other.beat()
      keep(known)
      await eventually(() => assert.equal(known.looks, 1))
      await promoteBuild(em(), 'other')
      known.current = 'other'
      await eventually(() => assert.equal(known.looks, 2), { within: 15_000 })
    } finally {
      other.die()
    }
    // Its worker counts as gone some seconds later, which a look at the usual pace finds.
    await eventually(() => assert.ok(known.looks >= 5), { within: 20_000 })
    assert.equal(known.current, 'other')
    for (const minutePart of [10, 20, 30, 40]) {
      performance.now = () => now.call(performance) + minutePart * 1_000
      await seconds(1.5)
      if (minutePart === 10) assert.equal(known.current, 'other')
    }
    await eventually(() => assert.equal(known.current, BUILD_ID), { within: 15_000 })
  })
})
