import { asRequest, beyondRequest, giveUpRequest } from '#api/http/given-up.ts'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { signalBody, startApi, type Answer, type ApiServer, type TestUser } from '../support/api-server.ts'

/** Milliseconds for which PostgreSQL stands still: longer than any sender is kept waiting. */
const STILL = 2_500

describe('while PostgreSQL stands still and then goes on', function () {
  this.timeout(60_000)
  let api: ApiServer
  let user: TestUser
  before(async () => {
    api = await startApi()
    user = await api.addUser()
  })
  after(() => api.stop())

  const rows = (sql: string) => api.database.em.fork().execute<Record<string, unknown>[]>(sql)
  const count = async (table: string): Promise<number> =>
    Number((await rows(`select count(*) as many from ${table}`))[0]!['many'])

  /** Answers to requests that come while every backend of this database stands still, once it has gone on for a while. */
  async function whileStill(send: () => Promise<Answer>[]): Promise<Answer[]> {
    const backends = await rows(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    // This view's own backend stands still, too: it is one of the pool that the API uses.
    const [own] = await rows('select pg_backend_pid() as pid')
    const pids = [...backends, own!].map(({ pid }) => pid as number)
    const signal = (name: NodeJS.Signals) => {
      for (const pid of new Set(pids)) process.kill(pid, name)
    }
    signal('SIGSTOP')
    try {
      const answers = send()
      await pause(STILL)
      signal('SIGCONT')
      return await Promise.all(answers)
    } finally {
      signal('SIGCONT')
      await pause(1_500)
    }
  }

  /** All connections that the API may have are open. */
  async function fillPool(): Promise<void> {
    await Promise.all(
      Array.from({ length: 20 }, () => api.call('GET', '/api/v1/signals', { token: user.token })),
    )
  }

  it('of 30 signals without sourceId, those that were answered 503 are stored never', async () => {
    await fillPool()
    const before = await count('signals')
    const answers = await whileStill(() =>
      Array.from({ length: 30 }, () =>
        api.call('POST', '/api/v1/signals', { token: user.token, body: signalBody(user.accountId, {}) }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 503).length
    assert.ok(refused > 0, 'none was refused')
    assert.equal((await count('signals')) - before, 30 - refused)
  })

  it('of 30 orders without a key, those that were answered 503 are stored never', async () => {
    await fillPool()
    const before = await count('orders')
    const body = { accountId: user.accountId, symbol: 'AAPL', side: 'BUY', orderType: 'MARKET', quantity: 1 }
    const answers = await whileStill(() =>
      Array.from({ length: 30 }, () => api.call('POST', '/api/v1/orders', { token: user.token, body })),
    )
    const refused = answers.filter(({ status }) => status === 503).length
    assert.ok(refused > 0, 'none was refused')
    assert.equal((await count('orders')) - before, 30 - refused, JSON.stringify(answers[0]!.body))
  })

  it('a transaction of a request that was given up is not committed, and what it left to do for later is', async () => {
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
    await asRequest(() => beyondRequest(() => rename('in the background')))
    assert.equal(await named(), 'in the background')
  })
})
