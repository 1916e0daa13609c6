import { createHash } from 'node:crypto'

export interface TemporalPayload {
  metadata?: Record<string, Uint8Array> | null
  data?: Uint8Array | null
}

/** Header of an encrypted payload, authenticated with it. */
export interface Seal {
  keyId: string
  binding: Buffer
  /** Nonce, encrypted bytes and tag. */
  sealed: Uint8Array
  isOf(owner: string): boolean
}

/** A digest of 128 bits names an owner: a history has some twenty payloads, and 8 kB in all. */
const OWNER_BYTES = 16
const SEAL_LABEL = 'temporal-payload'
const utf8 = new TextDecoder()

/** The key's id after its length, and the owner. */
export function sealHeader(keyId: string, owner: string): Buffer {
  const id = Buffer.from(keyId)
  if (id.length > 255) throw new RangeError(`The id of a key has at most 255 bytes: ${keyId}`)
  return Buffer.concat([Buffer.of(id.length), id, digestOf(owner).subarray(0, OWNER_BYTES)])
}

export const bindingOf = (header: Uint8Array): Buffer => Buffer.concat([Buffer.from(SEAL_LABEL), header])

/** Null for a payload that is too short. */
export function readSeal({ data }: TemporalPayload): Seal | null {
  const headerEnd = 1 + (data?.[0] ?? 0) + OWNER_BYTES
  if (!data || data.length < headerEnd) return null
  const header = data.subarray(0, headerEnd)
  const said = header.subarray(-OWNER_BYTES)
  return {
    keyId: utf8.decode(header.subarray(1, -OWNER_BYTES)),
    binding: bindingOf(header),
    sealed: data.subarray(headerEnd),
    isOf: (owner) => digestOf(owner).subarray(0, OWNER_BYTES).equals(said),
  }
}

/** Metadata in words; empty where absent. */
export const text = (metadata: TemporalPayload['metadata'], name: string): string =>
  utf8.decode(metadata?.[name] ?? new Uint8Array())

const digestOf = (owner: string): Buffer => createHash('sha256').update(owner).digest()
