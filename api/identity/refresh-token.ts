import { createHmac, randomBytes } from 'node:crypto'
import { hashOpaqueSecret, type OpaqueSecret } from '../access/opaque-secret.ts'

/** Milliseconds in which a used token answers with its successor again: an answer was lost, or two tabs asked. */
export const REFRESH_GRACE_MS = 10_000

/** A salt for {@link successorOf}; kept beside the used token until its successor is used. */
export const newSuccessorSalt = (): string => randomBytes(32).toString('base64url')

/**
 * The token that follows a used one. Both the used token's text, which is not stored, and the salt, which only
 * the database has, are needed to compute it: so it can be given out a second time without being stored, and
 * neither a stolen token nor a stolen database leads to the next.
 */
export function successorOf(token: string, salt: string): OpaqueSecret {
  const text = createHmac('sha256', token).update(salt).digest('base64url')
  return { text, hash: hashOpaqueSecret(text) }
}
