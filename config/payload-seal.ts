import { createHash } from 'node:crypto'

/** A piece of data as Temporal stores it. */
export interface TemporalPayload {
  metadata?: Record<string, Uint8Array> | null
  data?: Uint8Array | null
}

/** The header of an encrypted payload. It is authenticated with what it stands before. */
export interface Seal {
  /** Of the key that it is encrypted with. */
  keyId: string
  /** The bytes that the cipher authenticates. */
  binding: Buffer
  /** Nonce, encrypted bytes and tag. */
  sealed: Uint8Array
  isOf(owner: string): boolean
}

/** 128 bits of a digest name an owner: there are some twenty payloads in a history, and it may have 8 kB in all. */
const OWNER_BYTES = 16
const SEAL_LABEL = 'temporal-payload'
const utf8 = new TextDecoder()

/** The bytes before a payload that is encrypted with this key for this owner: the key's id, its length first, and the owner. */
export function sealHeader(keyId: string, owner: string): Buffer {
  const id = Buffer.from(keyId)
  if (id.length > 255) throw new RangeError(`The id of a key has at most 255 bytes: ${keyId}`)
  return Buffer.concat([Buffer.of(id.length), id, digestOf(owner).subarray(0, OWNER_BYTES)])
}

/** The bytes that are authenticated with a header. */
export const bindingOf = (header: Uint8Array): Buffer => Buffer.concat([Buffer.from(SEAL_LABEL), header])

/** The seal of an encrypted payload; null for one that is too short to have any. */
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

/** A value of the metadata in words; empty where it is not there. */
export const text = (metadata: TemporalPayload['metadata'], name: string): string =>
  utf8.decode(metadata?.[name] ?? new Uint8Array())

const digestOf = (owner: string): Buffer => createHash('sha256').update(owner).digest()
