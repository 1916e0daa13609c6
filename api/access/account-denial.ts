import { findOwnAccount } from '#db/accounts/accounts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Principal } from '../http/principal.ts'
import { ApiError } from '../http/errors.ts'

/** Whether orders go to demo accounts in this mode of trading, and to no others. */
export const usesDemo = (tradingMode: Principal['tradingMode']): boolean => tradingMode === 'PAPER'

/**
 * Why no order may be placed on an account in its user's name; null when one may: {@link ApiError} ACCOUNT_NOT_FOUND
 * or MODE_MISMATCH.
 */
export async function accountDenial(
  em: EntityManager,
  { userId, tradingMode }: Pick<Principal, 'userId' | 'tradingMode'>,
  accountId: string,
): Promise<ApiError | null> {
  const account = await findOwnAccount(em, userId, accountId)
  if (!account) return new ApiError('ACCOUNT_NOT_FOUND')
  if (account.isDemo === usesDemo(tradingMode)) return null
  const kind = account.isDemo ? 'a demo' : 'a live'
  return new ApiError('MODE_MISMATCH', {
    message: `The account is ${kind} account and the mode is ${tradingMode}`,
  })
}
