import assert from 'node:assert/strict'
import { createLimits } from '#api/access/limits.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { addPerson } from '../support/person.ts'

describe('requests of somebody who is known', function () {
  this.timeout(60_000)
  let api: ApiServer
  let counts: CountStore
  before(async () => {
    api = await startApi({ limits: (url) => createLimits((counts = openCountStore(url))) })
  })
  after(async () => {
    await api.stop()
    await counts.end()
  })
  beforeEach(() => api.database.em.execute('delete from request_counts'))

  const list = (token: string) => api.call('GET', '/api/v1/orders', { token })
  const keysCounted = async () =>
    (await counts.query<{ key: string; points: number }>('select key, points from request_counts')).rows.map(
      ({ key, points }) => [key, points],
    )

  it('are counted for their user, and refused beyond the limit until its window ends', async () => {
    const { userId, jwt } = await addPerson(api)
    assert.equal((await list(jwt)).headers.get('RateLimit-Remaining'), '199')
    assert.deepEqual(await keysCounted(), [[`default:user:${userId}`, 1]])
    await api.database.em.execute('update request_counts set points = 199')
    assert.deepEqual([(await list(jwt)).status, (await list(jwt)).status], [200, 429])
    await api.database.em.execute(`update request_counts set expire = 1`)
    const anew = await list(jwt)
    assert.deepEqual([anew.status, anew.headers.get('RateLimit-Remaining')], [200, '199'])
  })

  it('are the same counts as those of the replicas that count by themselves', async () => {
    const { userId, jwt } = await addPerson(api)
    await list(jwt)
    const { remaining } = await createLimits(counts).count('default', `user:${userId}`)
    assert.equal(remaining, 198)
  })

  it('count for nobody but the address once their session has ended', async () => {
    const { jwt } = await addPerson(api)
    await api.database.em.execute('update sessions set ended_at = now()')
    assert.equal((await list(jwt)).status, 401)
    const keys = await keysCounted()
    assert.deepEqual(
      keys.map(([key]) => String(key).startsWith('default:ip:')),
      [true],
    )
  })

  it('are answered while the counts cannot be written', async () => {
    const { jwt } = await addPerson(api)
    const holder = await counts.connect()
    try {
      await holder.query('begin; lock table request_counts in exclusive mode')
      const { status, headers } = await list(jwt)
      assert.deepEqual([status, headers.get('RateLimit-Remaining')], [200, '199'])
    } finally {
      await holder.query('rollback')
      holder.release()
    }
  })
})
