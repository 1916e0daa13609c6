import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { useApi } from '../support/use-api.ts'

/** Requests that two parsers could cut at different places (request smuggling, RFC 9112 section 11.2). */
const AMBIGUOUS = [
  ['both Content-Length and Transfer-Encoding', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
  ['two lengths', 'Content-Length: 5\r\nContent-Length: 6'],
  ['a list of lengths', 'Content-Length: 5, 6'],
  ['a signed length', 'Content-Length: +5'],
  ['an unknown transfer coding', 'Transfer-Encoding: xchunked'],
  ['chunked before another coding', 'Transfer-Encoding: chunked, identity'],
  ['a folded header', 'X-Note: a\r\n b'],
  ['a space before the colon', 'Content-Length : 5'],
] as const

describe('a request that can be read in two ways', () => {
  const api = useApi()

  /** What the server answers to bytes, until it closes the connection. */
  const exchange = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(Number(new URL(api.address).port), '127.0.0.1', () => socket.write(bytes))
      socket.on('data', (data) => (answer += data.toString()))
      socket.on('error', reject)
      socket.on('close', () => resolve(answer))
    })

  for (const [name, headers] of AMBIGUOUS) {
    it(`a request that can be read in two ways because of ${name} gets one 400, and a request hidden in its body gets no answer`, async () => {
      const hidden = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
      const answer = await exchange(
        `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n0\r\n\r\n${hidden}`,
      )
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.equal(answer.match(/HTTP\/1\.1/g)!.length, 1)
    })
  }

  for (const [method, path, code] of [
    ['GET', '/api/v1/nowhere', 'code'],
    ['GET', '/healthz', 'code'],
    ['GET', '/api/v1/orders', 'error'],
    ['POST', '/api/v1/signals', 'code'],
  ] as const)
    it(`a request that can be read in two ways because ${method} ${path} has two Host headers gets 400 in the envelope of its family`, async () => {
      for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhOST: a', 'Host: a\r\nX: y\r\nHost:']) {
        const answer = await exchange(`${method} ${path} HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`)
        assert.match(answer, /^HTTP\/1\.1 400 /, hosts)
        const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
        assert.equal(body[code], 'VALIDATION_ERROR')
        assert.equal(body.details[0].code, 'repeated_host')
        assert.match(answer, new RegExp(`X-Request-Id: ${body.requestId}`, 'i'))
      }
    })

  for (const [name, bytes, status] of [
    [
      'a line feed behind a token',
      'GET /api/v1/signals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer dt_abc\n\r\n\r\n',
      400,
    ],
    [
      'a control character in a header',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nX-API-Key: dtk_abc\u0001\r\n\r\n',
      400,
    ],
    [
      'headers that are too long',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
  ] as const)
    it(`a request that can be read in two ways because of ${name} is answered so in the envelope of other answers, and nothing of it is repeated`, async () => {
      const answer = await exchange(bytes)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
      assert.deepEqual(Object.keys(body), ['error', 'code', 'details', 'requestId'])
      assert.match(body.error, status === 400 ? /line break or a control character/ : /16 KiB/)
      assert.doesNotMatch(answer, /dtk?_|aaaa/)
    })
})
