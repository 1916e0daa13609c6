import { findForeignAccounts } from '#db/account/accounts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { countOwnTokens, insertToken, revokeToken, setMergesRepeats } from '#db/identity/token-management.ts'
import { lockUser } from '#db/identity/users.ts'
import { mintAccessToken } from '../http/access-token.ts'
import { type TokenBounds, type Scope, tokenCap, aYearFrom } from '#domain/risk/token-bounds.ts'
import { ApiError, fault, validationError, type ErrorCode } from '#contract/errors.ts'
import { audit, type IdentityEvent } from './audit.ts'
import { unauthenticated } from '../access/credential.ts'
import type { Caller, Origin } from '../http/caller.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import { withdrawWithToken } from '../signal/replace.ts'
import type { SignalsOfRevoked, RevokedSignals } from '#contract/identity/requests.ts'

export interface TokenRequest {
  label: string
  scopes: Scope[]
  bounds: TokenBounds
  mergesRepeats: boolean
  expiresAt: Date | null
}

export interface CreatedToken {
  id: string
  token: string
  prefix: string
  createdAt: Date
  expiresAt: Date
}

const MAX_LIFE_DAYS = 366

export function checkTokenLife(expiresAt: Date): void {
  if (expiresAt.getTime() <= Date.now() + MAX_LIFE_DAYS * 24 * 60 * 60 * 1_000) return
  const message = `expiresAt must be at most ${MAX_LIFE_DAYS} days from now`
  throw validationError([fault(['expiresAt'], 'too_late', message)])
}

async function checkBoundAccounts(
  em: EntityManager,
  userId: string,
  { accountIds = [] }: TokenBounds,
): Promise<void> {
  if (accountIds.length === 0) return
  const foreign = await findForeignAccounts(em, userId, accountIds)
  const faults = accountIds.flatMap((id, index) =>
    foreign.includes(id)
      ? [fault(['bounds', 'accountIds', index], 'unknown_account', 'must be an account of yours')]
      : [],
  )
  if (faults.length > 0) throw validationError(faults)
}

/** Throws VALIDATION_ERROR for its lifetime or another user's account, and CONNECTED_APP_LIMIT_REACHED. */
export const createToken = (
  em: EntityManager,
  userId: string,
  request: TokenRequest,
  caller: Origin,
): Promise<CreatedToken> =>
  em.transactional(async (inner) => {
    // The lock keeps concurrent requests within the subscription plan.
    const user = await lockUser(inner, userId)
    if (!user) throw unauthenticated()
    const cap = tokenCap(user.plan)
    if ((await countOwnTokens(inner, userId)) >= cap) {
      const message = `The plan ${user.plan} allows ${cap} access tokens`
      throw new ApiError('CONNECTED_APP_LIMIT_REACHED', { details: [fault([], 'plan_limit', message)] })
    }
    const { token, hash, prefix } = mintAccessToken()
    const createdAt = new Date()
    const expiresAt = request.expiresAt ?? aYearFrom(createdAt)
    checkTokenLife(expiresAt)
    const { label, scopes, bounds, mergesRepeats } = request
    await checkBoundAccounts(inner, userId, bounds)
    const id = await insertToken(inner, {
      userId,
      kind: 'access',
      label,
      hash,
      prefix,
      scopes,
      bounds,
      mergesRepeats,
      expiresAt,
    })
    await audit(inner, 'token.created', userId, caller, {
      tokenId: id,
      label,
      scopes,
      bounds,
      mergesRepeats,
    })
    return { id, token, prefix, createdAt, expiresAt }
  })

export const changeToken = (
  em: EntityManager,
  userId: string,
  tokenId: string,
  { mergesRepeats }: { mergesRepeats: boolean },
  caller: Origin,
): Promise<void> =>
  em.transactional(async (inner) => {
    const label = await setMergesRepeats(inner, userId, tokenId, mergesRepeats)
    if (label === null) throw new ApiError('TOKEN_NOT_FOUND')
    await audit(inner, 'token.changed', userId, caller, { tokenId, label, mergesRepeats })
  })

interface Revocation {
  kinds: readonly ('access' | 'legacy' | 'hook')[]
  event: IdentityEvent
  absent: ErrorCode
}

const OF_TOKENS: Revocation = {
  kinds: ['access', 'legacy'],
  event: 'token.revoked',
  absent: 'TOKEN_NOT_FOUND',
}

/** Withdraws waiting signals while time allows; the supervisor does the rest. Throws `absent`. */
export async function revokeOwnToken(
  deps: Pick<SignalDeps, 'gateway' | 'logger' | 'answerDeadline'>,
  caller: Caller,
  tokenId: string,
  signals: SignalsOfRevoked,
  { kinds, event, absent }: Revocation = OF_TOKENS,
): Promise<RevokedSignals> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const by = await caller.actorName()
  const revoke = em.transactional(async (inner) => {
    const withdrawnBy = signals === 'withdraw' ? by : null
    const revoked = await revokeToken(inner, principal.userId, tokenId, kinds, withdrawnBy)
    if (!revoked) throw new ApiError(absent)
    await audit(inner, event, principal.userId, caller, {
      tokenId,
      kind: revoked.kind,
      signals,
      waiting: revoked.waiting,
    })
    return revoked
  })
  const { waiting } = await inTime(revoke)
  if (signals === 'keep' || waiting === 0) return { waiting, withdrawn: 0 }
  const { withdrawn, over } = await withdrawWithToken(deps, caller, tokenId)
  return { waiting: Math.max(0, waiting - withdrawn - over), withdrawn }
}
