import { createHash, timingSafeEqual } from 'node:crypto'
import type { SigningKeys } from '../access/access-jwt.ts'

/**
 * The secret that the first user shows to become the administrator: a stranger who reaches the port of a new installation must not be
 * able to take it. SETUP_SECRET, or one that follows from the installation's keys, so that all replicas have the same.
 */
export function setupSecretOf(chosen: string | undefined, keys: SigningKeys): string {
  return chosen ?? keys.keys.get(keys.current)!.toString('base64url')
}

/** Compares in the same time, wherever the given text differs. */
export const isSetupSecret = (given: string, right: string): boolean =>
  timingSafeEqual(digest(given), digest(right))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
