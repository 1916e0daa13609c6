import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Keys of 256 bits by id; one encrypts, all decrypt. */
export interface EncryptionKeys {
  current: string
  keys: ReadonlyMap<string, Buffer>
}

/** A secret moved to another row or owner does not open. */
export interface SecretPlace {
  table: string
  id: string
  userId: string
  field: string
}

/** Changed, moved, or sealed with an unknown key. Messages name no secret. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
}

const SECRET_VERSION = 's1'
const SECRET_NONCE_BYTES = 12
const SECRET_TAG_BYTES = 16

/** AES-256-GCM with a data key each: `s1.keyId.wrappedKey.ciphertext`. */
export function sealSecret({ current, keys }: EncryptionKeys, place: SecretPlace, secret: string): string {
  const dataKey = randomBytes(32)
  const wrapped = encrypt(keyNamed(keys, current), dataKey, wrapping(place))
  const sealed = encrypt(dataKey, Buffer.from(secret), binding(place))
  return [SECRET_VERSION, current, wrapped.toString('base64url'), sealed.toString('base64url')].join('.')
}

/** Throws {@link SecretUnreadable}. */
export function openSecret({ keys }: EncryptionKeys, place: SecretPlace, sealed: string): string {
  const { keyId, wrapped, ciphertext } = parse(sealed)
  const dataKey = decrypt(keyNamed(keys, keyId), wrapped, wrapping(place))
  return decrypt(dataKey, ciphertext, binding(place)).toString()
}

/** Wraps the secret with the current key. Throws {@link SecretUnreadable}. */
export function rewrapSecret(ring: EncryptionKeys, place: SecretPlace, sealed: string): string {
  const { keyId, wrapped, ciphertext } = parse(sealed)
  const dataKey = decrypt(keyNamed(ring.keys, keyId), wrapped, wrapping(place))
  const anew = encrypt(keyNamed(ring.keys, ring.current), dataKey, wrapping(place))
  return [SECRET_VERSION, ring.current, anew.toString('base64url'), ciphertext.toString('base64url')].join(
    '.',
  )
}

export const sealingKeyOf = (sealed: string): string => parse(sealed).keyId

const binding = ({ table, id, userId, field }: SecretPlace): Buffer =>
  Buffer.from(JSON.stringify([SECRET_VERSION, 'secret', table, id, userId, field]))
const wrapping = ({ table, id, userId, field }: SecretPlace): Buffer =>
  Buffer.from(JSON.stringify([SECRET_VERSION, 'key', table, id, userId, field]))

function parse(sealed: string): { keyId: string; wrapped: Buffer; ciphertext: Buffer } {
  const [version, keyId, wrapped, ciphertext, ...rest] = sealed.split('.')
  if (version !== SECRET_VERSION || !keyId || !wrapped || !ciphertext || rest.length > 0)
    throw new SecretUnreadable('A stored secret has an unknown form')
  return {
    keyId,
    wrapped: Buffer.from(wrapped, 'base64url'),
    ciphertext: Buffer.from(ciphertext, 'base64url'),
  }
}

function keyNamed(keys: ReadonlyMap<string, Buffer>, id: string): Buffer {
  const key = keys.get(id)
  if (!key) throw new SecretUnreadable(`There is no key ${JSON.stringify(id)} in the key ring`)
  return key
}

function encrypt(key: Buffer, plain: Buffer, boundTo: Buffer): Buffer {
  const nonce = randomBytes(SECRET_NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: SECRET_TAG_BYTES }).setAAD(
    boundTo,
  )
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, box: Buffer, boundTo: Buffer): Buffer {
  if (box.length < SECRET_NONCE_BYTES + SECRET_TAG_BYTES)
    throw new SecretUnreadable('A stored secret is cut off')
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, SECRET_NONCE_BYTES), {
    authTagLength: SECRET_TAG_BYTES,
  })
    .setAAD(boundTo)
    .setAuthTag(box.subarray(-SECRET_TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(box.subarray(SECRET_NONCE_BYTES, -SECRET_TAG_BYTES)),
      decipher.final(),
    ])
  } catch {
    throw new SecretUnreadable('A stored secret was changed, moved, or sealed with another key')
  }
}
