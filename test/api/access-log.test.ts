import assert from 'node:assert/strict'
import { startApi, type ApiServer, type CallOptions } from './support/api-server.ts'

describe('the access log', function () {
  this.timeout(60_000)
  let api: ApiServer
  before(async () => {
    api = await startApi()
  })
  after(() => api.stop())

  /** What the log says of a request. */
  async function lineOf(method: string, path: string, options: CallOptions) {
    const { headers } = await api.call(method, path, options)
    const requestId = headers.get('x-request-id')
    const lines = api.log.filter((line) => line['requestId'] === requestId && line['msg'] === 'request')
    assert.equal(lines.length, 1)
    return lines[0]!
  }

  it('tells of a request when, which, by whom, how long and how it ended, without its query', async () => {
    const { token, userId } = await api.addUser()
    const line = await lineOf('GET', '/api/v1/signals?symbol=CANARY', { token })
    assert.deepEqual(
      [line['method'], line['path'], line['status'], line['userId']],
      ['GET', '/api/v1/signals', 200, userId],
    )
    assert.ok(Math.abs((line['time'] as number) - Date.now()) < 60_000)
    assert.ok((line['durationMs'] as number) > 0)
    assert.match(line['tokenId'] as string, /^[0-9a-f-]{36}$/)
    assert.doesNotMatch(JSON.stringify(line), /CANARY/)
  })

  it('tells of a refusal who was refused, as far as that is proven', async () => {
    const user = await api.addUser()
    const reader = await user.mint({ scopes: ['trading:read'] })
    const forbidden = await lineOf('GET', '/api/v1/accounts', { token: reader })
    assert.deepEqual([forbidden['status'], forbidden['userId']], [403, user.userId])
    assert.ok(forbidden['tokenId'])
    for (const token of [undefined, 'dt_invented']) {
      const unknown = await lineOf('GET', '/api/v1/accounts', { token })
      assert.deepEqual(
        [unknown['status'], unknown['userId'], unknown['tokenId']],
        [401, undefined, undefined],
      )
    }
  })

  it('cuts a long path, and hides a token in it that is written with escapes', async () => {
    const long = await lineOf('GET', `/${'a'.repeat(15_000)}`, {})
    assert.equal(long['path'], `/${'a'.repeat(199)}…`)
    const { token } = await api.addUser()
    const escaped = await lineOf('GET', `/api/v1/${token.replace('_', '%5F')}`, {})
    assert.equal(escaped['path'], '/api/v1/dt_[redacted]')
    const other = await lineOf('GET', '/a%2Fb%ff%', {})
    assert.equal(other['path'], '/a%2Fb%ff%')
  })
})

describe('the log of an API that a stranger floods', function () {
  this.timeout(60_000)
  let api: ApiServer
  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.stop())

  const flood = (count: number, path: string, headers: Record<string, string> = {}) =>
    Promise.all(
      Array.from({ length: count }, () =>
        fetch(`${api.address}${path}`, { headers }).then((answer) => answer.body?.cancel()),
      ),
    )
  const bytes = () => Buffer.byteLength(api.log.map((line) => JSON.stringify(line)).join('\n'))

  for (const [what, path, headers] of [
    ['addresses without a route', `/${'a'.repeat(15_000)}`, {}],
    ['invented tokens', '/api/v1/signals', { authorization: 'Bearer dt_invented' }],
    ['questions that need no credential', '/healthz', {}],
  ] as const)
    it(`grows by less than 100 kB in a minute of ${what}`, async () => {
      await flood(1_000, path, headers)
      assert.ok(bytes() < 100_000, `${bytes()} bytes`)
      assert.ok(api.log.filter(({ msg }) => msg === 'request').length >= 100)
    })

  it('the log of an API that a stranger floods has a line for each request of a user all the same', async () => {
    const { token } = await api.addUser()
    await flood(1_000, '/none')
    await Promise.all(Array.from({ length: 150 }, () => api.call('GET', '/api/v1/accounts', { token })))
    assert.equal(api.log.filter(({ path }) => path === '/api/v1/accounts').length, 150)
  })
})
