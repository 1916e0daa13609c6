import { createHash, randomBytes } from 'node:crypto'

/** A secret that means nothing in itself, and what the database knows it by. */
export interface OpaqueSecret {
  /** The text to hand out once and never store: 256 random bits, base64url. */
  text: string
  /** Hex SHA-256 of the text. */
  hash: string
}

/** Makes a new secret: for a refresh token, a link in a mail, a pending sign-in, a device. */
export function mintOpaqueSecret(): OpaqueSecret {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOpaqueSecret(text) }
}

/** Hex SHA-256: a plain hash is enough for something that cannot be guessed (ASVS 6.5.2). */
export const hashOpaqueSecret = (text: string): string => createHash('sha256').update(text).digest('hex')
