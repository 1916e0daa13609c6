import { exceededBounds, TOKEN_BOUNDS, type BoundedAct, type TokenBound } from '#domain/token-bounds.ts'
import { ApiError, fault } from '../http/errors.ts'
import type { Principal } from '../http/principal.ts'

/**
 * How a bound of a token applies to a route. refused: a token with this bound cannot use the route. judged: the command holds
 * the request to it, by {@link requireWithinBounds}. free: the route does nothing that the bound is about.
 */
type BoundUse = 'refused' | 'judged' | 'free'

/** How each bound applies to a route. */
export type BoundsPolicy = Readonly<Record<TokenBound, BoundUse>>

/** Of a route that nothing bounds, to begin from. */
export const FREE: BoundsPolicy = {
  pendingOnly: 'free',
  accountIds: 'free',
  symbols: 'free',
  maxOrderValue: 'free',
  ownSignalsOnly: 'free',
  demoOnly: 'free',
}

/**
 * Throws TOKEN_BOUNDS_EXCEEDED where the token has a bound that closes the route to it, naming every such bound. A route
 * that does not say how bounds apply is closed to every token that has one.
 *
 * @param policy reading: bounds are about acts, and the route only reads. Null: nobody has said how they apply
 */
export function requireOpenToBounds(
  { bounds }: Pick<Principal, 'bounds'>,
  policy: BoundsPolicy | 'reading' | null,
): void {
  if (policy === 'reading') return
  const closing = TOKEN_BOUNDS.filter(
    (bound) => bound in bounds && (policy?.[bound] ?? 'refused') === 'refused',
  )
  if (closing.length === 0) return
  throw tokenBoundsExceeded(
    closing.map((bound) => ({ bound, message: `A token that is bound by ${bound} cannot use this route` })),
  )
}

/** Throws TOKEN_BOUNDS_EXCEEDED, naming every bound of the token that the act exceeds. */
export function requireWithinBounds({ bounds }: Pick<Principal, 'bounds'>, act: BoundedAct): void {
  const exceeded = exceededBounds(bounds, act)
  if (exceeded.length > 0) throw tokenBoundsExceeded(exceeded)
}

/** Whether the token has sent this; of a person, who is bound by nothing, it does not matter. */
export const isOwnOf = (
  { tokenId }: Pick<Principal, 'tokenId'>,
  sentBy: string | null | undefined,
): boolean => tokenId === null || sentBy === tokenId

export const tokenBoundsExceeded = (exceeded: readonly { bound: TokenBound; message: string }[]): ApiError =>
  new ApiError('TOKEN_BOUNDS_EXCEEDED', {
    details: exceeded.map(({ bound, message }) => fault([bound], 'token_bound', message)),
  })
