import { dueWithdrawals } from '#db/signal/of-tokens.ts'
import { GatewayUnavailable } from '#api/temporal/calls.ts'
import assert from 'node:assert/strict'
import { mintAccessToken } from '#api/http/access-token.ts'
import { AccessToken } from '#db/entities/index.ts'
import { randomUUID } from 'node:crypto'
import { createAccount, createSignal } from '../../support/factories.ts'
import { signalBody, startApi, untilJudged } from '../support/api-server.ts'
import { addPerson, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const SCOPES = ['trading:read', 'signals:write']

describe('access tokens', () => {
  const api = useApi()

  const create = (person: Person, changes: Record<string, unknown> = {}) =>
    person.call('POST', '/tokens', { label: 'TradingView', scopes: SCOPES, ...changes })

  it('access tokens are shown once, at their creation, and listed without their text', async () => {
    const person = await addPerson(api, { plan: 'PRO' })
    const { status, body } = await create(person)
    assert.equal(status, 201)
    const { token, id, prefix, expiresAt, createdAt } = body.data
    assert.match(token, /^dt_[0-9A-Za-z]{36}$/)
    assert.ok(token.startsWith(prefix))
    const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000
    assert.ok(days === 365 || days === 366, `${days} days`)
    const list = await person.call('GET', '/tokens')
    assert.deepEqual([list.body.data.total, list.body.data.limit, list.body.data.offset], [1, 50, 0])
    assert.equal(list.body.data.tokens[0].id, id)
    assert.doesNotMatch(JSON.stringify(list.body), new RegExp(token.slice(9)))
    const stored = JSON.stringify(
      await api.database.em.execute('select * from access_tokens where id = ?', [id]),
    )
    assert.ok(!stored.includes(token.slice(9)))
  })

  it('take equal bodies of signals for one by the choice of their owner alone, which may change', async () => {
    const person = await addPerson(api, { plan: 'PRO' })
    const listed = async () =>
      (await person.call('GET', '/tokens')).body.data.tokens.map(
        (one: { mergesRepeats: boolean }) => one.mergesRepeats,
      )
    const { id, mergesRepeats } = (await create(person)).body.data
    assert.deepEqual([mergesRepeats, await listed()], [false, [false]])
    const changed = await person.call('PATCH', `/tokens/${id}`, { mergesRepeats: true })
    assert.deepEqual([changed.status, changed.body.data], [200, { id, mergesRepeats: true }])
    assert.deepEqual(await listed(), [true])
    assert.equal((await create(person, { mergesRepeats: true })).body.data.mergesRepeats, true)
    const other = await addPerson(api, { plan: 'PRO' })
    assert.equal((await other.call('PATCH', `/tokens/${id}`, { mergesRepeats: false })).status, 404)
    assert.equal((await person.call('PATCH', `/tokens/${id}`, {})).status, 400)
    assert.deepEqual(await listed(), [true, true])
  })

  it('work at once within their scopes, and never again once revoked', async () => {
    const person = await addPerson(api, { plan: 'PRO' })
    const { token, id } = (await create(person)).body.data
    assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 200)
    const accounts = await api.call('GET', '/api/v1/accounts', { token })
    assert.deepEqual([accounts.status, accounts.body.error], [403, 'INSUFFICIENT_SCOPES'])
    assert.equal((await person.call('DELETE', `/tokens/${id}`)).status, 200)
    assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 401)
    assert.equal((await person.call('DELETE', `/tokens/${id}`)).status, 404)
    assert.equal((await person.call('GET', '/tokens')).body.data.total, 0)
  })

  it('end with their date, and with a plan that holds none', async () => {
    const person = await addPerson(api, { plan: 'PRO' })
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { token, id, ...made } = (await create(person, { expiresAt })).body.data
    assert.equal(made.expiresAt, expiresAt)
    assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 200)
    await api.database.em.execute(`update users set plan = 'ADVANCED' where id = ?`, [person.userId])
    assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 401)
    await api.database.em.execute(`update users set plan = 'PRO' where id = ?`, [person.userId])
    assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 200)
    await api.database.em.execute(`update access_tokens set expires_at = now() where id = ?`, [id])
    assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 401)
  })

  for (const [plan, cap] of [
    ['FREE', 0],
    ['BASIC', 0],
    ['ADVANCED', 0],
    ['PRO', 10],
  ] as const) {
    it(`access tokens are exactly ${cap} on plan ${plan}, of fifty asked for at once`, async () => {
      const person = await addPerson(api, { plan })
      const answers = await Promise.all(Array.from({ length: 50 }, () => untilJudged(() => create(person))))
      assert.equal(answers.filter(({ status }) => status === 201).length, cap)
      for (const { status, body } of answers)
        if (status !== 201) assert.deepEqual([status, body.code], [403, 'CONNECTED_APP_LIMIT_REACHED'])
      const list = await person.call('GET', '/tokens')
      assert.equal(list.body.data.total, cap)
      if (cap === 0) return
      await person.call('DELETE', `/tokens/${list.body.data.tokens[0].id}`)
      assert.equal((await create(person)).status, 201, 'a revoked one makes room')
    })
  }

  it('access tokens are not to be had by a token, however wide its scopes are', async () => {
    const { token } = await api.addUser()
    for (const [method, path] of [
      ['GET', '/tokens'],
      ['POST', '/tokens'],
      ['DELETE', `/tokens/${randomUUID()}`],
      ['PUT', '/auth/password'],
      ['GET', '/me'],
    ] as const) {
      const { status, body } = await api.call(method, `/api/v1${path}`, {
        token,
        body: method === 'GET' ? undefined : {},
      })
      assert.deepEqual([status, body.code], [403, 'INSUFFICIENT_SCOPES'], `${method} ${path}`)
    }
  })

  it('access tokens are not to be had in a session that was last verified long ago, until it is verified again', async () => {
    const person = await addPerson(api, { plan: 'PRO' })
    await api.database.em.execute(
      `update sessions set verified_at = now() - interval '6 minutes' where user_id = ?`,
      [person.userId],
    )
    const refused = await create(person)
    assert.deepEqual([refused.status, refused.body.code], [403, 'VERIFICATION_REQUIRED'])
    const wrong = await person.call('POST', '/auth/verify', { password: 'wrong password' })
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'WRONG_PASSWORD'])
    const { PASSWORD } = await import('../support/person.ts')
    assert.equal((await person.call('POST', '/auth/verify', { password: PASSWORD })).status, 200)
    assert.equal((await create(person)).status, 201)
  })

  const faults: Record<string, [changes: Record<string, unknown>, field: string]> = {
    'no label': [{ label: undefined }, 'label'],
    'an empty label': [{ label: '' }, 'label'],
    'a label with a NUL': [{ label: 'a\0b' }, 'label'],
    'a long label': [{ label: 'x'.repeat(101) }, 'label'],
    'no scopes': [{ scopes: [] }, 'scopes'],
    'an unknown scope': [{ scopes: ['everything'] }, 'scopes.0'],
    'a scope twice': [{ scopes: ['trading:read', 'trading:read'] }, 'scopes'],
    'scopes as text': [{ scopes: 'trading:read' }, 'scopes'],
    'an end that has passed': [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    'an end in more than 366 days': [
      { expiresAt: new Date(Date.now() + 367 * 86_400_000).toISOString() },
      'expiresAt',
    ],
    'an end that does not exist': [{ expiresAt: '2030-02-30T00:00:00Z' }, 'expiresAt'],
    'an end without a zone': [{ expiresAt: '2030-01-01T00:00:00' }, 'expiresAt'],
    'another field': [{ admin: true }, 'admin'],
  }
  for (const [name, [changes, field]] of Object.entries(faults)) {
    it(`access tokens are refused with ${name}`, async () => {
      const person = await addPerson(api, { plan: 'PRO' })
      const { status, body } = await create(person, changes)
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'])
      assert.deepEqual([...new Set(body.details.map((detail: { field: string }) => detail.field))], [field])
      assert.equal((await person.call('GET', '/tokens')).body.data.total, 0)
    })
  }
})

describe('a legacy API key', () => {
  let accountId: string
  let userId: string
  const api = useApi()
  before(async () => {
    ;({ accountId, userId } = await api.addUser())
  })

  const issue = async (scopes = SCOPES): Promise<string> => {
    const { token, hash, prefix } = mintAccessToken('dtk')
    const id = randomUUID()
    await api.database.em
      .fork()
      .insert(AccessToken, { id, userId, label: 'old', hash, prefix, scopes, createdAt: new Date() })
    await api.database.em.execute(`update access_tokens set kind = 'legacy' where id = ?`, [id])
    return token
  }
  const post = (query: string, headers: Record<string, string> = {}) =>
    api.call('POST', `/api/v1/signals${query}`, { body: signalBody(accountId), headers })

  it('a legacy API key is taken in its header, with the same checks of scope', async () => {
    const headers = { 'X-API-Key': await issue() }
    const posted = await post('', headers)
    assert.equal(posted.status, 201)
    const listed = await api.call('GET', '/api/v1/signals', { headers })
    assert.deepEqual([listed.status, listed.body.data.signals[0].id], [200, posted.body.signal.id])
    const refused = await api.call('GET', '/api/v1/accounts', { headers })
    assert.deepEqual([refused.status, refused.body.error], [403, 'INSUFFICIENT_SCOPES'])
  })

  it('a legacy API key is taken in the query of the webhook route, with a warning, and shows up nowhere', async () => {
    const key = await issue()
    const taken = await post(`?apiKey=${key}`)
    assert.equal(taken.status, 201)
    assert.ok(taken.headers.get('deprecation'))
    assert.equal(taken.headers.get('cache-control'), 'no-store')
    const encoded = await post(`?api%4Bey=${key.replaceAll('_', '%5F')}&`)
    assert.equal(encoded.status, 201)
    const seen = JSON.stringify([api.log, taken.body, encoded.body])
    assert.ok(!seen.includes(key.slice(9)))
  })

  it('a legacy API key is taken in the query of no other route', async () => {
    const { status, body } = await api.call('GET', `/api/v1/signals?apiKey=${await issue()}`)
    assert.deepEqual([status, body.code], [401, 'INVALID_API_KEY'])
  })

  it('a legacy API key is taken in no query where the operator does not want that, and still in its header', async () => {
    const strict = await startApi({ keyInQuery: false })
    try {
      const user = await strict.addUser()
      const { token: key, hash, prefix } = mintAccessToken('dtk')
      await strict.database.em.execute(
        `insert into access_tokens (id, user_id, kind, label, hash, prefix, scopes)
         values (?, ?, 'legacy', 'old', ?, ?, '{signals:write}')`,
        [randomUUID(), user.userId, hash, prefix],
      )
      const body = signalBody(user.accountId)
      const refused = await strict.call('POST', `/api/v1/signals?apiKey=${key}`, { body })
      assert.deepEqual([refused.status, refused.body.code], [401, 'INVALID_API_KEY'])
      const taken = await strict.call('POST', '/api/v1/signals', { body, headers: { 'X-API-Key': key } })
      assert.equal(taken.status, 201)
      assert.ok(!JSON.stringify(strict.log).includes(key))
    } finally {
      await strict.stop()
    }
  })

  it('a legacy API key is refused when it is given twice, even the same', async () => {
    const key = await issue()
    const twice = await post(`?apiKey=${key}&apiKey=${key}`)
    assert.deepEqual([twice.status, twice.body.details[0].field], [400, 'apiKey'])
    assert.equal((await post(`?apiKey=${key}`, { 'X-API-Key': key })).status, 401)
    const { token } = await api.addUser()
    assert.equal((await post('', { 'X-API-Key': key, Authorization: `Bearer ${token}` })).status, 401)
    assert.equal((await post(`?apiKey=${key}`, { Authorization: `Bearer ${token}` })).status, 401)
  })

  it('a legacy API key is refused when it is revoked, expired, empty or invented', async () => {
    const [revoked, expired] = [await issue(), await issue()]
    for (const [key, change] of [
      [revoked, 'revoked_at = now()'],
      [expired, 'expires_at = now()'],
    ] as const)
      await api.database.em.execute(`update access_tokens set ${change} where prefix = ?`, [key.slice(0, 9)])
    for (const key of [revoked, expired, mintAccessToken('dtk').token, 'dtk_', 'x'])
      for (const answer of [await post('', { 'X-API-Key': key }), await post(`?apiKey=${key}`)])
        assert.deepEqual([answer.status, answer.body.code], [401, 'INVALID_API_KEY'], key)
    assert.equal((await post('?apiKey=')).status, 401)
  })
})

describe('revoking a token whose signals wait', () => {
  let person: Person
  let accountId: string
  const api = useApi()
  beforeEach(async () => {
    api.gateway.messages.length = 0
    api.gateway.onWithdraw = async () => ({ status: 'cancelled', reason: 'WITHDRAWN' })
    person = await addPerson(api, { plan: 'PRO' })
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
  })

  /** A token with a signal that waits for a person, another that waits for its time, and one that has ended. */
  async function withSignals() {
    const made = await person.call('POST', '/tokens', {
      label: 'alerts',
      scopes: ['trading:read', 'signals:write'],
    })
    const tokenId: string = made.body.data.id
    const add = (fields: object) =>
      createSignal(api.database.em, { accountId, tokenId, workflowStartedAt: new Date(), ...fields })
    const pending = await add({ executeMode: 'pending', status: 'pending' })
    const scheduled = await add({ executeMode: 'scheduled', status: 'scheduled' })
    await add({ status: 'executed' })
    await add({ status: 'queued', decidedBy: 'ada@example.com', decidedAt: new Date() })
    await createSignal(api.database.em, { accountId, executeMode: 'pending', status: 'pending' })
    return { tokenId, waiting: [pending.id, scheduled.id].toSorted() }
  }
  const withdrawn = () => api.gateway.messages.map(({ to }) => to.signalId).toSorted()

  it('shows how many wait by its authority, and withdraws them', async () => {
    const { tokenId, waiting } = await withSignals()
    const { tokens } = (await person.call('GET', '/tokens')).body.data
    assert.equal(tokens[0].waitingSignals, 2)
    const { status, body } = await person.call('DELETE', `/tokens/${tokenId}`)
    assert.deepEqual([status, body.data.signals], [200, { waiting: 0, withdrawn: 2 }])
    assert.match(body.data.message, /withdrawn: 2/)
    assert.deepEqual(withdrawn(), waiting)
    const [event] = (await person.call('GET', '/audit-log')).body.data.events
    assert.deepEqual([event.data.signals, event.data.waiting], ['withdraw', 2])
  })

  it('keeps them when that is asked for, and says what becomes of them', async () => {
    const { tokenId } = await withSignals()
    const { body } = await person.call('DELETE', `/tokens/${tokenId}?signals=keep`)
    assert.deepEqual(body.data.signals, { waiting: 2, withdrawn: 0 })
    assert.match(body.data.message, /SENDER_REVOKED/)
    assert.deepEqual(withdrawn(), [])
    assert.deepEqual(await dueWithdrawals(api.database.em.fork(), tokenId, [], 10), [])
  })

  it('revoking a token whose signals wait is answered all the same when Temporal is away, and leaves the signals to the supervisor', async () => {
    const { tokenId, waiting } = await withSignals()
    api.gateway.onWithdraw = () => Promise.reject(new GatewayUnavailable('away'))
    const { status, body } = await person.call('DELETE', `/tokens/${tokenId}`)
    assert.deepEqual([status, body.data.signals], [200, { waiting: 2, withdrawn: 0 }])
    const left = await dueWithdrawals(api.database.em.fork(), tokenId, [], 10)
    assert.deepEqual(left.map(({ signal }) => signal.id).toSorted(), waiting)
    assert.deepEqual(new Set(left.map(({ by }) => by)), new Set([person.email]))
  })
})
