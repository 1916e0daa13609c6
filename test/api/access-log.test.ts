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
})
