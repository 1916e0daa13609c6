import { createHash, randomBytes } from 'node:crypto'

export interface OpaqueSecret {
  text: string
  hash: string
}

export function mintOpaqueSecret(): OpaqueSecret {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOpaqueSecret(text) }
}

/** A plain hash is enough for a secret that cannot be guessed (ASVS 6.5.2). */
export const hashOpaqueSecret = (text: string): string => createHash('sha256').update(text).digest('hex')
