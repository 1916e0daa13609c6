import assert from 'node:assert/strict'
import { createAccount, createPosition, createSignal } from '../../support/factories.ts'
import { addPerson, PASSWORD } from '../support/person.ts'
import { useApi, useCounts } from '../support/use-api.ts'

describe('a desktop companion', () => {
  const { limits } = useCounts()
  let userId: string
  let token: string
  const api = useApi({ limits })
  beforeEach(async () => {
    const person = await addPerson(api)
    await api.database.em.execute('delete from sign_in_counts')
    userId = person.userId
    const body = { email: person.email, password: PASSWORD, deviceName: 'Desk' }
    token = (await api.call('POST', '/api/v1/auth/desktop-login', { body })).body.data.token
  })

  const sync = (path: string) => api.call('GET', `/api/v1/desktop/sync/${path}`, { token })
  const position = (accountId: string) => createPosition(api.database.em, { userId, accountId })
  const age = (table: string) =>
    api.database.em.execute(`update ${table} set updated_at = now() - interval '1 hour' where user_id = ?`, [
      userId,
    ])

  it('gets a full copy first, and then the changes', async () => {
    const account = await createAccount(api.database.em, { userId })
    const signal = await createSignal(api.database.em, { userId, accountId: account.id })
    await position(account.id)
    const { status, body } = await sync('snapshot')
    assert.equal(status, 200)
    const { accounts, positions, orders, signals, cursor } = body.data
    assert.deepEqual(
      [accounts[0].id, positions[0].symbol, orders, signals[0].id],
      [account.id, 'AAPL', [], signal.id],
    )

    await age('signals')
    await age('accounts')
    const quiet = (await sync(`changes?since=${cursor}`)).body.data
    assert.deepEqual([quiet.accounts, quiet.positions, quiet.signals, quiet.hasMore], [[], [], [], false])

    await api.database.em.execute(
      `update signals set status = 'cancelled', updated_at = now() where id = ?`,
      [signal.id],
    )
    const changed = (await sync(`changes?since=${quiet.cursor}`)).body.data
    assert.deepEqual([changed.signals[0].status, changed.accounts], ['cancelled', []])
  })

  it('learns of a closed position by the account that no longer holds it', async () => {
    const account = await createAccount(api.database.em, { userId })
    await position(account.id)
    const { cursor } = (await sync('snapshot')).body.data
    await api.database.em.execute('delete from positions where account_id = ?', [account.id])
    const { accounts, positions } = (await sync(`changes?since=${cursor}`)).body.data
    assert.deepEqual([accounts[0].id, positions], [account.id, []])
  })

  it('gets more changes than fit into one answer one after the other, none left out', async () => {
    const account = await createAccount(api.database.em, { userId })
    const { id } = await createSignal(api.database.em, { userId, accountId: account.id })
    const { cursor } = (await sync('snapshot')).body.data
    const columns = (
      await api.database.em.execute<{ name: string }[]>(
        `select column_name as name from information_schema.columns
         where table_name = 'signals' and column_name not in ('id', 'updated_at', 'sequence')`,
      )
    ).map(({ name }) => name)
    await api.database.em.execute(
      `insert into signals (id, updated_at, ${columns.join(',')})
       select gen_random_uuid(), now() + n * interval '5 ms', ${columns.map((name) => `s.${name}`).join(',')}
       from signals s, generate_series(1, 1100) n where s.id = ?`,
      [id],
    )
    const seen = new Set<string>()
    let since = cursor
    for (let round = 0; round < 5; round++) {
      const { data } = (await sync(`changes?since=${since}`)).body
      for (const signal of data.signals) seen.add(signal.id)
      since = data.cursor
      if (!data.hasMore) break
    }
    assert.equal(seen.size, 1101)
  })

  it('a desktop companion is not let in with anything but its own token', async () => {
    const { token: other } = await api.addUser()
    const { status } = await api.call('GET', '/api/v1/desktop/sync/snapshot', { token: other })
    assert.equal(status, 403)
  })

  it('a desktop companion receives the fault of a bad cursor', async () => {
    for (const query of [
      '',
      '?since=',
      '?since=x',
      `?since=${'A'.repeat(500)}`,
      '?since=a&since=b',
      '?until=1',
    ]) {
      const { status, body } = await sync(`changes${query}`)
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'], query)
    }
  })

  it('a desktop companion may ask sixty times a minute, each device for itself', async () => {
    const answers = []
    for (let n = 0; n < 61; n++) answers.push(await sync('snapshot'))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array<number>(60).fill(200), 429],
    )
    assert.equal(answers[0]!.headers.get('ratelimit-limit'), '60')
  })
})
