import { ACCESS_POLICY } from '#test/api/support/access-policy.ts'
import { createLimits } from '#api/access/limits.ts'
import { TIERS, type TierName } from '#api/access/policy.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  signalBody,
  startApi,
  type Answer,
  type ApiServer,
  type TestUser,
} from '../api/support/api-server.ts'
import { addPerson } from '../api/support/person.ts'

/** Routes that the specification names under a tier; every other one falls under the default. */
const NAMED_IN_SECTION_8: Partial<Record<TierName, string[]>> = {
  auth: [
    'POST /api/v1/auth/register',
    'POST /api/v1/auth/login',
    'POST /api/v1/auth/forgot-password',
    'POST /api/v1/auth/reset-password',
    'POST /api/v1/auth/desktop-login',
    'POST /api/v1/auth/device-login',
  ],
  password: [
    'PUT /api/v1/auth/password',
    'POST /api/v1/auth/mfa/disable',
    'POST /api/v1/auth/mfa/backup-codes/regenerate',
  ],
  secondFactor: ['POST /api/v1/auth/mfa/verify'],
  refresh: ['POST /api/v1/auth/refresh'],
  desktopSync: ['GET /api/v1/desktop/sync/snapshot', 'GET /api/v1/desktop/sync/changes'],
  default: ['POST /api/v1/signals', 'GET /api/v1/orders', 'GET /api/v1/accounts', 'GET /api/v1/positions'],
}

/** The table of section 4: routes, and the scope that an access token needs; null takes a JWT only. */
const SCOPES_OF_SECTION_4: Record<string, string | null> = {
  'GET /api/v1/trades': 'trading:read',
  'GET /api/v1/accounts': 'accounts:read',
  'GET /api/v1/positions': 'trading:read',
  'GET /api/v1/orders': 'trading:read',
  'GET /api/v1/strategies': 'trading:read',
  'GET /api/v1/signals': 'trading:read',
  'GET /api/v1/dashboard/summary': 'trading:read',
  'GET /api/v1/dashboard/balance-history': 'trading:read',
  'GET /api/v1/dashboard/account-performance': 'trading:read',
  'POST /api/v1/signals': 'signals:write',
  'DELETE /api/v1/signals/:id': 'signals:write',
  'POST /api/v1/signals/:id/process': null,
  'GET /api/v1/assets/:symbol': 'trading:read',
}

/** What sections 1, 4, 5, 8 and 9 of the specification say of every route and is told apart nowhere else. */
describe('the service, by the letter of the specification', function () {
  this.timeout(60_000)
  let api: ApiServer
  let user: TestUser
  let counts: CountStore | undefined
  before(async () => {
    api = await startApi({ limits: (url) => createLimits((counts = openCountStore(url))) })
    user = await api.addUser()
  })
  after(async () => {
    await counts?.end()
    await api.stop()
  })
  const get = (path: string, token: string | undefined = user.token) => api.call('GET', path, { token })
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api.call('POST', '/api/v1/signals', { token: user.token, body, headers })
  const signal = (changes: Record<string, unknown>, headers?: Record<string, string>) =>
    post(JSON.stringify(signalBody(user.accountId, changes)), headers)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)
  const scheduled = { executeMode: 'scheduled', scheduledProcessAt: tomorrow }

  it('answers a standard success by data and requestId', async () => {
    assert.deepEqual(Object.keys((await get('/api/v1/signals')).body).toSorted(), ['data', 'requestId'])
  })

  it('answers a standard error by error, code, details and requestId', async () => {
    const { body } = await get(`/api/v1/signals/${randomUUID()}`)
    assert.deepEqual(Object.keys(body).toSorted(), ['code', 'details', 'error', 'requestId'])
    assert.ok(Array.isArray(body.details))
  })

  it('answers a signal-creation success by success, message and signal', async () => {
    const { body } = await post(signalBody(user.accountId))
    assert.equal(body.success, true)
    assert.equal(typeof body.message, 'string')
    assert.equal(typeof body.signal, 'object')
  })

  it('answers a signal-creation error by success false, error, code and details', async () => {
    const { body } = await post({})
    assert.deepEqual(
      [body.success, body.error, body.code, Array.isArray(body.details)],
      [false, 'Validation failed', 'VALIDATION_ERROR', true],
    )
    for (const field of ['code', 'message', 'path']) assert.ok(field in body.details[0], field)
  })

  it('answers a bare success by the plural alone, or the record itself', async () => {
    assert.ok(Array.isArray((await get('/api/v1/orders')).body.orders))
    assert.ok(Array.isArray((await get('/api/v1/accounts')).body.accounts))
    assert.ok(Array.isArray((await get('/api/v1/positions')).body.positions))
    assert.equal((await get(`/api/v1/accounts/${user.accountId}`)).body.id, user.accountId)
  })

  it('answers a bare error by the code under error, and message', async () => {
    for (const path of ['orders', 'accounts', 'positions']) {
      const { body } = await get(`/api/v1/${path}/${randomUUID()}`)
      assert.match(body.error, /^[A-Z_]+$/, path)
      assert.equal(typeof body.message, 'string', path)
    }
  })

  it('gives a token one year unless its owner says otherwise', async () => {
    const person = await addPerson(api)
    const { body } = await person.call('POST', '/tokens', { label: 'alerts', scopes: ['signals:write'] })
    const inAYear = new Date()
    inAYear.setUTCFullYear(inAYear.getUTCFullYear() + 1)
    assert.ok(Math.abs(Date.parse(body.data.expiresAt) - inAYear.getTime()) < 60_000, body.data.expiresAt)
  })

  for (const [route, scope] of Object.entries(SCOPES_OF_SECTION_4))
    it(`${route} needs ${scope ?? 'a JWT'}`, () => {
      assert.ok(api.routes.includes(route), 'there is no such route')
      assert.equal(ACCESS_POLICY[route]?.scope, scope)
      assert.equal(ACCESS_POLICY[route]?.credentials.includes('access'), scope !== null)
    })

  for (const [tier, routes] of Object.entries(NAMED_IN_SECTION_8))
    for (const route of routes)
      it(`${route} is limited by the tier ${tier}`, () => assert.equal(ACCESS_POLICY[route]?.tier, tier))

  it('sends the three RateLimit headers with every limited answer', async () => {
    const { headers } = await get('/api/v1/signals', await user.mint())
    assert.equal(headers.get('RateLimit-Limit'), String(TIERS.default.limit))
    assert.equal(headers.get('RateLimit-Remaining'), String(TIERS.default.limit - 1))
    const reset = Number(headers.get('RateLimit-Reset'))
    assert.ok(reset > 0 && reset <= TIERS.default.seconds, String(reset))
  })

  it('answers one request too many by 429 RATE_LIMIT_EXCEEDED, in the same form in every family', async () => {
    for (const path of ['/api/v1/signals', '/api/v1/orders']) {
      const token = await user.mint()
      const burst = () => Promise.all(Array.from({ length: 50 }, () => get(path, token)))
      let refused: Answer | undefined
      while (!refused) refused = (await burst()).find((answer) => answer.status === 429)
      const { status, headers, body } = refused
      assert.equal(status, 429)
      const { requestId, message, retryAfter, ...rest } = body
      assert.deepEqual(rest, { error: 'rate_limited', code: 'RATE_LIMIT_EXCEEDED' })
      assert.deepEqual([typeof requestId, typeof message], ['string', 'string'])
      assert.equal(headers.get('Retry-After'), String(retryAfter))
      assert.equal(headers.get('RateLimit-Remaining'), '0')
    }
  })

  it('lists orders to a limit of 50 by default: the limit is 50, the offset 0', async () => {
    const { limit, offset, total } = (await get('/api/v1/orders', await user.mint())).body
    assert.deepEqual([limit, offset, typeof total], [50, 0, 'number'])
  })

  it('carries its version in the path: every route but the service’s own lies under /api/v1', () => {
    // The addresses of hooks stand in the settings of others, and have none.
    const own = '/ /healthz /readyz /openapi.json /docs /hooks/:hookId/:secret /hooks/:hookId'.split(' ')
    const outside = api.routes
      .map((route) => route.split(' ')[1]!)
      .filter((path) => !path.startsWith('/api/v1/'))
    assert.deepEqual(
      outside.filter((path) => !own.includes(path) && !path.startsWith('/docs/')),
      [],
    )
  })

  for (const [changes, status] of [
    [{ action: 'openLong' }, 201],
    [{ action: 'closeLong' }, 201],
    [{ action: 'openShort' }, 201],
    [{ action: 'closeShort' }, 201],
    [{ executeMode: 'immediate' }, 201],
    [{ executeMode: 'pending' }, 201],
    [{ ...scheduled, timezone: 'UTC' }, 202],
    [{ validUntil: tomorrow, timezone: 'UTC' }, 201],
  ] as const) {
    const [[field, value]] = Object.entries(changes) as [[string, string]]
    it(`takes ${field} ${field === 'validUntil' ? 'with timezone' : value}`, async () => {
      const answer = await signal(changes)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      if (field === 'executeMode') assert.equal(answer.body.signal.executeMode, value)
    })
  }

  for (const [title, changes, asked] of [
    ['scheduledProcessAt when it is scheduled', { executeMode: 'scheduled' }, 'scheduledProcessAt'],
    ['timezone with scheduledProcessAt', scheduled, 'timezone'],
    ['timezone with validUntil', { validUntil: tomorrow }, 'timezone'],
    ['exitTriggerMinutes after entry', { exitTriggerType: 'minutesAfterEntry' }, 'exitTriggerMinutes'],
    ['exitTriggerMinutes before close', { exitTriggerType: 'minutesBeforeClose' }, 'exitTriggerMinutes'],
  ] as const)
    it(`asks for ${title}`, async () => {
      const { status, body } = await signal(changes)
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'])
      const fields = body.details.map(({ field }: { field: string }) => field)
      assert.deepEqual(fields, [asked])
    })

  it('names the sourceId, the status and replaceExisting=true when a signal is there already', async () => {
    const sourceId = `letter-${randomUUID()}`
    await signal({ sourceId, executeMode: 'pending' })
    const { status, body } = await signal({ sourceId, executeMode: 'pending' })
    assert.equal(status, 200)
    for (const words of [sourceId, 'pending', 'replaceExisting=true'])
      assert.ok(body.message.includes(words), body.message)
  })

  for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain'])
    it(`takes a body of ${type}`, async () => {
      const { status, body } = await signal({}, { 'Content-Type': type })
      assert.deepEqual([status, body.success, body.signal.executeMode], [201, true, 'immediate'])
    })
})
