import type { ValidCredentials } from '#db/identity/valid-credentials.ts'
import { isCoveredByPlan } from '#domain/token-plans.ts'
import type { Subscription } from './event-stream.ts'
import { WATCHABLE } from './topics.ts'

/** Whether a JWT has come to its end; nothing else ends by the clock alone. */
export const hasExpired = ({ principal }: Subscription): boolean =>
  principal.expiresAt !== null && principal.expiresAt.getTime() <= Date.now()

/** Whether a client who was let in some time ago would still be. */
export function isStillAuthorized(
  { principal, lists }: Subscription,
  { sessionIds, tokens }: ValidCredentials,
): boolean {
  if (principal.sessionId !== null) return sessionIds.has(principal.sessionId)
  const token = tokens.get(principal.tokenId!)
  return (
    token !== undefined &&
    isCoveredByPlan(token) &&
    lists.every((list) => token.scopes.includes(WATCHABLE[list].scope))
  )
}
