import type { EntityManager } from '#db/engine/database.ts'
import { insertOneTimeSecret } from '#db/identity/one-time-secrets.ts'
import { mintOpaqueSecret } from '../access/opaque-secret.ts'

export async function makePasswordSecret(
  em: EntityManager,
  userId: string,
  seconds: number,
): Promise<string> {
  const { text, hash } = mintOpaqueSecret()
  await insertOneTimeSecret(em, { hash, userId, purpose: 'password_reset', seconds })
  return text
}
