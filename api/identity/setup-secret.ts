import type { SigningKeys } from '../access/access-jwt.ts'
import { hashOpaqueSecret } from '../access/opaque-secret.ts'
import { isSameHash } from '../http/access-token.ts'

/** Keeps strangers from taking over a new installation. Derived from the keys: all replicas have the same. */
export function setupSecretOf(chosen: string | undefined, keys: SigningKeys): string {
  return chosen ?? keys.keys.get(keys.current)!.toString('base64url')
}

export const isSetupSecret = (given: string, right: string): boolean =>
  isSameHash(hashOpaqueSecret(given), hashOpaqueSecret(right))
