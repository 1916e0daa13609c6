import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { startApi } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('every answer', () => {
  let token: string
  const api = useApi()
  before(async () => {
    ;({ token } = await api.addUser())
  })

  for (const path of ['/api/v1/signals', '/api/v1/tokens', '/api/v1/nowhere', '/healthz', '/'])
    it(`every answer of ${path} instructs browsers to run, frame, sniff and keep nothing`, async () => {
      const { headers } = await api.call('GET', path, { token })
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
      )
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.match(headers.get('strict-transport-security')!, /^max-age=63072000; includeSubDomains$/)
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
      assert.equal(headers.get('x-powered-by'), null)
      assert.equal(headers.get('access-control-allow-origin'), null)
    })

  it('speaks of HTTPS only where the service is reached by it', async () => {
    const plain = await startApi({ identity: { PUBLIC_URL: 'http://127.0.0.1:3000' } })
    const { headers } = await plain.call('GET', '/healthz')
    await plain.stop()
    assert.equal(headers.get('strict-transport-security'), null)
  })

  it('every answer is open to pages of the listed origins, without cookies, and to no others', async () => {
    const ask = (origin: string) => api.call('GET', '/api/v1/signals', { token, headers: { Origin: origin } })
    const listed = await ask('https://desk.example.com')
    assert.equal(listed.headers.get('access-control-allow-origin'), 'https://desk.example.com')
    assert.equal(listed.headers.get('access-control-allow-credentials'), null)
    assert.match(listed.headers.get('access-control-expose-headers')!, /RateLimit-Remaining/)
    for (const origin of ['https://desk.example.com.evil.example', 'http://desk.example.com', 'null'])
      assert.equal((await ask(origin)).headers.get('access-control-allow-origin'), null, origin)
  })

  it('lets browsers ask first', async () => {
    const ask = (origin: string) =>
      api.call('OPTIONS', '/api/v1/signals', {
        headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
      })
    const listed = await ask('https://desk.example.com')
    assert.equal(listed.status, 204)
    assert.match(listed.headers.get('access-control-allow-headers')!, /Authorization/)
    assert.equal((await ask('https://evil.example')).status, 405)
  })

  it('a request whose headers come too slowly is refused', async () => {
    const { port } = new URL(api.address)
    const began = performance.now()
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      let answer = ''
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
      const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 500)
      socket.on('data', (bytes) => (answer += bytes.toString()))
      socket.on('error', reject)
      socket.on('close', () => {
        clearInterval(drip)
        resolve(answer)
      })
    })
    assert.match(text, /^HTTP\/1\.1 408 /)
    assert.ok(performance.now() - began < 8_000)
  })

  it('a request with more headers than any client needs is refused', async () => {
    const response = await fetch(`${api.address}/healthz`, { headers: { 'X-Long': 'x'.repeat(20_000) } })
    assert.equal(response.status, 431)
  })
})
