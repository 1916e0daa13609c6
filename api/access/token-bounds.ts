import { exceededBounds, TOKEN_BOUNDS, type BoundedAct, type TokenBound } from '#domain/token-bounds.ts'
import { ApiError, fault } from '#contract/errors.ts'
import type { Principal } from '../http/principal.ts'

/** refused: closes the route. judged: by {@link requireWithinBounds}. free: is about something else. */
type BoundUse = 'refused' | 'judged' | 'free'

export type BoundsPolicy = Readonly<Record<TokenBound, BoundUse>>

export const FREE: BoundsPolicy = {
  pendingOnly: 'free',
  accountIds: 'free',
  symbols: 'free',
  maxOrderValue: 'free',
  ownSignalsOnly: 'free',
  demoOnly: 'free',
}

/** Throws TOKEN_BOUNDS_EXCEEDED with every closing bound; null closes the route to bounded tokens. */
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

export function requireWithinBounds({ bounds }: Pick<Principal, 'bounds'>, act: BoundedAct): void {
  const exceeded = exceededBounds(bounds, act)
  if (exceeded.length > 0) throw tokenBoundsExceeded(exceeded)
}

export const isOwnOf = (
  { tokenId }: Pick<Principal, 'tokenId'>,
  sentBy: string | null | undefined,
): boolean => tokenId === null || sentBy === tokenId

export const tokenBoundsExceeded = (exceeded: readonly { bound: TokenBound; message: string }[]): ApiError =>
  new ApiError('TOKEN_BOUNDS_EXCEEDED', {
    details: exceeded.map(({ bound, message }) => fault([bound], 'token_bound', message)),
  })
