import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { KeyRing } from './key-ring.ts'
import { bindingOf, readSeal, sealHeader, text, type TemporalPayload } from './payload-seal.ts'

/** Owner of a payload by the SDK (its `SerializationContext`): a workflow, or its activity. */
export interface PayloadOwner {
  namespace: string
  workflowId?: string
  activityId?: string
}

export interface PayloadCodec {
  encode(payloads: TemporalPayload[], owner?: PayloadOwner): Promise<TemporalPayload[]>
  decode(payloads: TemporalPayload[], owner?: PayloadOwner): Promise<TemporalPayload[]>
}

/** The payload was changed, belongs elsewhere, has an unknown key, or was not encrypted. */
export class PayloadUnreadable extends Error {
  override readonly name = 'PayloadUnreadable'
}

export interface CodecOptions {
  /**
   * Reads plain payloads too. Only while signals from before encryption are under way: otherwise anyone who can write
   * to Temporal could make a worker act.
   */
  acceptsPlain?: boolean
  /** Reads the payloads of every owner, to show them only. */
  readsAnyOwner?: boolean
  /**
   * mark: `{"unreadable": reason}` replaces an unreadable payload. Workers then refuse its message, where an error
   * would have Temporal repeat the whole task for ever.
   */
  unreadable?: 'throw' | 'mark'
}

const ENCODING = 'binary/encrypted'
const JSON_PLAIN = 'json/plain'
const PAYLOAD_NONCE_BYTES = 12
const PAYLOAD_TAG_BYTES = 16
const LENGTH_BYTES = 4
/** Bytes from which a payload is worth deflating. */
const WORTH_DEFLATING = 120
/** First byte of the sealed content. Otherwise it is the highest byte of a length, which is always 0. */
const JSON_FOLLOWS = 1
const DEFLATED_FOLLOWS = 2
/** Payloads are a few kB at most; the usual window and tables cost more than the deflating. */
const DEFLATING = { windowBits: 12, memLevel: 5 }

/**
 * Encrypts payloads in Temporal's histories (AES-256-GCM, the ring's current key): readers of Temporal's database or UI
 * learn only ids, times, sizes and search attributes. Each payload is sealed for its owner, whose name is authenticated
 * with it: a copy in another history or activity cannot be read.
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

/** Name of an owner; a payload without one belongs to none. */
const nameOf = (owner: PayloadOwner | undefined): string =>
  JSON.stringify(owner ? [owner.namespace, owner.workflowId ?? null, owner.activityId ?? null] : [])

const isEncrypted = ({ metadata }: TemporalPayload): boolean => text(metadata, 'encoding') === ENCODING

/** Keys as the cipher takes them: made from bytes each time, they take six times as long as the encryption. */
const prepared = new WeakMap<Buffer, KeyObject>()

/** Null when the ring has no such key. */
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

/** @param owner required owner; null for any */
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

/** JSON as it is; anything else as the length of the metadata, the metadata as JSON, and the data. */
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

/** Histories hold many payloads with the same words. */
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
