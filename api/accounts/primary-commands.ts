import { makePrimary } from '#db/accounts/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault } from '../http/errors.ts'
import type { Principal } from '../http/principal.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'

/** Throws {@link ApiError} ACCOUNT_NOT_FOUND, ACCOUNT_INACTIVE, INSUFFICIENT_SCOPES and VERIFICATION_REQUIRED. */
export const choosePrimary = (caller: Caller, accountId: string): Promise<Account> =>
  caller.em.transactional(async (em) => {
    const { principal } = caller
    const made = await makePrimary(em, principal.userId, accountId)
    if (!made) throw new ApiError('ACCOUNT_NOT_FOUND')
    const { account, wasPrimary } = made
    if (!account.isActive) throw new ApiError('ACCOUNT_INACTIVE')
    if (!wasPrimary && !account.isDemo) permitLivePrimary(principal)
    if (!wasPrimary) await auditTrading(em, caller, 'account.made_primary', { accountId })
    return account
  })

/** Throws INSUFFICIENT_SCOPES for a program, and VERIFICATION_REQUIRED without a fresh proof: it is about real money. */
function permitLivePrimary(principal: Principal): void {
  if (principal.credential !== 'jwt')
    throw new ApiError('INSUFFICIENT_SCOPES', {
      details: [
        fault(
          ['accountId'],
          'credential_not_accepted',
          'Only a signed-in person may make a live account the primary one',
        ),
      ],
    })
  requireFreshProof(principal)
}
