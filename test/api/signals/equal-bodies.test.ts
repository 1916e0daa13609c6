import assert from 'node:assert/strict'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck } from '#test/support/pluck.ts'

describe('equal bodies without sourceId, by a token whose owner takes them for one', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    user.token = await user.mint({ mergesRepeats: true })
  })

  const send = (changes: Record<string, unknown> = {}, token = user.token) =>
    api.call('POST', '/api/v1/signals', { token, body: signalBody(user.accountId, changes) })
  const stored = async (): Promise<number> =>
    (await api.database.em.fork().execute('select from signals where account_id = ?', [user.accountId]))
      .length
  const change = (sql: string) =>
    api.database.em.fork().execute(`update signals set ${sql} where account_id = ?`, [user.accountId])

  it('equal bodies without sourceId, by a token whose owner takes them for one are one signal, and the second is answered 200 with it and an advisory', async () => {
    const first = await send()
    const second = await send()
    assert.deepEqual([first.status, second.status], [201, 200], JSON.stringify(second.body))
    assert.equal(second.body.signal.id, first.body.signal.id)
    assert.deepEqual(pluck(second.body.advisories, 'code'), ['repeated_body'])
    assert.match(second.body.message, /^A signal by the same body exists already/)
    assert.equal(await stored(), 1)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are one signal when twenty of them come at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()))
    assert.equal(new Set(answers.map(({ body }) => body.signal.id)).size, 1)
    assert.equal(answers.filter(({ status }) => status === 200).length, 19)
    assert.equal(await stored(), 1)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are two signals where anything differs, a sourceId is sent, or another token sends', async () => {
    const other = await user.mint({ mergesRepeats: true })
    await send()
    assert.equal((await send({ quantity: 11 })).status, 201)
    assert.equal((await send({ metadata: { n: 1 } })).status, 201)
    assert.equal((await send({ sourceId: 'mine' })).status, 201)
    assert.equal((await send({}, other)).status, 201)
    assert.equal(await stored(), 5)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are two signals 30 seconds after the first, whatever was repeated meanwhile', async () => {
    const first = await send()
    await change(`accepted_at = now() - interval '25 seconds'`)
    assert.equal((await send()).body.signal.id, first.body.signal.id)
    await change(`accepted_at = now() - interval '31 seconds'`)
    assert.equal((await send()).status, 201)
    assert.equal(await stored(), 2)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are two signals when the first has come to nothing, and one while an order of it may work', async () => {
    await send()
    await change(`status = 'rejected'`)
    await change(`order_may_work = true`)
    assert.equal((await send()).status, 200)
    await change(`order_may_work = false`)
    assert.equal((await send()).status, 201)
    assert.equal(await stored(), 2)
  })

  it('equal bodies without sourceId, by a token whose owner has not chosen it, are two signals', async () => {
    const token = await user.mint()
    assert.deepEqual([(await send({}, token)).status, (await send({}, token)).status], [201, 201])
    assert.equal(await stored(), 2)
  })
})
