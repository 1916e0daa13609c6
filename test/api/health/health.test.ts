import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { recordHeartbeat } from '#db/watch/worker-heartbeats.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'

describe('health', () => {
  let api: ApiServer
  let isVenueUp = true
  const venue = createServer((_, response) => response.writeHead(isVenueUp ? 200 : 500).end('{}'))
  before(async function () {
    this.timeout(60_000)
    await new Promise<void>((resolve) => void venue.listen(0, '127.0.0.1', resolve))
    api = await startApi({ venueUrl: `http://127.0.0.1:${(venue.address() as AddressInfo).port}` })
  })
  after(async () => {
    await api.stop()
    venue.close()
    venue.closeAllConnections()
  })

  it('of the process needs nothing else', async () => {
    const { status, body } = await api.call('GET', '/healthz')
    assert.deepEqual([status, body], [200, { status: 'ok' }])
  })

  const beat = (taskQueue: string) =>
    recordHeartbeat(api.database.em.fork(), { workerId: randomUUID(), taskQueue })

  it('of the whole is not ready while no worker of its task queue beats', async () => {
    await beat('of another installation')
    const { status, body } = await api.call('GET', '/readyz')
    assert.deepEqual([status, body.down], [503, ['worker']])
  })

  it('of the whole is not ready once the last worker has been silent for four seconds', async () => {
    await beat('signals')
    assert.equal((await api.call('GET', '/readyz')).status, 200)
    await api.database.em.execute(`update worker_heartbeats set seen_at = seen_at - interval '4 seconds'`)
    assert.deepEqual((await api.call('GET', '/readyz')).body.down, ['worker'])
  })

  it('of the whole is ready when every part is up', async () => {
    await beat('signals')
    const { status, body } = await api.call('GET', '/readyz')
    assert.equal(status, 200)
    assert.deepEqual(body.parts, { database: 'up', temporal: 'up', worker: 'up', venue: 'up' })
  })

  it('of the whole names the parts that are down', async () => {
    await beat('signals')
    isVenueUp = false
    api.gateway.isReachable = false
    const { status, body } = await api.call('GET', '/readyz')
    isVenueUp = true
    api.gateway.isReachable = true
    assert.deepEqual([status, body.status, body.down], [503, 'not ready', ['temporal', 'venue']])
  })

  it('gives every answer its own id and keeps it out of caches', async () => {
    const [first, second] = [await api.call('GET', '/'), await api.call('GET', '/')]
    assert.equal(first.body.name, 'durable-trader')
    assert.notEqual(first.headers.get('x-request-id'), second.headers.get('x-request-id'))
    assert.equal(first.headers.get('cache-control'), 'no-store')
  })
})
