import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createSignal } from '../../support/factories.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('paging through a list', () => {
  let user: TestUser
  const api = useApi()
  beforeEach(async () => {
    user = await api.addUser()
  })

  const get = (path: string, token = user.token) => api.call('GET', `/api/v1${path}`, { token })
  const addSignals = async (count: number, fields: { symbol?: string } = {}) => {
    for (let added = 0; added < count; added++)
      await createSignal(api.database.em.fork(), { accountId: user.accountId, ...fields })
  }
  const faultsOf = async (path: string, token = user.token): Promise<[string, string][]> => {
    const { status, body } = await get(path, token)
    assert.equal(status, 400, JSON.stringify(body))
    return body.details.map(({ field, code }: { field: string; code: string }) => [field, code])
  }

  it('paging through a list by cursor shows every row once, and says where it is', async () => {
    await addSignals(5)
    const seen: string[] = []
    const offsets: number[] = []
    for (let cursor = ''; ;) {
      const { data } = (await get(`/signals?limit=2${cursor}`)).body
      seen.push(...data.signals.map(({ id }: { id: string }) => id))
      offsets.push(data.offset)
      assert.deepEqual([data.total, data.totalIsExact, data.limit], [5, true, 2])
      if (data.nextCursor === null) break
      assert.match(data.nextCursor, /^[\w-]{40,200}$/)
      cursor = `&cursor=${data.nextCursor}`
    }
    assert.deepEqual([new Set(seen).size, offsets], [5, [0, 2, 4]])
  })

  it('keeps the first count, so that deep pages need no count of their own', async () => {
    await addSignals(3)
    const first = (await get('/signals?limit=1')).body.data
    await addSignals(1)
    const second = (await get(`/signals?limit=1&cursor=${first.nextCursor}`)).body.data
    assert.deepEqual([second.total, second.offset], [3, 1])
    assert.equal((await get('/signals?limit=1')).body.data.total, 4)
  })

  it('refuses a cursor beside an offset, together with all other faults', async () => {
    await addSignals(2)
    const { nextCursor } = (await get('/signals?limit=1')).body.data
    assert.deepEqual(await faultsOf(`/signals?cursor=${nextCursor}&offset=0&limit=0`), [
      ['limit', 'custom'],
      ['cursor', 'cursor_and_offset'],
    ])
  })

  it('refuses a cursor of another filter, order or list', async () => {
    await addSignals(2)
    const { nextCursor } = (await get('/signals?limit=1&symbol=aapl')).body.data
    assert.equal((await get(`/signals?symbol=AAPL&limit=500&cursor=${nextCursor}`)).status, 200)
    for (const path of ['/signals?symbol=MSFT', '/signals?limit=1', '/orders?symbol=AAPL', '/alerts?limit=1'])
      assert.deepEqual(await faultsOf(`${path}&cursor=${nextCursor}`), [['cursor', 'invalid_cursor']], path)
  })

  it('refuses texts that are no cursors', async () => {
    const made = (text: string) => Buffer.from(text).toString('base64url')
    await addSignals(2)
    const { nextCursor } = (await get('/signals?limit=1')).body.data
    const [version, binding, offset, total, known, instant, id] = Buffer.from(nextCursor, 'base64url')
      .toString()
      .split(' ')
    const parts = [version, binding, offset, total, known, instant]
    const hostile = [
      '',
      'x',
      '%00',
      made(''),
      made([...parts].join(' ')),
      made([...parts, id, id].join(' ')),
      made([...parts, "'; drop table signals; --"].join(' ')),
      made([version, binding, offset, total, known, '99999999999999999', id].join(' ')),
      made([version, binding, offset, total, known, '-1', id].join(' ')),
      made([version, binding, '1e9', total, known, instant, id].join(' ')),
      made(['p2', binding, offset, total, known, instant, id].join(' ')),
      'A'.repeat(301),
    ]
    for (const text of hostile)
      assert.equal((await faultsOf(`/signals?limit=1&cursor=${text}`))[0]![0], 'cursor', text)
    assert.deepEqual(
      (await faultsOf(`/signals?cursor=${nextCursor}&cursor=${nextCursor}`)).map(([field]) => field),
      ['cursor'],
    )
  })

  it('shows nothing of other users by a cursor of theirs', async () => {
    await addSignals(3)
    const { nextCursor } = (await get('/signals?limit=1')).body.data
    const other = await api.addUser()
    const { status, body } = await get(`/signals?limit=1&cursor=${nextCursor}`, other.token)
    assert.deepEqual([status, body.data.signals, body.data.nextCursor], [200, [], null])
  })

  it('paging through a list of a timeline goes from its oldest entry on, and is bound to its signal', async () => {
    const { id } = await createSignal(api.database.em.fork(), { accountId: user.accountId })
    const another = await createSignal(api.database.em.fork(), { accountId: user.accountId })
    for (const key of ['received', 'waiting', 'acknowledged'])
      await api.database.em.execute(
        `insert into signal_events (signal_id, key, kind, at, message) values (?, ?, ?, now(), 'm')`,
        [id, key, key],
      )
    const first = (await get(`/signals/${id}/events?limit=2`)).body.data
    const second = (await get(`/signals/${id}/events?limit=2&cursor=${first.nextCursor}`)).body.data
    assert.deepEqual(
      [...first.events, ...second.events].map(({ kind }: { kind: string }) => kind),
      ['received', 'waiting', 'acknowledged'],
    )
    assert.deepEqual(await faultsOf(`/signals/${another.id}/events?cursor=${first.nextCursor}`), [
      ['cursor', 'invalid_cursor'],
    ])
    assert.equal((await get(`/signals/${randomUUID()}/events?cursor=${first.nextCursor}`)).status, 400)
  })
})
