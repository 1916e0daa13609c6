import { changeAccountSettings, findAccount } from '#db/accounts/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import type { Filter } from '#db/engine/filter.ts'
import { flatLater } from '#domain/loosening.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault } from '../http/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'

/** Throws {@link ApiError} ACCOUNT_NOT_FOUND, and VERIFICATION_REQUIRED where a live account may be held longer without a fresh proof. */
export const changeAccount = (
  caller: Caller,
  accountId: string,
  change: Filter<Pick<Account, 'flatByClose'>>,
): Promise<Account> =>
  caller.em.transactional(async (em) => {
    const { userId } = caller.principal
    const was = await findAccount(em, userId, accountId)
    if (!was) throw new ApiError('ACCOUNT_NOT_FOUND')
    const { isDemo, flatByClose = null } = was.account
    if (!isDemo && change.flatByClose !== undefined && flatLater(flatByClose, change.flatByClose))
      requireFreshProof(caller.principal, [
        fault(['flatByClose'], 'loosened', 'flatByClose allows more than before'),
      ])
    const account = await changeAccountSettings(em, userId, accountId, change)
    await auditTrading(em, caller, 'account.changed', {
      accountId,
      change,
      was: { flatByClose },
    })
    return account
  })
