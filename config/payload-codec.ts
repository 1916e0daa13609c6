import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { KeyRing } from './key-ring.ts'
import { bindingOf, readSeal, sealHeader, text, type TemporalPayload } from './payload-seal.ts'

/** Whose a payload is, as the SDK says (its `SerializationContext`): a workflow's, or an activity's of a workflow. */
export interface PayloadOwner {
  namespace: string
  workflowId?: string
  activityId?: string
}

/** The methods that Temporal's SDK asks of a codec. */
export interface PayloadCodec {
  encode(payloads: TemporalPayload[], owner?: PayloadOwner): Promise<TemporalPayload[]>
  decode(payloads: TemporalPayload[], owner?: PayloadOwner): Promise<TemporalPayload[]>
}

/** A payload that was changed, belongs elsewhere, was sealed with a key that is not there, or was not encrypted. */
export class PayloadUnreadable extends Error {
  override readonly name = 'PayloadUnreadable'
}

export interface CodecOptions {
  /**
   * Reads what is not encrypted too. Only while signals from before encryption are under way: otherwise whoever can
   * write to Temporal could have a worker act on their own words.
   */
  acceptsPlain?: boolean
  /** Reads the payloads of every owner: for those who show them and act on nothing. */
  readsAnyOwner?: boolean
  /**
   * mark: `{"unreadable": reason}` takes the place of what cannot be read. For workers: they refuse the message that it
   * belongs to, where an error would have Temporal repeat the whole task for ever, and with it everything else.
   */
  unreadable?: 'throw' | 'mark'
}

const ENCODING = 'binary/encrypted'
const JSON_PLAIN = 'json/plain'
const PAYLOAD_NONCE_BYTES = 12
const PAYLOAD_TAG_BYTES = 16
const LENGTH_BYTES = 4
/** Bytes from which on a payload is worth deflating. */
const WORTH_DEFLATING = 120
/** First byte of what is sealed. Otherwise that of the length of metadata, which is never so long that it is not 0. */
const JSON_FOLLOWS = 1
const DEFLATED_FOLLOWS = 2
/** Payloads are a few kB at most; the usual window and tables cost more to set up than such a payload to deflate. */
const DEFLATING = { windowBits: 12, memLevel: 5 }

/**
 * Encrypts everything that is stored in Temporal's histories, AES-256-GCM under the ring's current key: whoever
 * can read Temporal's database or page learns ids, times, sizes and search attributes, no more. Each payload is sealed for its
 * owner, whose name is authenticated with it: copied into another history, or to another activity, it cannot be read.
 */
export function payloadCodec(ring: KeyRing, options: CodecOptions = {}): PayloadCodec {
  const { acceptsPlain = false, readsAnyOwner = false, unreadable = 'throw' } = options
  const read = (payload: TemporalPayload, owner: string): TemporalPayload => {
    if (isEncrypted(payload)) return decrypt(ring, payload, readsAnyOwner ? null : owner)
    if (acceptsPlain) return payload
    throw new PayloadUnreadable('A payload in Temporal is not encrypted')
  }
  return {
    encode: async (payloads, owner) => payloads.map((payload) => encrypt(ring, payload, nameOf(owner))),
    decode: async (payloads, owner) =>
      payloads.map((payload) => {
        try {
          return read(payload, nameOf(owner))
        } catch (error) {
          if (unreadable === 'mark' && error instanceof PayloadUnreadable) return mark(error.message)
          throw error
        }
      }),
  }
}

const mark = (unreadable: string): TemporalPayload => ({
  metadata: { encoding: Buffer.from(JSON_PLAIN) },
  data: Buffer.from(JSON.stringify({ unreadable })),
})

/** An owner in one word; a payload without one belongs to nobody. */
const nameOf = (owner: PayloadOwner | undefined): string =>
  JSON.stringify(owner ? [owner.namespace, owner.workflowId ?? null, owner.activityId ?? null] : [])

const isEncrypted = ({ metadata }: TemporalPayload): boolean => text(metadata, 'encoding') === ENCODING

/** Keys of the rings as the cipher takes them; made of bytes each time, a key takes six times as long as to encrypt with. */
const prepared = new WeakMap<Buffer, KeyObject>()

/** The key of a ring by its id; null when it has none. */
function keyOf({ keys }: KeyRing, id: string): KeyObject | null {
  const bytes = keys.get(id)
  if (!bytes) return null
  const key = prepared.get(bytes) ?? createSecretKey(bytes)
  prepared.set(bytes, key)
  return key
}

function encrypt(ring: KeyRing, payload: TemporalPayload, owner: string): TemporalPayload {
  const { current } = ring
  const key = keyOf(ring, current)
  if (!key) throw new PayloadUnreadable(`There is no key ${current} in the key ring`)
  const nonce = randomBytes(PAYLOAD_NONCE_BYTES)
  const header = sealHeader(current, owner)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: PAYLOAD_TAG_BYTES }).setAAD(
    bindingOf(header),
  )
  const data = Buffer.concat([
    header,
    nonce,
    cipher.update(deflated(packed(payload))),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return { metadata: { encoding: Buffer.from(ENCODING) }, data }
}

/** @param owner whose it has to be; null for whoever it says that it belongs to */
function decrypt(ring: KeyRing, payload: TemporalPayload, owner: string | null): TemporalPayload {
  const seal = readSeal(payload)
  if (!seal) throw new PayloadUnreadable('A payload is cut off')
  const { keyId, binding, sealed } = seal
  const key = keyOf(ring, keyId)
  if (!key) throw new PayloadUnreadable(`There is no key ${JSON.stringify(keyId)} in the key ring`)
  if (owner !== null && !seal.isOf(owner))
    throw new PayloadUnreadable(`A payload of another owner lies where one of ${owner} belongs`)
  if (sealed.length < PAYLOAD_NONCE_BYTES + PAYLOAD_TAG_BYTES)
    throw new PayloadUnreadable('A payload is cut off')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, PAYLOAD_NONCE_BYTES), {
    authTagLength: PAYLOAD_TAG_BYTES,
  })
    .setAAD(binding)
    .setAuthTag(sealed.subarray(-PAYLOAD_TAG_BYTES))
  try {
    const bytes = Buffer.concat([
      decipher.update(sealed.subarray(PAYLOAD_NONCE_BYTES, -PAYLOAD_TAG_BYTES)),
      decipher.final(),
    ])
    return unpacked(inflated(bytes))
  } catch (cause) {
    throw new PayloadUnreadable('A payload was changed or encrypted with another key', { cause })
  }
}

/** JSON as it is; of anything else the length of the metadata, the metadata as JSON, and the data as it is. */
function packed({ metadata, data }: TemporalPayload): Buffer {
  if (text(metadata, 'encoding') === JSON_PLAIN && Object.keys(metadata ?? {}).length === 1)
    return Buffer.concat([Buffer.of(JSON_FOLLOWS), data ?? new Uint8Array()])
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ])
  const header = Buffer.from(JSON.stringify(entries))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(header.length)
  return Buffer.concat([length, header, data ?? new Uint8Array()])
}

/** Deflated where that makes it shorter: histories hold many payloads, and the same words again and again. */
function deflated(bytes: Buffer): Buffer {
  if (bytes.length < WORTH_DEFLATING) return bytes
  const short = Buffer.concat([Buffer.of(DEFLATED_FOLLOWS), deflateRawSync(bytes, DEFLATING)])
  return short.length < bytes.length ? short : bytes
}

const inflated = (bytes: Buffer): Buffer =>
  bytes[0] === DEFLATED_FOLLOWS ? inflateRawSync(bytes.subarray(1)) : bytes

function unpacked(bytes: Buffer): TemporalPayload {
  if (bytes[0] === JSON_FOLLOWS)
    return { metadata: { encoding: Buffer.from(JSON_PLAIN) }, data: bytes.subarray(1) }
  const start = LENGTH_BYTES + bytes.readUInt32BE(0)
  const entries = JSON.parse(bytes.subarray(LENGTH_BYTES, start).toString()) as [string, string][]
  return {
    metadata: Object.fromEntries(entries.map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: bytes.subarray(start),
  }
}
