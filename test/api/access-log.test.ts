import assert from 'node:assert/strict'
import type { CallOptions } from './support/api-server.ts'
import { useApi } from './support/use-api.ts'

describe('the access log', () => {
  const api = useApi({ proxies: '127.0.0.1' })

  /** What the log says of a request. */
  async function lineOf(method: string, path: string, options: CallOptions) {
    const { headers } = await api.call(method, path, options)
    const requestId = headers.get('x-request-id')
    const lines = api.log.filter((line) => line['requestId'] === requestId && line['msg'] === 'request')
    assert.equal(lines.length, 1)
    return lines[0]!
  }

  it('notes when, which, by whom, how long and how a request ended, without its query', async () => {
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

  it('names in a refusal who was refused, as far as that is proven', async () => {
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

  /** Requests from an address of their own; what the log has of them. */
  async function flood(path: string, address: string, headers: Record<string, string> = {}) {
    const ask = async () => {
      const answer = await fetch(`${api.address}${path}`, {
        headers: { ...headers, 'x-forwarded-for': address },
      })
      await answer.body?.cancel()
    }
    const before = api.log.length
    await Promise.all(Array.from({ length: 300 }, ask))
    return api.log.slice(before).filter(({ msg }) => msg === 'request')
  }

  for (const [what, path, address, headers] of [
    ['addresses without a route', `/${'a'.repeat(15_000)}`, '192.0.2.1', {}],
    ['invented tokens', '/api/v1/signals', '192.0.2.2', { authorization: 'Bearer dt_invented' }],
    ['questions that need no credential', '/healthz', '192.0.2.3', {}],
  ] as const)
    it(`the access log has about a hundred short lines of a stranger’s ${what} in a minute`, async () => {
      const lines = await flood(path, address, headers)
      // Two hundred where the minute ends in between.
      assert.ok([100, 200].includes(lines.length), `${lines.length} lines`)
      assert.ok(lines.every((line) => JSON.stringify(line).length < 1_000))
    })

  it('the access log has a line for each request of a user beside a flood from their address', async () => {
    const { token } = await api.addUser()
    const headers = { 'x-forwarded-for': '192.0.2.4' }
    await flood('/none', '192.0.2.4')
    const before = api.log.length
    // Few at a time: what waits too long for a connection is answered 503, and such lines are bounded.
    for (let batch = 0; batch < 15; batch++)
      await Promise.all(
        Array.from({ length: 8 }, () => api.call('GET', '/api/v1/accounts', { token, headers })),
      )
    const statuses = api.log
      .slice(before)
      .flatMap(({ path, status }) => (path === '/api/v1/accounts' ? [status] : []))
    assert.deepEqual(statuses, Array(120).fill(200))
  })
})
