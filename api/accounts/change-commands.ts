import { changeAccountSettings, findAccount } from '#db/accounts/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import type { Filter } from '#db/engine/filter.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'

/** Changes what is given of an account's settings. Throws {@link ApiError} ACCOUNT_NOT_FOUND. */
export const changeAccount = (
  caller: Caller,
  accountId: string,
  change: Filter<Pick<Account, 'flatByClose'>>,
): Promise<Account> =>
  caller.em.transactional(async (em) => {
    const { userId } = caller.principal
    const was = await findAccount(em, userId, accountId)
    if (!was) throw new ApiError('ACCOUNT_NOT_FOUND')
    const account = await changeAccountSettings(em, userId, accountId, change)
    await auditTrading(em, caller, 'account.changed', {
      accountId,
      change,
      was: { flatByClose: was.account.flatByClose ?? null },
    })
    return account
  })
