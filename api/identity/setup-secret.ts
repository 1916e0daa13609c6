import { createHash, timingSafeEqual } from 'node:crypto'
import type { SigningKeys } from '../access/access-jwt.ts'

/** Keeps strangers from taking over a new installation. Derived from the keys: all replicas have the same. */
export function setupSecretOf(chosen: string | undefined, keys: SigningKeys): string {
  return chosen ?? keys.keys.get(keys.current)!.toString('base64url')
}

export const isSetupSecret = (given: string, right: string): boolean =>
  timingSafeEqual(digest(given), digest(right))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
