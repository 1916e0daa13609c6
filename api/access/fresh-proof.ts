import { ApiError, type Fault } from '../http/errors.ts'
import type { Principal } from '../http/principal.ts'

/** Milliseconds for which a proof counts as fresh. */
const FRESH_FOR_MS = 5 * 60_000

/** Whether somebody has proven who they are within the last minutes. */
export const isFreshProof = (provenAt: Date | null): boolean =>
  provenAt !== null && Date.now() - provenAt.getTime() <= FRESH_FOR_MS

/**
 * Asks for a fresh proof where the access policy cannot, because it depends on what a request is about. Throws
 * VERIFICATION_REQUIRED.
 *
 * @param details what of the request needs the proof
 */
export function requireFreshProof(
  { verifiedAt }: Pick<Principal, 'verifiedAt'>,
  details: Fault[] = [],
): void {
  if (!isFreshProof(verifiedAt)) throw new ApiError('VERIFICATION_REQUIRED', { details })
}
