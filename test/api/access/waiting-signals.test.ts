import assert from 'node:assert/strict'
import type { Answer, TestUser } from '../support/api-server.ts'
import { signalBody } from '../support/api-server.ts'
import { createAccount } from '../../support/factories.ts'
import { useApi } from '../support/use-api.ts'

const MOST = 10

describe('signals of one account that wait', () => {
  let user: TestUser
  const api = useApi({ maxWaiting: MOST })
  beforeEach(async () => {
    user = await api.addUser()
  })

  const post = (changes: Record<string, unknown> = {}, accountId = user.accountId): Promise<Answer> =>
    api.call('POST', '/api/v1/signals', {
      token: user.token,
      body: signalBody(accountId, { executeMode: 'pending', ...changes }),
    })
  const inAnHour = () => ({
    executeMode: 'scheduled',
    scheduledProcessAt: new Date(Date.now() + 3_600_000).toISOString().slice(0, 19),
    timezone: 'UTC',
  })
  const waiting = async (accountId = user.accountId): Promise<number> => {
    const rows = await api.database.em.execute<unknown[]>(
      `select from signals where account_id = ? and status in ('pending', 'scheduled')`,
      [accountId],
    )
    return rows.length
  }
  const fill = async () => {
    for (let count = 0; count < MOST; count++) assert.ok((await post({ sourceId: `s${count}` })).body.success)
  }
  const assertFull = ({ status, body }: Answer) => {
    assert.deepEqual([status, body.success, body.code], [409, false, 'WAITING_SIGNAL_LIMIT_REACHED'])
    assert.match(body.error, /^10 signals of the account wait,.*withdraw/)
  }

  it('signals of one account that wait are never more than may wait, of fifty sent at once in several symbols and both modes', async () => {
    for (let round = 0; round < 5; round++) {
      user = await api.addUser()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          post({ symbol: ['AAPL', 'MSFT', 'NVDA'][n % 3], ...(n % 2 === 0 && inAnHour()) }),
        ),
      )
      assert.equal(answers.filter(({ body }) => body.success).length, MOST)
      answers.filter(({ body }) => !body.success).forEach(assertFull)
      assert.equal(await waiting(), MOST)
    }
  })

  it('leave room for immediate ones, and for those of another account', async () => {
    await fill()
    assertFull(await post())
    assert.equal((await post({ executeMode: 'immediate' })).status, 201)
    const other = await createAccount(api.database.em, { userId: user.userId })
    assert.equal((await post({}, other.id)).status, 201)
  })

  it('signals of one account that wait are returned for the same sourceId sent again, when no more may wait', async () => {
    await fill()
    assert.equal((await post({ sourceId: 's3' })).status, 200)
  })

  it('make room when they stop waiting', async () => {
    await fill()
    await api.database.em.execute(
      `update signals set status = 'cancelled' where account_id = ? and source_id = 's3'`,
      [user.accountId],
      'run',
    )
    assert.equal((await post()).status, 201)
    assertFull(await post())
  })

  it('signals of one account that wait may be replaced by others when no more may wait; one that does not wait may not', async () => {
    await fill()
    const { body } = await post({ executeMode: 'immediate', sourceId: 'working' })
    assert.equal(body.success, true)
    await post({ sourceId: 's3', replaceExisting: true })
    assertFull(await post({ sourceId: 'working', replaceExisting: true }))
    assert.deepEqual(
      api.gateway.messages.filter(({ kind }) => kind === 'replace').length,
      1,
      'only the waiting one was asked to give way',
    )
  })
})
