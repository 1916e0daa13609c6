import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/** A piece of data as Temporal stores it. */
export interface TemporalPayload {
  metadata?: Record<string, Uint8Array> | null
  data?: Uint8Array | null
}

/** What Temporal's SDK asks of a codec. */
export interface PayloadCodec {
  encode(payloads: TemporalPayload[]): Promise<TemporalPayload[]>
  decode(payloads: TemporalPayload[]): Promise<TemporalPayload[]>
}

/** A payload that was changed, was sealed with a key that is not there, or was not encrypted at all. */
export class PayloadUnreadable extends Error {
  override readonly name = 'PayloadUnreadable'
}

const ENCODING = 'binary/encrypted'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const LENGTH_BYTES = 4
const utf8 = new TextDecoder()

/**
 * Encrypts everything that is stored in Temporal's histories, AES-256-GCM under the ring's current key: whoever
 * can read Temporal's database or page learns ids, times and search attributes, no more.
 *
 * @param acceptsPlain reads what is not encrypted too. Only while signals from before encryption are under way:
 * otherwise whoever can write to Temporal could have a worker act on their own words
 */
export function payloadCodec(ring: KeyRing, acceptsPlain = false): PayloadCodec {
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(ring, payload)),
    decode: async (payloads) =>
      payloads.map((payload) => {
        if (isEncrypted(payload)) return decrypt(ring, payload)
        if (acceptsPlain) return payload
        throw new PayloadUnreadable('A payload in Temporal is not encrypted')
      }),
  }
}

const isEncrypted = ({ metadata }: TemporalPayload): boolean =>
  metadata?.['encoding'] !== undefined && utf8.decode(metadata['encoding']) === ENCODING

function encrypt({ current, keys }: KeyRing, payload: TemporalPayload): TemporalPayload {
  const key = keys.get(current)
  if (!key) throw new PayloadUnreadable(`There is no key ${current} in the key ring`)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(
    binding(current),
  )
  const data = Buffer.concat([nonce, cipher.update(packed(payload)), cipher.final(), cipher.getAuthTag()])
  return { metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(current) }, data }
}

function decrypt({ keys }: KeyRing, { metadata, data }: TemporalPayload): TemporalPayload {
  const id = utf8.decode(metadata?.['encryption-key-id'] ?? new Uint8Array())
  const key = keys.get(id)
  if (!key) throw new PayloadUnreadable(`There is no key ${JSON.stringify(id)} in the key ring`)
  if (!data || data.length < NONCE_BYTES + TAG_BYTES) throw new PayloadUnreadable('A payload is cut off')
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(binding(id))
    .setAuthTag(data.subarray(-TAG_BYTES))
  try {
    return unpacked(
      Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]),
    )
  } catch (cause) {
    throw new PayloadUnreadable('A payload was changed or encrypted with another key', { cause })
  }
}

const binding = (keyId: string): Buffer => Buffer.from(JSON.stringify(['temporal-payload', keyId]))

/** The length of the metadata, the metadata as JSON, and the data as it is. */
function packed({ metadata, data }: TemporalPayload): Buffer {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ])
  const header = Buffer.from(JSON.stringify(entries))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(header.length)
  return Buffer.concat([length, header, data ?? new Uint8Array()])
}

function unpacked(bytes: Buffer): TemporalPayload {
  const start = LENGTH_BYTES + bytes.readUInt32BE(0)
  const entries = JSON.parse(bytes.subarray(LENGTH_BYTES, start).toString()) as [string, string][]
  return {
    metadata: Object.fromEntries(entries.map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: bytes.subarray(start),
  }
}
