import { ApiError, type Fault } from '#contract/errors.ts'
import type { Principal } from '../http/principal.ts'

const FRESH_FOR_MS = 5 * 60_000

export const isFreshProof = (provenAt: Date | null): boolean =>
  provenAt !== null && Date.now() - provenAt.getTime() <= FRESH_FOR_MS

/** Where the policy cannot ask, because the need depends on the request. Throws VERIFICATION_REQUIRED. */
export function requireFreshProof(
  { verifiedAt }: Pick<Principal, 'verifiedAt'>,
  details: Fault[] = [],
): void {
  if (!isFreshProof(verifiedAt)) throw new ApiError('VERIFICATION_REQUIRED', { details })
}
