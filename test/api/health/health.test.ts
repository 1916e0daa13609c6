import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DiskSpace } from '#api/metrics/dependency-probes.ts'
import { recordFeedNews } from '#db/watch/account-feeds.ts'
import { keepFailing, recordFailedTasks } from '#db/watch/failing-workflows.ts'
import { recordHeartbeat } from '#db/watch/worker-heartbeats.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'

describe('health', () => {
  let api: ApiServer
  /** Seconds. */
  let uptime = 3_600
  let disk: DiskSpace | null = null
  const venue = createServer((_, response) => response.writeHead(200).end('{}'))
  before(async function () {
    this.timeout(60_000)
    await new Promise<void>((resolve) => void venue.listen(0, '127.0.0.1', resolve))
    api = await startApi({
      venueUrl: `http://127.0.0.1:${(venue.address() as AddressInfo).port}`,
      uptime: () => uptime,
      diskSpace: async () => disk,
    })
  })
  after(async () => {
    await api.stop()
    venue.close()
    venue.closeAllConnections()
  })

  const beat = (taskQueue: string, buildId = 'this build') =>
    recordHeartbeat(api.database.em.fork(), {
      workerId: randomUUID(),
      taskQueue,
      buildId,
    })
  beforeEach(() => api.database.em.execute('delete from worker_heartbeats'))

  it('health of the whole is not ready while no worker of its task queue beats', async () => {
    await beat('of another installation')
    const { status, body } = await api.call('GET', '/readyz')
    assert.deepEqual([status, body.down], [503, ['worker']])
  })

  it('health of the whole is not ready once the last worker has been silent for four seconds', async () => {
    await beat('signals')
    assert.equal((await api.call('GET', '/readyz')).status, 200)
    await api.database.em.execute(`update worker_heartbeats set seen_at = seen_at - interval '4 seconds'`)
    assert.deepEqual((await api.call('GET', '/readyz')).body.down, ['worker'])
  })

  describe('of the whole, with a worker of another build than the API', () => {
    const down = async () => {
      const { body } = await api.call('GET', '/readyz')
      return [body.down, body.workersOfOtherBuild]
    }
    const aged = (seconds: number) =>
      api.database.em.execute(
        `update worker_heartbeats set started_at = now() - interval '${seconds} seconds'`,
      )
    beforeEach(async () => {
      uptime = 3_600
      await beat('signals')
      await beat('signals', 'another build')
      await beat('of another installation', 'another build')
    })

    it('health of the whole, with a worker of another build than the API is ready for the minute that an update may take, whichever of the two is the newer', async () => {
      await aged(59)
      assert.deepEqual(await down(), [[], 0])
      await aged(3_600)
      uptime = 59
      assert.deepEqual(await down(), [[], 0])
    })

    it('health of the whole, with a worker of another build than the API is not ready after that, until the worker is gone', async () => {
      await aged(61)
      assert.deepEqual(await down(), [['build'], 1])
      await api.database.em.execute(`delete from worker_heartbeats where build_id = 'another build'`)
      assert.deepEqual(await down(), [[], 0])
    })
  })

  it('health of the whole is not ready while workflows fail on their code again and again', async () => {
    await beat('signals')
    const em = api.database.em.fork()
    await recordFailedTasks(em, 'signals', ['first', 'second'])
    await keepFailing(em, ['first', 'second'], new Map([['first', 2]]))
    const { status, body } = await api.call('GET', '/readyz')
    assert.deepEqual([status, body.down, body.failingWorkflows], [503, ['workflows'], 1])
    await keepFailing(em, ['first'], new Map([['first', 0]]))
    assert.equal((await api.call('GET', '/readyz')).status, 200)
  })

  it('health of the whole is not ready while less than 64 MiB are free on the disk of the data folder', async () => {
    await beat('signals')
    for (const [freeBytes, down] of [
      [(64 << 20) - 1, ['disk']],
      [64 << 20, []],
    ] as const) {
      disk = { freeBytes, sizeBytes: 1 << 30 }
      const { status, body } = await api.call('GET', '/readyz')
      assert.deepEqual([status, body.down], [down.length > 0 ? 503 : 200, down])
    }
    disk = null
  })

  it('health of the whole is not ready while no worker follows an account, and does not name it to strangers', async () => {
    await beat('signals')
    const { accountId } = await api.addUser()
    await recordFeedNews(api.database.em.fork(), accountId, { isCompared: true, dueWithin: -16_000 })
    await api.database.em.execute(`update broker_connections set updated_at = now() - interval '2 minutes'`)
    const { status, body } = await api.call('GET', '/readyz')
    assert.deepEqual([status, body.down, body.unfollowedAccounts], [503, ['feed'], 1])
    assert.ok(!JSON.stringify(body).includes(accountId))
    await recordFeedNews(api.database.em.fork(), accountId, { isCompared: true, dueWithin: 1_000 })
    assert.equal((await api.call('GET', '/readyz')).status, 200)
  })
})
