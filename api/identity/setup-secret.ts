import { createHash, timingSafeEqual } from 'node:crypto'
import type { SigningKeys } from '../access/access-jwt.ts'

/**
 * What the first user shows to become the administrator: whoever reaches the port of a new installation must not be
 * able to take it. SETUP_SECRET, or one that follows from the installation's keys, so that all replicas have the same.
 */
export function setupSecretOf(chosen: string | undefined, keys: SigningKeys): string {
  return chosen ?? keys.keys.get(keys.current)!.toString('base64url')
}

/** Compares in the same time whatever is wrong with what was given. */
export const isSetupSecret = (given: string, right: string): boolean =>
  timingSafeEqual(digest(given), digest(right))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
