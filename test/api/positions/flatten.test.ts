import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('POST /positions/flatten', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
  })

  const flatten = (body: object = {}, key?: string, token = user.token) =>
    api.call('POST', '/api/v1/positions/flatten', {
      token,
      body,
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
    })
  const show = (path: string) => api.call('GET', `/api/v1/positions/flatten${path}`, { token: user.token })

  it('begins one flattening for each key, of the accounts of the mode, and shows it afterwards', async () => {
    const key = randomUUID()
    const first = await flatten({ reason: 'enough' }, key)
    assert.deepEqual([first.status, first.body.flatten.status], [202, 'working'], JSON.stringify(first.body))
    const { id } = first.body.flatten
    assert.equal(api.gateway.flattened.at(-1), id)
    const again = await flatten({}, key)
    assert.deepEqual([again.status, again.body.flatten.id], [200, id])
    assert.equal((await flatten({ symbols: ['AAPL'] }, key)).body.error, 'IDEMPOTENCY_KEY_REUSED')
    assert.equal((await flatten({}, randomUUID())).status, 202)
    const [row] = await api.database.em
      .fork()
      .execute<{ account_ids: string }[]>(
        'select to_json(account_ids) as account_ids from flattenings where id = ?',
        [id],
      )
    assert.deepEqual(row!.account_ids, [user.accountId])
    assert.equal((await show(`/${id}`)).body.flatten.reason, 'enough')
    assert.equal((await show('')).body.flattens.length, 2)
  })

  it('POST /positions/flatten is answered 404 for an account or a flattening of somebody else', async () => {
    const { accountId } = await api.addUser()
    assert.equal((await flatten({ accountId })).body.error, 'ACCOUNT_NOT_FOUND')
    assert.equal((await show(`/${randomUUID()}`)).body.error, 'FLATTEN_NOT_FOUND')
  })

  it('stays stored where Temporal is away', async () => {
    api.gateway.onFlatten = async () => {
      throw new Error('away')
    }
    const { status, body } = await flatten({ accountId: user.accountId })
    assert.deepEqual([status, body.flatten.status, body.flatten.lines], [202, 'working', []])
  })
})
