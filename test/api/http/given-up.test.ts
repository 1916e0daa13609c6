import { asRequest, detachFromRequest, giveUpRequest } from '#api/http/deadline.ts'
import assert from 'node:assert/strict'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('the transactions of a request that was given up', () => {
  let user: TestUser
  const api = useApi()
  before(async () => {
    user = await api.addUser()
  })

  const rows = (sql: string) => api.database.em.fork().execute<Record<string, unknown>[]>(sql)

  it('the transactions of a request that was given up are not committed, and what it has left to do for later is', async () => {
    const em = api.database.em.fork()
    const rename = (name: string) =>
      em.fork().transactional(async (inner) => {
        await inner.execute('update strategies set name = ? where id = ?', [name, user.strategyId])
        giveUpRequest()
      })
    const named = async () =>
      (await rows(`select name from strategies where id = '${user.strategyId}'`))[0]!['name']
    const before = await named()
    await asRequest(() => assert.rejects(rename('too late'), /was refused before/))
    assert.equal(await named(), before)
    await asRequest(() => detachFromRequest(() => rename('in the background')))
    assert.equal(await named(), 'in the background')
  })
})
