import assert from 'node:assert/strict'
import type { Answer } from '../support/api-server.ts'
import { addPerson, enableSecondFactor, PASSWORD, signIn, type Person } from '../support/person.ts'
import { useApi, useCounts } from '../support/use-api.ts'

const without = ({ status, body }: Answer) => ({ status, ...body, requestId: undefined })

describe('sign-in', () => {
  const api = useApi()

  describe('by password', () => {
    it('answers a JWT, its life, a refresh token and the user', async () => {
      const { email, userId } = await addPerson(api)
      const { status, body } = await signIn(api, email.toUpperCase())
      assert.equal(status, 200)
      const { accessToken, refreshToken, expiresIn, user } = body.data
      assert.equal(expiresIn, 900)
      assert.ok(accessToken && refreshToken)
      assert.deepEqual(Object.keys(user), [
        'id',
        'email',
        'role',
        'plan',
        'tradingMode',
        'mfaEnabled',
        'createdAt',
      ])
      assert.equal(user.id, userId)
      assert.equal((await api.call('GET', '/api/v1/me', { token: accessToken })).body.data.user.email, email)
    })

    it('sign-in by password is refused the same way for a wrong password, an unknown address, no password and a disabled user', async () => {
      const { email } = await addPerson(api)
      const answers = await Promise.all([
        signIn(api, email, 'wrong password'),
        signIn(api, 'nobody@example.test'),
        signIn(api, (await addPerson(api, { passwordHash: null })).email),
        signIn(api, (await addPerson(api, { disabledAt: new Date() })).email),
      ])
      for (const answer of answers) assert.deepEqual(without(answer), without(answers[0]))
      assert.equal(answers[0].status, 401)
      assert.equal(answers[0].body.code, 'UNAUTHENTICATED')
    })

    it('lets the JWT do all that any scope allows, and nothing once the session has ended', async () => {
      const person = await addPerson(api)
      for (const path of [
        '/signals',
        '/orders',
        '/accounts',
        '/positions',
        '/tokens',
        '/sessions',
        '/audit-log',
      ])
        assert.equal((await person.call('GET', path)).status, 200, path)
      await api.call('POST', '/api/v1/auth/logout', { body: { refreshToken: person.refreshToken } })
      const ended = await person.call('GET', '/signals')
      assert.deepEqual([ended.status, ended.body.code], [401, 'UNAUTHENTICATED'])
      const again = await api.call('POST', '/api/v1/auth/refresh', {
        body: { refreshToken: person.refreshToken },
      })
      assert.deepEqual([again.status, again.body.code], [401, 'UNAUTHENTICATED'])
    })
  })

  describe('by refresh token', () => {
    const refresh = (refreshToken: string) =>
      api.call('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
    const age = (seconds: number) =>
      api.database.em.execute(
        `update refresh_tokens set used_at = used_at - interval '${seconds} seconds' where used_at is not null`,
      )

    it('answers a new JWT and the successor of the token', async () => {
      const person = await addPerson(api)
      const { status, body } = await refresh(person.refreshToken)
      assert.equal(status, 200)
      assert.notEqual(body.data.refreshToken, person.refreshToken)
      assert.equal((await api.call('GET', '/api/v1/me', { token: body.data.accessToken })).status, 200)
    })

    it('answers the same successor to the same token for a while: the answer may have been lost', async () => {
      const person = await addPerson(api)
      const [first, second] = [await refresh(person.refreshToken), await refresh(person.refreshToken)]
      assert.equal(second.status, 200)
      assert.equal(second.body.data.refreshToken, first.body.data.refreshToken)
    })

    it('ends the session when a used token comes late', async () => {
      const person = await addPerson(api)
      const successor = (await refresh(person.refreshToken)).body.data.refreshToken
      await age(11)
      assert.equal((await refresh(person.refreshToken)).status, 401)
      assert.equal((await refresh(successor)).status, 401)
      assert.equal((await person.call('GET', '/me')).status, 401)
      const events = await api.database.em.execute<{ kind: string }[]>(
        'select kind from audit_events where user_id = ? order by sequence desc limit 1',
        [person.userId],
      )
      assert.equal(events[0]!.kind, 'session.refresh_token_reused')
    })

    it('ends with the session, however often it was refreshed', async () => {
      const person = await addPerson(api)
      await api.database.em.execute('update sessions set expires_at = now() where user_id = ?', [
        person.userId,
      ])
      assert.equal((await refresh(person.refreshToken)).status, 401)
      assert.equal((await person.call('GET', '/me')).status, 401)
    })
  })

  describe('with the refresh token in a cookie', () => {
    const OWN_PAGE = { Origin: 'https://trader.example.com', 'Sec-Fetch-Site': 'same-origin' }
    const login = async (person: Person) => {
      const { headers, body } = await api.call('POST', '/api/v1/auth/login', {
        body: { email: person.email, password: PASSWORD, session: 'cookie' },
        headers: OWN_PAGE,
      })
      const [cookie] = headers.getSetCookie()
      return { cookie: cookie!, key: body.data.renewalKey as string, data: body.data }
    }
    /** @param key the second half; null sends none */
    const send = (
      route: 'refresh' | 'logout',
      { cookie, key, body = {} }: { cookie?: string; key: string | null; body?: object },
      headers: Record<string, string> = {},
    ) =>
      api.call('POST', `/api/v1/auth/${route}`, {
        body,
        headers: {
          ...(cookie !== undefined && { Cookie: cookie.split(';')[0]! }),
          ...(key !== null && { 'Renewal-Key': key }),
          ...OWN_PAGE,
          ...headers,
        },
      })
    const isIn = async (jwt: string) => (await api.call('GET', '/api/v1/me', { token: jwt })).status === 200
    const tokenIn = (cookie: string) => /^__Host-dt-refresh=([\w-]{43});/.exec(cookie)![1]!

    it('hides it from scripts and other sites', async () => {
      const { cookie, key, data } = await login(await addPerson(api))
      assert.match(
        cookie,
        /^__Host-dt-refresh=[\w-]{43}; path=\/; expires=[^;]+; samesite=strict; secure; httponly$/i,
      )
      assert.equal(data.refreshToken, undefined)
      assert.ok(key.length === 43 && !cookie.includes(key))
    })

    it('keeps no cookie for a program, and then no session begins', async () => {
      const person = await addPerson(api)
      const sessions = () =>
        api.database.em.execute('select id from sessions where user_id = ?', [person.userId])
      const before = await sessions()
      const { status, headers, body } = await api.call('POST', '/api/v1/auth/login', {
        body: { email: person.email, password: PASSWORD, session: 'cookie' },
      })
      assert.deepEqual([status, body.code, headers.getSetCookie()], [403, 'ORIGIN_REFUSED', []])
      assert.deepEqual(await sessions(), before)
      assert.deepEqual((await signIn(api, person.email)).headers.getSetCookie(), [])
    })

    it('renews it, and forgets it at sign-out', async () => {
      const { cookie, key } = await login(await addPerson(api))
      const renewed = await send('refresh', { cookie, key })
      assert.equal(renewed.status, 200)
      const next = renewed.headers.get('set-cookie')!
      assert.equal(renewed.body.data.refreshToken, undefined)
      assert.equal(renewed.body.data.renewalKey, undefined)
      const out = await send('logout', { cookie: next, key })
      assert.match(out.headers.get('set-cookie')!, /^__Host-dt-refresh=; path=\/; expires=Thu, 01 Jan 1970/)
      assert.equal((await send('refresh', { cookie: next, key })).status, 401)
    })

    it('renews and ends nothing by the cookie alone, and uses nothing up', async () => {
      const own = await login(await addPerson(api))
      const other = await login(await addPerson(api))
      const stolen = { refreshToken: tokenIn(own.cookie) }
      for (const key of [null, 'x', other.key, own.key.slice(1), `${own.key}=`])
        for (const route of ['refresh', 'logout'] as const)
          for (const shown of [{ cookie: own.cookie }, { body: stolen }]) {
            const { status, headers, body } = await send(route, { ...shown, key })
            assert.deepEqual([status, body.code], [401, 'UNAUTHENTICATED'], `${route} ${key}`)
            assert.deepEqual(headers.getSetCookie(), [])
          }
      assert.ok(await isIn(own.data.accessToken))
      assert.equal((await send('refresh', own)).status, 200)
    })

    it('ends no session by a used cookie that comes back without its second half', async () => {
      const own = await login(await addPerson(api))
      const next = (await send('refresh', own)).headers.get('set-cookie')!
      await api.database.em.execute(
        `update refresh_tokens set used_at = used_at - interval '11 seconds' where used_at is not null`,
      )
      assert.equal((await send('refresh', { cookie: own.cookie, key: null })).status, 401)
      assert.equal((await send('refresh', { cookie: next, key: own.key })).status, 200)
      assert.equal((await send('refresh', own)).status, 401)
      assert.ok(!(await isIn(own.data.accessToken)), 'with both halves it was stolen')
    })

    it('takes no cookie for its own that a page of another port has written', async () => {
      const own = await login(await addPerson(api))
      const thief = await addPerson(api)
      const planted = [(await login(thief)).cookie, `__Host-dt-refresh=${thief.refreshToken};`]
      for (const cookie of planted)
        for (const key of [own.key, null]) assert.equal((await send('refresh', { cookie, key })).status, 401)
      const { body } = await send('refresh', { body: { refreshToken: thief.refreshToken }, key: null })
      assert.ok(body.data.accessToken, 'as a program it is good')
    })

    it('takes it from no page of another site', async () => {
      const own = await login(await addPerson(api))
      for (const headers of [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { Origin: '' },
        { Origin: 'https://desk.example.com' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'cross-site' },
      ] as Record<string, string>[])
        for (const route of ['refresh', 'logout'] as const) {
          const { status, body, headers: answered } = await send(route, own, headers)
          assert.deepEqual([status, body.code], [403, 'ORIGIN_REFUSED'], JSON.stringify(headers))
          assert.deepEqual(answered.getSetCookie(), [])
        }
      assert.equal((await send('refresh', own, { 'Content-Type': 'text/plain' })).status, 415)
      assert.equal((await send('refresh', own)).status, 200)
    })
  })

  describe('in two steps', () => {
    const second = (mfaToken: string, code: string) =>
      api.call('POST', '/api/v1/auth/mfa/verify', { body: { mfaToken, code } })
    const first = async (email: string): Promise<string> => (await signIn(api, email)).body.data.mfaToken

    it('begins with a password and a secret that is good for nothing else', async () => {
      const person = await addPerson(api)
      await enableSecondFactor(person)
      const { status, body } = await signIn(api, person.email)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body.data), ['mfaRequired', 'mfaToken'])
      const { mfaToken } = body.data
      assert.equal((await api.call('GET', '/api/v1/me', { token: mfaToken })).status, 401)
      for (const [path, fields] of [
        ['refresh', { refreshToken: mfaToken }],
        ['reset-password', { token: mfaToken, password: 'another long password' }],
      ] as const)
        assert.ok((await api.call('POST', `/api/v1/auth/${path}`, { body: fields })).status >= 400, path)
    })

    it('ends with a code, once', async () => {
      const person = await addPerson(api)
      const { authenticator } = await enableSecondFactor(person)
      const code = authenticator.code()
      const [mfaToken, another] = [await first(person.email), await first(person.email)]
      const signedIn = await second(mfaToken, code)
      assert.equal(signedIn.status, 200)
      assert.equal(signedIn.body.data.user.mfaEnabled, true)
      assert.equal((await second(another, code)).status, 401, 'the same code again')
      assert.equal((await second(mfaToken, authenticator.code(1))).status, 401, 'the same first step again')
      assert.equal((await second(another, authenticator.code(1))).status, 200)
    })

    it('takes each backup code once', async () => {
      const person = await addPerson(api)
      const { backupCodes } = await enableSecondFactor(person)
      assert.equal(backupCodes.length, 10)
      assert.equal((await second(await first(person.email), backupCodes[0]!.toLowerCase())).status, 200)
      assert.equal((await second(await first(person.email), backupCodes[0]!)).status, 401)
      const { body } = await person.call('GET', '/me')
      assert.equal(body.data.user.backupCodesLeft, 9)
    })

    it('lets one of eight backup codes end one first step at once, and the others keep theirs', async () => {
      const person = await addPerson(api)
      const { backupCodes } = await enableSecondFactor(person)
      const mfaToken = await first(person.email)
      const answers = await Promise.all(backupCodes.slice(2).map((code) => second(mfaToken, code)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal((await person.call('GET', '/me')).body.data.user.backupCodesLeft, 9)
    })

    it('sign-in in two steps is not confirmed by an old secret', async () => {
      const person = await addPerson(api)
      const { authenticator } = await enableSecondFactor(person)
      const mfaToken = await first(person.email)
      await api.database.em.execute('update one_time_secrets set expires_at = now()')
      assert.equal((await second(mfaToken, authenticator.code())).status, 401)
    })
  })
})

describe('sign-in under its limits', () => {
  const { limits } = useCounts()
  const api = useApi({
    limits,
  })
  const forget = () => api.database.em.execute('truncate sign_in_counts, request_counts')
  beforeEach(forget)

  it('takes ten requests in fifteen minutes from one address, and says so', async () => {
    const { email } = await addPerson(api, { passwordHash: null })
    for (let n = 9; n >= 0; n--) {
      const { status, headers } = await signIn(api, email, 'wrong password')
      assert.equal(status, 401)
      assert.equal(headers.get('ratelimit-limit'), '10')
      assert.equal(headers.get('ratelimit-remaining'), String(n))
      const reset = Number(headers.get('ratelimit-reset'))
      assert.ok(reset > 890 && reset <= 900)
    }
    const { status, headers, body } = await api.call('POST', '/api/v1/auth/forgot-password', {
      body: { email },
    })
    assert.equal(status, 429)
    const retryAfter = Number(headers.get('retry-after'))
    assert.ok(retryAfter > 880 && retryAfter <= 900)
    const { requestId, message, ...exact } = body
    assert.deepEqual(exact, { error: 'rate_limited', code: 'RATE_LIMIT_EXCEEDED', retryAfter })
    assert.ok(requestId && message)
  })

  it('counts each token and each person by themselves', async () => {
    const person = await addPerson(api)
    const user = await api.addUser()
    const other = await user.mint()
    const used = await api.call('GET', '/api/v1/signals', { token: user.token })
    assert.equal(used.headers.get('ratelimit-remaining'), '199')
    assert.equal(
      (await api.call('GET', '/api/v1/signals', { token: other })).headers.get('ratelimit-remaining'),
      '199',
    )
    assert.equal((await person.call('GET', '/signals')).headers.get('ratelimit-remaining'), '199')
    assert.equal((await person.call('GET', '/me')).headers.get('ratelimit-remaining'), '198')
  })
})
