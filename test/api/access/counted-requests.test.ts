import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createLimits, type Standing } from '#api/access/limits.ts'
import { countedOf, findCounted } from '#db/identity/request-count.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Answer } from '../support/api-server.ts'
import { addPerson } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'
import { useApi, useCounts } from '../support/use-api.ts'

describe('requests of a known user', () => {
  const { limits, counts } = useCounts()
  const api = useApi({ limits })
  beforeEach(() => api.database.em.execute('delete from request_counts'))

  const list = (token: string) => api.call('GET', '/api/v1/orders', { token })
  const keysCounted = async () =>
    (await counts.query<{ key: string; points: number }>('select key, points from request_counts')).rows.map(
      ({ key, points }) => [key, points],
    )

  it('requests of a known user are counted for their user, and refused beyond the limit until its window ends', async () => {
    const { userId, jwt } = await addPerson(api)
    assert.equal((await list(jwt)).headers.get('RateLimit-Remaining'), '199')
    assert.deepEqual(await keysCounted(), [[`default:user:${userId}`, 1]])
    await api.database.em.execute('update request_counts set points = 199')
    assert.deepEqual([(await list(jwt)).status, (await list(jwt)).status], [200, 429])
    await api.database.em.execute(`update request_counts set expire = 1`)
    const anew = await list(jwt)
    assert.deepEqual([anew.status, anew.headers.get('RateLimit-Remaining')], [200, '199'])
  })

  it('requests of a known user stop trading sixty times more, after any number of reads, and read no more', async () => {
    const { jwt } = await addPerson(api)
    const stop = () =>
      api.call('PUT', '/api/v1/settings/halt', { token: jwt, body: { level: 'pauseEntries' } })
    await list(jwt)
    await api.database.em.execute('update request_counts set points = 200')
    assert.equal((await list(jwt)).status, 429)
    const stops: Answer[] = []
    // Fewer at once than a person may have under way.
    while (stops.length < 70) stops.push(...(await Promise.all(Array.from({ length: 5 }, stop))))
    const told = (status: number) =>
      stops
        .filter((answer) => answer.status === status)
        .map(({ headers }) => Number(headers.get('RateLimit-Remaining')))
        .toSorted((a, b) => a - b)
    assert.deepEqual([told(200), told(429)], [[...Array(60).keys()], Array(10).fill(0)])
    assert.equal(stops[0]!.headers.get('RateLimit-Limit'), '260')
    const { status, headers } = await list(jwt)
    assert.deepEqual([status, headers.get('RateLimit-Limit')], [429, '200'])
  })

  it('requests of a known user place as a person after any number of reads, and as a program within the limit', async () => {
    const { jwt, userId } = await addPerson(api)
    const token = await storeToken(api, userId, {})
    for (const path of ['/api/v1/signals', '/api/v1/orders']) {
      const place = (by: string) => api.call('POST', path, { token: by, body: {} })
      for (const by of [token, jwt]) await place(by)
      await api.database.em.execute('update request_counts set points = 200')
      const statuses = [(await list(jwt)).status, (await place(jwt)).status, (await place(token)).status]
      assert.deepEqual(statuses, [429, 400, 429], path)
      await api.database.em.execute('delete from request_counts')
    }
  })

  it('count only for the address once their session has ended', async () => {
    const { jwt } = await addPerson(api)
    await api.database.em.execute('update sessions set ended_at = now()')
    assert.equal((await list(jwt)).status, 401)
    const keys = await keysCounted()
    assert.deepEqual(
      keys.map(([key]) => String(key).startsWith('default:ip:')),
      [true],
    )
  })

  it('requests of a known user are taken off their count again when they are answered 5xx, also in the headers of that answer', async () => {
    const { userId, jwt } = await addPerson(api)
    const fail = async () => {
      const relations = ['orders', 'orders_away'] as const
      const rename = (from: string, to: string) =>
        api.database.em.execute(`alter table ${from} rename to ${to}`)
      await rename(...relations)
      const answer = await list(jwt)
      await rename(relations[1], relations[0])
      return answer
    }
    await list(jwt)
    const { status, headers } = await fail()
    assert.deepEqual([status, headers.get('RateLimit-Remaining')], [500, '199'])
    await eventually(async () => assert.deepEqual(await keysCounted(), [[`default:user:${userId}`, 1]]))
    assert.equal((await list(jwt)).headers.get('RateLimit-Remaining'), '198')
  })

  for (const isHere of [false, true])
    it(`requests of a known user that are taken off leave room for the same number ${isHere ? 'in memory' : 'in the database'}, after others were refused and the reserve was used`, async () => {
      const key = `user:${randomUUID()}`
      const limits = createLimits(counts)
      const count = async (reserve: boolean) => {
        if (isHere) return limits.countHere('default', key, { reserve })
        const found = await findCounted(
          api.database.em.fork(),
          { sql: 'select ?::text as id', parameters: [key] },
          'id',
          limits.besideHolder('default', { reserve }),
        ).then(([row]) => countedOf(row!))
        return limits.stateOf('default', found!, { reserve })
      }
      const many = async (times: number, reserve: boolean) => {
        const states = []
        for (let n = 0; n < times; n++) states.push(await count(reserve))
        return states.filter(({ isAllowed }) => isAllowed)
      }
      await many(199, false)
      const last = (await many(2, false))[0]!
      const reserved = await many(62, true)
      assert.deepEqual([last.remaining, last.isReserved, reserved.length], [0, false, 60])
      const back = async (states: readonly Standing[]) => {
        for (const state of states) limits.giveBack('default', key, state)
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
      await back([last, last])
      assert.equal((await many(5, false)).length, 2)
      await back([last, ...reserved.slice(0, 3)])
      assert.deepEqual([(await many(6, true)).length, (await many(1, false)).length], [4, 0])
    })

  it('requests of a known user are counted once where their count waits for others of the same key until it is late', async () => {
    const { userId, jwt } = await addPerson(api)
    await list(jwt)
    const holder = await counts.connect()
    try {
      await holder.query('begin; select from request_counts for update')
      const answers = await Promise.all(Array.from({ length: 3 }, () => list(jwt)))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      // In memory, each of them.
      assert.deepEqual(
        answers.map(({ headers }) => Number(headers.get('RateLimit-Remaining'))).toSorted((a, b) => a - b),
        [197, 198, 199],
      )
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    await new Promise((resolve) => setTimeout(resolve, 700))
    assert.deepEqual(await keysCounted(), [[`default:user:${userId}`, 1]])
  })

  it('requests of a known user are answered while the counts cannot be written', async () => {
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
