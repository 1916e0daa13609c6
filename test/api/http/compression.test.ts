import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createSignal } from '../../support/factories.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('the compression of answers', () => {
  let user: TestUser
  const api = useApi()
  before(async () => {
    user = await api.addUser()
    for (let index = 0; index < 25; index++)
      await createSignal(api.database.em, { accountId: user.accountId, status: 'pending' })
  })

  /** What goes over the network. */
  async function raw(path: string, encodings: string, method = 'GET', tag?: string) {
    const headers = {
      Authorization: `Bearer ${user.token}`,
      'Accept-Encoding': encodings,
      ...(tag !== undefined && { 'If-None-Match': tag }),
    }
    const asked = request(new URL(path, api.address), { method, headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) }
  }
  const QUEUE = '/api/v1/signals?status=pending&limit=100'

  it('sends a list in a tenth of its bytes, as the client takes it', async () => {
    const plain = await raw(QUEUE, 'identity')
    assert.equal(plain.headers['content-encoding'], undefined)
    const { signals } = JSON.parse(plain.bytes.toString()).data
    assert.equal(signals.length, 25)
    for (const [encoding, expand] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, bytes } = await raw(QUEUE, encoding)
      assert.deepEqual(
        [headers['content-encoding'], headers['vary']?.includes('Accept-Encoding')],
        [encoding, true],
      )
      assert.deepEqual(JSON.parse(expand(bytes).toString()).data.signals, signals)
      console.log(`      ${plain.bytes.length} bytes, ${bytes.length} by ${encoding}`)
      assert.ok(bytes.length < plain.bytes.length / 5)
    }
  })
})
