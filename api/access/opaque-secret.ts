import { createHash, randomBytes } from 'node:crypto'

export interface OpaqueSecret {
  /** Handed out once, never stored: 256 random bits, base64url. */
  text: string
  hash: string
}

/** For a refresh token, a link, a pending sign-in or a device. */
export function mintOpaqueSecret(): OpaqueSecret {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOpaqueSecret(text) }
}

/** A plain hash is enough for a secret that cannot be guessed (ASVS 6.5.2). */
export const hashOpaqueSecret = (text: string): string => createHash('sha256').update(text).digest('hex')
