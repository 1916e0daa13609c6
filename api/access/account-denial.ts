import { findOwnAccount, type OwnAccount } from '#db/accounts/accounts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Principal } from '../http/principal.ts'
import { ApiError } from '../http/errors.ts'
import { isFreshProof } from './fresh-proof.ts'

/** The person or program that wants an order. */
type Orderer = Pick<Principal, 'userId' | 'tradingMode' | 'isInPerson' | 'verifiedAt'>

/** Whether orders that open go to demo accounts in this mode of trading, and to no others. */
export const usesDemo = (tradingMode: Principal['tradingMode']): boolean => tradingMode === 'PAPER'

/** Whether a person has to prove who they are before they open a position with real money. A token is bounded otherwise. */
export const needsProof = ({ isInPerson, verifiedAt }: Orderer): boolean =>
  isInPerson && !isFreshProof(verifiedAt)

/**
 * Why nothing may be opened on an account in its user's name; null when something may: {@link ApiError}
 * ACCOUNT_NOT_FOUND, MODE_MISMATCH, or VERIFICATION_REQUIRED of a person. Whatever closes a position needs the account
 * alone: whoever changes the mode takes no exit away.
 *
 * @param inAnyMode for what may only close, and is judged by the mode when it is sent
 */
export async function openingDenial(
  em: EntityManager,
  orderer: Orderer,
  accountId: string,
  { inAnyMode = false } = {},
): Promise<ApiError | null> {
  const account = await findOwnAccount(em, orderer.userId, accountId)
  if (!account) return new ApiError('ACCOUNT_NOT_FOUND')
  return (inAnyMode ? null : modeDenial(orderer, account)) ?? proofDenial(orderer, account)
}

/** Why nothing may be done on an account in its user's name: there is no such account; null when there is. */
export async function closingDenial(
  em: EntityManager,
  { userId }: Pick<Principal, 'userId'>,
  accountId: string,
): Promise<ApiError | null> {
  return (await findOwnAccount(em, userId, accountId)) ? null : new ApiError('ACCOUNT_NOT_FOUND')
}

function modeDenial({ tradingMode }: Orderer, { isDemo }: OwnAccount): ApiError | null {
  if (isDemo === usesDemo(tradingMode)) return null
  const kind = isDemo ? 'a demo' : 'a live'
  return new ApiError('MODE_MISMATCH', {
    message: `The account is ${kind} account and the mode is ${tradingMode}`,
  })
}

const proofDenial = (orderer: Orderer, { isDemo }: OwnAccount): ApiError | null =>
  !isDemo && needsProof(orderer) ? new ApiError('VERIFICATION_REQUIRED') : null
