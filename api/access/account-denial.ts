import { findOwnAccount, type OwnAccount } from '#db/accounts/accounts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Principal } from '../http/principal.ts'
import { ApiError } from '#contract/errors.ts'
import { isFreshProof } from './fresh-proof.ts'

type Orderer = Pick<Principal, 'userId' | 'tradingMode' | 'isInPerson' | 'verifiedAt'>

export const usesDemo = (tradingMode: Principal['tradingMode']): boolean => tradingMode === 'PAPER'

/** Of a person who opens a position with real money; a token is bounded otherwise. */
export const needsProof = ({ isInPerson, verifiedAt }: Orderer): boolean =>
  isInPerson && !isFreshProof(verifiedAt)

/** `inAnyMode`: for an order that may only close, which is judged by the mode when it is sent. */
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
