import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDecipheriv, createPublicKey, hkdfSync, verify, type ECDH } from 'node:crypto'

/** A message as it came to a push service. */
export interface PushRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** How a push service answers; null for silence. */
export type PushAnswer = { status: number; headers?: Record<string, string> } | null

/** A push service on loopback, which takes every message until a test says otherwise. */
export async function startPushService() {
  const requests: PushRequest[] = []
  const service = { answer: (_request: PushRequest): PushAnswer => ({ status: 201 }) }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks) }
      requests.push(received)
      const answer = service.answer(received)
      if (answer) response.writeHead(answer.status, answer.headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    requests,
    /** From now on it answers so. */
    answers(answer: (request: PushRequest) => PushAnswer) {
      service.answer = answer
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type PushService = Awaited<ReturnType<typeof startPushService>>

/** Bytes of the parts of an encrypted message (RFC 8188, section 2.1): salt, size of records, length of the key, key. */
const SALT = 16
const KEY_LENGTH_AT = SALT + 4
const TAG = 16
/** Ends the text of the last record; nothing but padding follows. */
const LAST = 2

/** What a browser reads of a message that was encrypted for it (RFC 8291, section 3.4). */
export function decrypted(
  { body }: PushRequest,
  { curve, auth }: { curve: ECDH; auth: Buffer },
): Record<string, unknown> {
  const salt = body.subarray(0, SALT)
  const keyAt = KEY_LENGTH_AT + 1
  const sender = body.subarray(keyAt, keyAt + body[KEY_LENGTH_AT]!)
  const record = body.subarray(keyAt + sender.length)
  const derive = (secret: Buffer, by: Buffer, purpose: Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, by, purpose, length))
  const parties = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), sender])
  const shared = derive(curve.computeSecret(sender), auth, parties, 32)
  const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-TAG))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG)), decipher.final()])
  const text = padded.subarray(0, padded.lastIndexOf(LAST)).toString()
  return JSON.parse(text) as Record<string, unknown>
}

/** The claims of the sender of a message, once its signature has been checked (RFC 8292); with the key as told. */
export function senderOf({ headers }: PushRequest): { key: string; claims: Record<string, unknown> } {
  const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization!)!
  const [head, claims, signature] = token!.split('.') as [string, string, string]
  const point = Buffer.from(key!, 'base64url')
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const signed = Buffer.from(`${head}.${claims}`)
  const isSigned = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) throw new Error('the message is not signed by the key that it names')
  return {
    key: key!,
    claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>,
  }
}
