import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashAccessToken, mintAccessToken } from '#api/http/access-token.ts'
import { ADDRESS_BOUNDS, createAddressLimits, type AddressLimits } from '#api/access/address-limits.ts'
import { unlimited } from '#api/access/unlimited.ts'
import { startApi, type Answer, type ApiServer, type TestUser } from '../support/api-server.ts'
import { addPerson, type Person } from '../support/person.ts'
import { askRaw } from '../support/raw-request.ts'

const { strangers, claims, doors, files, probes } = ADDRESS_BOUNDS

describe('counts by address', () => {
  let now: number
  let limits: AddressLimits
  beforeEach(() => {
    now = 1_000
    limits = createAddressLimits(() => now)
  })
  const counted = (times: number, address: string) => {
    for (let n = 0; n < times; n++) limits.count('strangers', address)
    return limits.standing('strangers', address)
  }

  it('let exactly the number pass that they say, and show how many are left', () => {
    assert.deepEqual(limits.count('strangers', 'a'), {
      isAllowed: true,
      limit: strangers.limit,
      remaining: strangers.limit - 1,
      resetSeconds: strangers.seconds,
    })
    counted(strangers.limit - 2, 'a')
    assert.ok(limits.standing('strangers', 'a').isAllowed)
    assert.ok(limits.count('strangers', 'a').isAllowed)
    assert.deepEqual(
      [limits.standing('strangers', 'a').isAllowed, limits.count('strangers', 'a').isAllowed],
      [false, false],
    )
  })

  it('begin again with each window', () => {
    counted(strangers.limit, 'a')
    now += strangers.seconds * 1_000 - 1
    assert.deepEqual(limits.standing('strangers', 'a'), {
      isAllowed: false,
      limit: strangers.limit,
      remaining: 0,
      resetSeconds: 1,
    })
    now += 1
    assert.equal(limits.standing('strangers', 'a').remaining, strangers.limit)
  })

  it('counts by address are kept apart by what is counted, and by address', () => {
    counted(strangers.limit, 'a')
    assert.equal(limits.standing('claims', 'a').remaining, claims.limit)
    assert.equal(limits.standing('strangers', 'b').remaining, strangers.limit)
  })

  it('counts by address are not lost, and hardly reported too high, while thirty thousand other addresses are counted', () => {
    counted(strangers.limit, 'a')
    for (let n = 0; n < 30_000; n++) limits.count('strangers', `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
    assert.equal(limits.standing('strangers', 'a').isAllowed, false)
    for (let n = 0; n < 100; n++)
      assert.ok(limits.standing('strangers', `192.0.2.${n}`).remaining > strangers.limit - 30)
  })

  it('know for a while which credentials were good, and forget them', () => {
    const day = 24 * 60 * 60_000
    limits.noteGood('mine')
    assert.ok(limits.wasGood('mine'))
    assert.equal(limits.wasGood('yours'), false)
    now += day
    limits.noteGood('another')
    assert.ok(limits.wasGood('mine'))
    limits.forget('another')
    assert.equal(limits.wasGood('another'), false)
    now += day
    limits.noteGood('another')
    assert.equal(limits.wasGood('mine'), false)
  })
})

describe('the front door', function () {
  this.timeout(60_000)
  /** The proxy through which all requests of these tests come. */
  const FROM = (address: string) => ({ 'X-Forwarded-For': address })
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-web-'))
  let api: ApiServer
  let user: TestUser
  let person: Person
  let addresses: AddressLimits
  before(async () => {
    writeFileSync(join(folder, 'index.html'), '<!doctype html>')
    api = await startApi({
      // Of the tiers nothing is to come in between.
      limits: () => ({ ...unlimited, addresses: (addresses = createAddressLimits()) }),
      proxies: '127.0.0.1, ::1',
      webFolder: folder,
    })
    user = await api.addUser()
    person = await addPerson(api)
  })
  after(async () => {
    await api.stop()
    rmSync(folder, { recursive: true })
  })

  let last = 0
  const newAddress = () => `198.51.100.${++last}`
  const use = (bound: keyof typeof ADDRESS_BOUNDS, address: string, times = ADDRESS_BOUNDS[bound].limit) => {
    for (let n = 0; n < times; n++) addresses.count(bound, address)
  }
  const leftOf = (bound: keyof typeof ADDRESS_BOUNDS, address: string) =>
    addresses.standing(bound, address).remaining

  function assertRefused({ status, headers, body }: Answer, bound: keyof typeof ADDRESS_BOUNDS): void {
    assert.deepEqual(
      [status, body.error, body.code],
      [429, 'rate_limited', 'RATE_LIMIT_EXCEEDED'],
      JSON.stringify(body),
    )
    assert.equal(headers.get('retry-after'), String(body.retryAfter))
    assert.ok(body.retryAfter >= 1 && body.retryAfter <= 60)
    assert.equal(headers.get('ratelimit-limit'), String(ADDRESS_BOUNDS[bound].limit))
    assert.equal(headers.get('ratelimit-remaining'), '0')
    assert.equal(headers.get('ratelimit-reset'), String(body.retryAfter))
    assert.equal(headers.get('x-request-id'), body.requestId)
  }

  describe('counts by address what it refuses:', () => {
    const wellFormed = mintAccessToken().token
    const refused: [
      what: string,
      bound: 'strangers' | 'claims',
      method: string,
      path: string,
      status: number,
      more?: { token?: string; headers?: Record<string, string>; body?: unknown },
    ][] = [
      ['an address that no route has', 'strangers', 'GET', '/api/v1/nowhere', 404],
      ['another method', 'strangers', 'PUT', '/api/v1/signals', 405],
      ['too long a query', 'strangers', 'GET', `/healthz?${'a&'.repeat(60)}`, 400],
      ['a probe with a query', 'strangers', 'GET', '/healthz?a=1', 400],
      ['no credential', 'strangers', 'GET', '/api/v1/signals', 401],
      ['a credential of no form', 'strangers', 'GET', '/api/v1/signals', 401, { token: 'x' }],
      ['an invented JWT', 'strangers', 'GET', '/api/v1/signals', 401, { token: 'a.b.c' }],
      ['a well-formed token of no user', 'claims', 'GET', '/api/v1/signals', 401, { token: wellFormed }],
      [
        'a sign-in with a query',
        'strangers',
        'POST',
        `/api/v1/auth/login?${'a&'.repeat(60)}`,
        400,
        { body: {} },
      ],
    ]
    for (const [what, bound, method, path, status, { headers, ...more } = {}] of refused)
      it(what, async () => {
        const address = newAddress()
        const ask = () => api.call(method, path, { ...more, headers: { ...FROM(address), ...headers } })
        const before = leftOf(bound, address)
        const answer = await ask()
        assert.equal(answer.status, status, JSON.stringify(answer.body))
        assert.equal(leftOf(bound, address), before - 1)
        use(bound, address)
        assertRefused(await ask(), bound)
      })

    it('nothing that was let in, and no answer of a known user', async () => {
      const address = newAddress()
      const headers = FROM(address)
      for (const [path, token, status] of [
        ['/api/v1/signals', user.token, 200],
        ['/api/v1/signals?nonsense=1', user.token, 400],
        ['/api/v1/admin/users', person.jwt, 403],
        ['/api/v1/app', undefined, 200],
        ['/', undefined, 200],
        ['/healthz', undefined, 200],
      ] as const)
        assert.equal((await api.call('GET', path, { token, headers })).status, status, path)
      assert.deepEqual(
        [leftOf('strangers', address), leftOf('claims', address)],
        [strangers.limit, claims.limit],
      )
    })
  })

  it('refuses at an address beyond its bound every request without a credential', async () => {
    const address = newAddress()
    use('strangers', address)
    const headers = FROM(address)
    for (const path of ['/', '/docs', '/api/v1/app', '/api/v1/nowhere', '/healthz?x'])
      assertRefused(await api.call('GET', path, { headers }), 'strangers')
  })

  const cookie = {
    Cookie: `__Host-dt-refresh=${'x'.repeat(43)}`,
    Origin: 'https://trader.example.com',
  }
  const DOORS: [path: string, status: number, more: { body: unknown; headers?: Record<string, string> }][] = [
    ['/api/v1/auth/login', 401, { body: { email: 'nobody@example.com', password: 'not the right one' } }],
    ['/api/v1/auth/refresh', 401, { body: {}, headers: cookie }],
    ['/api/v1/auth/mfa/verify', 400, { body: {} }],
    ['/api/v1/auth/desktop-login', 400, { body: {} }],
    ['/api/v1/auth/reset-password', 400, { body: {} }],
  ]
  for (const [path, status, { body, headers = {} }] of DOORS)
    it(`keeps no person from ${path} for what else comes from their address, and bounds it by itself`, async () => {
      const address = newAddress()
      for (const bound of ['strangers', 'claims'] as const) use(bound, address)
      for (const [other] of DOORS) if (other !== path) use('doors', `${address} POST ${other}`)
      const ask = () => api.call('POST', path, { body, headers: { ...FROM(address), ...headers } })
      assert.equal((await ask()).status, status)
      const door = `${address} POST ${path}`
      assert.equal(leftOf('doors', door), doors.limit - 1)
      use('doors', door)
      assertRefused(await ask(), 'doors')
    })

  it('holds a token to the bound again that was good lately and has been revoked', async () => {
    const address = newAddress()
    const headers = FROM(address)
    const token = await user.mint()
    assert.equal((await api.call('GET', '/api/v1/signals', { token, headers })).status, 200)
    use('claims', address)
    await api.database.em.execute('update access_tokens set revoked_at = now() where hash = ?', [
      hashAccessToken(token),
    ])
    assert.equal((await api.call('GET', '/api/v1/signals', { token, headers })).status, 401)
    assertRefused(await api.call('GET', '/api/v1/signals', { token, headers }), 'claims')
  })

  it('asks no database for a caller that it refuses', async () => {
    const address = newAddress()
    use('strangers', address)
    const fork = api.database.em.fork
    api.database.em.fork = () => {
      throw new Error('the database was asked')
    }
    try {
      assertRefused(await api.call('GET', '/api/v1/signals', { headers: FROM(address) }), 'strangers')
    } finally {
      api.database.em.fork = fork
    }
  })

  it('lets in every caller with a good credential beside any number of strangers at their address', async () => {
    const address = newAddress()
    use('strangers', address)
    const headers = FROM(address)
    for (const token of [await user.mint(), person.jwt])
      assert.equal((await api.call('GET', '/api/v1/signals', { token, headers })).status, 200)
    const anew = await addPerson(api)
    const halt = await api.call('PUT', '/api/v1/settings/halt', {
      token: anew.jwt,
      headers,
      body: { level: 'reduceOnly', reason: 'a flood' },
    })
    assert.ok(halt.status < 500 && halt.status !== 429, JSON.stringify(halt.body))
  })

  it('lets in every caller let in lately beside any number of invented tokens at their address', async () => {
    const address = newAddress()
    const headers = FROM(address)
    const [token, other] = [await user.mint(), await user.mint()]
    assert.equal((await api.call('GET', '/api/v1/signals', { token, headers })).status, 200)
    use('claims', address)
    assert.equal((await api.call('GET', '/api/v1/signals', { token, headers })).status, 200)
    assertRefused(await api.call('GET', '/api/v1/signals', { token: other, headers }), 'claims')
    const elsewhere = FROM(newAddress())
    assert.equal((await api.call('GET', '/api/v1/signals', { token: other, headers: elsewhere })).status, 200)
  })

  it('answers a probe beside any flood from its address, and bounds probes by themselves', async () => {
    const address = newAddress()
    for (const bound of ['strangers', 'claims', 'files'] as const) use(bound, address)
    const headers = FROM(address)
    assert.equal((await api.call('GET', '/healthz', { headers })).status, 200)
    assert.equal(leftOf('probes', address), probes.limit - 1)
    assert.equal((await askRaw(api.address, 'HEAD', '/readyz', headers)).status, 503)
    use('probes', address)
    assertRefused(await api.call('GET', '/healthz', { headers }), 'probes')
    assert.equal((await api.call('GET', '/healthz', { headers: FROM(newAddress()) })).status, 200)
  })

  it('serves the web application beside any flood from its address, and bounds its files by themselves', async () => {
    const address = newAddress()
    for (const bound of ['strangers', 'claims', 'probes'] as const) use(bound, address)
    const ask = () => askRaw(api.address, 'GET', '/sign-in', { ...FROM(address), Accept: 'text/html' })
    assert.equal((await ask()).status, 200)
    assert.equal(leftOf('files', address), files.limit - 1)
    use('files', address)
    const { status, headers, text } = await ask()
    assert.deepEqual([status, JSON.parse(text).code], [429, 'RATE_LIMIT_EXCEEDED'])
    assert.equal(headers['ratelimit-limit'], String(files.limit))
  })
})
