import type { ValidCredentials } from '#db/identity/valid-credentials.ts'
import { isCoveredByPlan } from '#domain/token-plans.ts'
import type { Subscription } from './event-stream.ts'
import { WATCHABLE } from './topics.ts'

/** Only a JWT ends by the clock. */
export const hasExpired = ({ principal }: Subscription): boolean =>
  principal.expiresAt !== null && principal.expiresAt.getTime() <= Date.now()

/** Whether the client would still be let in. */
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
