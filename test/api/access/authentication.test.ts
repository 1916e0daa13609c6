import { mintAccessToken } from '#api/http/access-token.ts'
import { AccessToken, User } from '#db/entities/index.ts'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { signalBody, type CallOptions, type TestUser } from '../support/api-server.ts'
import { speak } from '../support/raw-request.ts'
import { useApi } from '../support/use-api.ts'

describe('authentication', () => {
  let user: TestUser
  const api = useApi()
  before(async () => {
    user = await api.addUser()
  })

  const read = (options: CallOptions) => api.call('GET', '/api/v1/signals', options)
  const refuses = (
    name: string,
    options: () => Promise<CallOptions> | CallOptions,
    code = 'UNAUTHENTICATED',
  ) =>
    it(`refuses ${name}`, async () => {
      const { status, body, headers } = await read(await options())
      assert.deepEqual([status, body.code], [401, code])
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer /)
      const { requestId, ...rest } = body
      assert.equal(requestId, headers.get('x-request-id'))
      assert.deepEqual(Object.keys(rest), ['error', 'code', 'details'])
    })

  it('lets a valid token in, in any case of the scheme', async () => {
    assert.equal((await read({ token: user.token })).status, 200)
    assert.equal((await read({ headers: { Authorization: `bearer  ${user.token}` } })).status, 200)
  })

  refuses('no credential', () => ({}))
  refuses('a JWT', () => ({ token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl' }))
  refuses('a token without a user', () => ({ token: mintAccessToken().token }))
  refuses('an expired token', async () => ({
    token: await user.mint({ expiresAt: new Date(Date.now() - 1) }),
  }))
  refuses('a revoked token', async () => ({ token: await user.mint({ revokedAt: new Date() }) }))
  refuses('the token of a disabled user', async () => ({
    token: (await api.addUser({ disabledAt: new Date() })).token,
  }))
  refuses('the token of a user whose plan holds none', async () => ({
    token: (await api.addUser({ plan: 'FREE' })).token,
  }))
  refuses('an API key in the header', () => ({ headers: { 'X-API-Key': 'dtk_1' } }), 'INVALID_API_KEY')

  it('refuses two headers of one kind, in either order and however they are spelled, equal ones too', async () => {
    const good = `Bearer ${user.token}`
    const bad = `Bearer ${mintAccessToken().token}`
    for (const lines of [
      ['Authorization', good, 'Authorization', bad],
      ['Authorization', bad, 'authorization', good],
      ['AUTHORIZATION', good, 'Authorization', good],
      ['Authorization', good, 'Authorization', ''],
      ['X-API-Key', 'dtk_1', 'x-api-key', 'dtk_2'],
      ['X-API-Key', '', 'Authorization', good, 'X-API-Key', 'dtk_1'],
    ]) {
      const headers = Array.from(
        { length: lines.length / 2 },
        (_, n) => `${lines[2 * n]}: ${lines[2 * n + 1]}`,
      )
      const request = ['GET /api/v1/signals HTTP/1.1', 'Host: x', 'Connection: close', ...headers]
      assert.match(await speak(api.address, request), /^HTTP\/1\.1 401 /, lines.join(' '))
    }
    const once = ['GET /api/v1/signals HTTP/1.1', 'Host: x', 'Connection: close', `authorization: ${good}`]
    assert.match(await speak(api.address, once), /^HTTP\/1\.1 200 /)
  })

  it('answers a request without a credential in the envelope of its family', async () => {
    const creation = await api.call('POST', '/api/v1/signals', { body: signalBody(user.accountId) })
    assert.deepEqual(
      [creation.status, creation.body.success, creation.body.code],
      [401, false, 'UNAUTHENTICATED'],
    )
    const bare = await api.call('GET', '/api/v1/orders')
    assert.deepEqual([bare.status, bare.body.error], [401, 'UNAUTHENTICATED'])
  })

  it('authentication does not let an API key in the query reach the log', async () => {
    const { status, body } = await api.call('POST', '/api/v1/signals?apiKey=dtk_canary', { body: {} })
    assert.deepEqual([status, body.code], [401, 'INVALID_API_KEY'])
    assert.doesNotMatch(JSON.stringify(body), /canary/)
    assert.doesNotMatch(JSON.stringify(api.log), /canary/)
  })

  it('lets no token into the log', async () => {
    await api.call('GET', `/api/v1/${user.token}`, { token: user.token })
    assert.ok(api.log.some(({ path }) => path === '/api/v1/dt_[redacted]'))
    assert.equal(JSON.stringify(api.log).includes(user.token), false)
  })

  it('takes a revocation and a disabled owner into account with the next request', async () => {
    const other = await api.addUser()
    const em = api.database.em.fork()
    assert.equal((await read({ token: other.token })).status, 200)
    await em.nativeUpdate(AccessToken, { userId: other.userId }, { revokedAt: new Date() })
    assert.equal((await read({ token: other.token })).status, 401)
    const again = await other.mint()
    assert.equal((await read({ token: again })).status, 200)
    await em.nativeUpdate(User, { id: other.userId }, { disabledAt: new Date() })
    assert.equal((await read({ token: again })).status, 401)
  })

  for (const [method, path, scope] of [
    ['POST', '/api/v1/signals', 'signals:write'],
    ['GET', '/api/v1/signals', 'trading:read'],
    ['GET', '/api/v1/accounts', 'accounts:read'],
  ] as const) {
    it(`asks for ${scope} on ${method} ${path}`, async () => {
      const scopes = ['trading:read', 'accounts:read', 'signals:write'].filter((held) => held !== scope)
      const without = await api.call(method, path, { token: await user.mint({ scopes }) })
      assert.equal(without.status, 403)
      assert.equal(without.body.code ?? without.body.error, 'INSUFFICIENT_SCOPES')
      const holding = await api.call(method, path, { token: await user.mint({ scopes: [scope] }) })
      assert.notEqual(holding.status, 403)
    })
  }

  it('notes that a token was used, once for many requests at once', async () => {
    const longAgo = new Date(Date.now() - 120_000)
    const token = await user.mint({ lastUsedAt: longAgo })
    await Promise.all(Array.from({ length: 10 }, () => read({ token })))
    const row = () =>
      api.database.em.fork().findOneOrFail(AccessToken, { prefix: token.slice(0, 8), userId: user.userId })
    for (
      let attempt = 0;
      (await row()).lastUsedAt?.getTime() === longAgo.getTime() && attempt < 50;
      attempt++
    ) {
      await pause(20)
    }
    const noted = (await row()).lastUsedAt!
    assert.ok(noted > longAgo)
    await read({ token })
    await pause(50)
    assert.deepEqual((await row()).lastUsedAt, noted)
  })
})
