import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { payloadCodec } from '#config/payload-codec.ts'
import { serveCodec } from '#local/servers/codec-endpoint.ts'

const UI = 'http://127.0.0.1:8233'

describe('the codec endpoint', () => {
  const codec = payloadCodec({ current: 'k1', keys: new Map([['k1', randomBytes(32)]]) })
  let endpoint: Awaited<ReturnType<typeof serveCodec>>
  let body: string
  before(async () => {
    endpoint = await serveCodec({ host: '127.0.0.1', port: 0, codec, origins: [UI] })
    const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"10 AAPL"') }
    const [sealed] = await codec.encode([payload])
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
    body = JSON.stringify({
      payloads: [
        {
          metadata: Object.fromEntries(
            Object.entries(sealed!.metadata!).map(([name, value]) => [name, base64(value)]),
          ),
          data: base64(sealed!.data!),
        },
      ],
    })
  })
  after(() => endpoint.close())

  const ask = (headers: Record<string, string>, { method = 'POST', path = '/decode', send = body } = {}) =>
    new Promise<{ status: number; text: string; allowed: string | undefined }>((resolve, reject) => {
      const sent = request(endpoint.url + path, { method, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            text: Buffer.concat(chunks).toString(),
            allowed: response.headers['access-control-allow-origin'],
          }),
        )
      })
      sent.on('error', reject)
      sent.end(method === 'POST' ? send : undefined)
    })

  it('shows payloads to the page of Temporal’s UI', async () => {
    const { status, text, allowed } = await ask({ Origin: UI })
    assert.deepEqual([status, allowed], [200, UI])
    const [payload] = JSON.parse(text).payloads
    assert.equal(Buffer.from(payload.data, 'base64').toString(), '"10 AAPL"')
    assert.equal(Buffer.from(payload.metadata.encoding, 'base64').toString(), 'json/plain')
    assert.equal((await ask({ Origin: UI }, { method: 'OPTIONS' })).status, 204)
  })

  for (const [name, headers] of Object.entries({
    'a page of another site': { Origin: 'https://evil.example' },
    'a page of another port': { Origin: 'http://127.0.0.1:3000' },
    'a caller without an origin': {},
    'a name that only resolves to this machine': { Origin: UI, Host: 'evil.example:8234' },
  } as Record<string, Record<string, string>>)) {
    it(`shows nothing to ${name}`, async () => {
      const { status, text, allowed } = await ask(headers)
      assert.deepEqual([status, text, allowed], [403, '', undefined])
    })
  }

  it('encrypts no payload, and answers an unreadable one without quoting it', async () => {
    assert.equal((await ask({ Origin: UI }, { path: '/encode' })).status, 404)
    assert.equal((await ask({ Origin: UI }, { send: 'nonsense' })).status, 400)
    assert.equal((await ask({ Origin: UI }, { send: '{"payloads":[{}]}' })).status, 422)
    assert.equal((await ask({ Origin: UI }, { send: `"${'x'.repeat(9_000_000)}"` })).status, 400)
  })
})
