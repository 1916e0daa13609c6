import assert from 'node:assert/strict'
import { signalBody, type Answer, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('hostile and broken requests', () => {
  let user: TestUser
  const api = useApi()
  before(async () => {
    user = await api.addUser()
  })

  const post = (body: string | undefined, headers: Record<string, string> = {}) =>
    api.call('POST', '/api/v1/signals', { token: user.token, body, headers })
  const json = (changes: Record<string, unknown> = {}) => JSON.stringify(signalBody(user.accountId, changes))

  /** The answer is a refusal in the signal envelope, and nothing was stored. */
  async function assertRefused(answer: Answer, status: number, code = 'VALIDATION_ERROR') {
    assert.deepEqual([answer.status, answer.body.success, answer.body.code], [status, false, code])
    assert.equal(answer.body.requestId, answer.headers.get('x-request-id'))
    const rows = await api.database.em
      .getConnection()
      .execute<unknown[]>('select 1 from signals where source_id = ?', ['hostile'])
    assert.deepEqual(rows, [])
  }

  describe('bodies', () => {
    for (const [name, body] of [
      ['no JSON', '{"symbol": '],
      ['an array', '[]'],
      ['200 000 nested arrays within 64 KiB', '['.repeat(30_000) + ']'.repeat(30_000)],
    ] as const) {
      it(`refuse ${name}`, async () => assertRefused(await post(body), 400))
    }

    for (const key of ['__proto__', 'constructor', 'prototype']) {
      it(`refuse ${key} as a key at any depth`, async () => {
        for (const body of [`{"${key}":{"symbol":"AAPL"}}`, `{"metadata":{"a":[{"${key}":1}]}}`]) {
          const answer = await post(body)
          await assertRefused(answer, 400)
          assert.equal(answer.body.details[0].code, 'forbidden_key')
        }
        assert.equal(Object.hasOwn(Object.prototype, 'symbol'), false)
      })
    }

    it('refuse bytes that are no UTF-8', async () => {
      const response = await fetch(`${api.address}/api/v1/signals`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' },
        body: Buffer.concat([Buffer.from('{"sourceId":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      })
      assert.equal(response.status, 400)
      await response.body?.cancel()
    })

    it('bodies of more than 64 KiB answer 413, announced or not', async () => {
      const large = json({ sourceId: 'hostile', metadata: { a: 'x'.repeat(70_000) } })
      await assertRefused(await post(large), 413, 'PAYLOAD_TOO_LARGE')
      const response = await fetch(`${api.address}/api/v1/signals`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' },
        body: new Blob([large]).stream(),
        duplex: 'half',
      })
      assert.equal(response.status, 413)
      await response.body?.cancel()
    })
  })

  describe('media types', () => {
    for (const type of [
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
    ]) {
      it(`${type} answers 415`, async () => {
        await assertRefused(
          await post(json({ sourceId: 'hostile' }), { 'Content-Type': type }),
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        )
      })
    }
    it('a compressed body answers 415', async () => {
      const headers = { 'Content-Encoding': 'gzip' }
      await assertRefused(await post(json({ sourceId: 'hostile' }), headers), 415, 'UNSUPPORTED_MEDIA_TYPE')
    })
    for (const type of ['text/plain', 'text/plain; charset=UTF-8', 'application/json;charset=utf-8']) {
      it(`${type} is taken`, async () =>
        assert.equal((await post(json(), { 'Content-Type': type })).status, 201))
    }
    it('an alert sent as text with its numbers in text is taken', async () => {
      const body = json({ quantity: '10', orderType: 'limit', limitPrice: '187.50' })
      assert.equal((await post(body, { 'Content-Type': 'text/plain' })).status, 201)
    })
  })

  it('answers unknown addresses 404 and wrong methods 405 with Allow, in the standard envelope', async () => {
    const nowhere = await api.call('GET', '/api/v1/nowhere')
    assert.deepEqual([nowhere.status, nowhere.body.code], [404, 'NOT_FOUND'])
    for (const [method, path, allow] of [
      ['PUT', '/api/v1/signals', 'GET, HEAD, POST'],
      ['DELETE', '/api/v1/orders', 'GET, HEAD, POST'],
      // No id of an account or connection, although one could stand there.
      ['GET', '/api/v1/accounts/sync', 'POST'],
      ['PATCH', '/api/v1/brokers/types', 'GET, HEAD'],
      ['POST', '/healthz', 'GET, HEAD'],
    ] as const) {
      const { status, body, headers } = await api.call(method, path)
      assert.deepEqual([status, body.code, headers.get('allow')], [405, 'METHOD_NOT_ALLOWED', allow])
    }
  })

  it('reveals nothing of its insides when it fails', async () => {
    const original = api.database.em.fork
    api.database.em.fork = () => {
      throw new Error('secret insides')
    }
    try {
      const { status, body } = await api.call('GET', '/api/v1/signals', { token: user.token })
      assert.deepEqual([status, body.code], [500, 'INTERNAL_ERROR'])
      assert.doesNotMatch(JSON.stringify(body), /secret|stack|\.ts/)
    } finally {
      api.database.em.fork = original
    }
    assert.ok(api.log.some((line) => JSON.stringify(line).includes('secret insides')))
  })
})
