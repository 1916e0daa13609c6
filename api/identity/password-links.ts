import type { EntityManager } from '#db/engine/database.ts'
import { insertOneTimeSecret } from '#db/identity/one-time-secrets.ts'
import { mintOpaqueSecret } from '../access/opaque-secret.ts'

/** Makes the secret of a link with which a user chooses a password, once and within so many seconds. */
export async function makePasswordSecret(
  em: EntityManager,
  userId: string,
  seconds: number,
): Promise<string> {
  const { text, hash } = mintOpaqueSecret()
  await insertOneTimeSecret(em, { hash, userId, purpose: 'password_reset', seconds })
  return text
}
