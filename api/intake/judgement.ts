import type { EntityManager } from '#db/engine/database.ts'
import type { Storable, Storing } from '#db/signals/storing.ts'
import { findOwnStrategy } from '#db/signals/strategies.ts'
import { FIRST_STATUS, isWaiting } from '#domain/signal-status.ts'
import { closingDenial, needsProof, openingDenial, usesDemo } from '../access/account-denial.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, validationError } from '#contract/errors.ts'
import type { Principal } from '../http/principal.ts'
import { requireSignalWithinBounds } from '../signals/bounds.ts'
import type { SignalDeps } from '../signals/deps.ts'
import { isByHoldings, mayOpen, surelyOpens } from '../signals/opens.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'

export type WhyNot = ApiError | Exclude<Storing, 'stored'>

/** The statement that stores a signal judges its account: most requests need no more than a look at their strategy, once. */
export async function rejectionsOf(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  requests: readonly SignalRequest[],
): Promise<Map<SignalRequest, ApiError>> {
  const rejections = new Map<SignalRequest, ApiError>()
  const byStrategy = new Map<string, Promise<ApiError | null>>()
  const strategyRefuses = async (request: SignalRequest): Promise<boolean> => {
    const key = `${request.strategyId} ${surelyOpens(request)}`
    const known = byStrategy.get(key) ?? inTime(strategyRejection(em, principal, request))
    byStrategy.set(key, known)
    return (await known) !== null
  }
  for (const request of requests) {
    const mustBeAsked =
      request.overdue.length > 0 || mayNeedProof(principal, request) || (await strategyRefuses(request))
    const rejection =
      boundsRejection(principal, request) ??
      (mustBeAsked ? await inTime(rejectionOf(em, principal, request)) : null)
    if (rejection) rejections.set(request, rejection)
  }
  return rejections
}

function boundsRejection(...act: Parameters<typeof requireSignalWithinBounds>): ApiError | null {
  try {
    requireSignalWithinBounds(...act)
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** A pending signal opens nothing by itself, and its approval asks for the proof; a dry run sends nothing. */
const mayNeedProof = (principal: Principal, request: SignalRequest): boolean =>
  // A trade by what is held is taken in any mode, and judged by that of the moment at which it is sent.
  (principal.tradingMode === 'LIVE' || isByHoldings(request)) &&
  mayOpen(request) &&
  request.executeMode !== 'pending' &&
  !request.dryRun &&
  needsProof(principal)

async function rejectionOf(
  em: EntityManager,
  principal: Principal,
  request: SignalRequest,
): Promise<ApiError | null> {
  const { accountId, overdue } = request
  if (overdue.length > 0) return validationError(overdue)
  const denial = mayOpen(request)
    ? await openingDenial(em, principal, accountId, { inAnyMode: !surelyOpens(request) })
    : await closingDenial(em, principal, accountId)
  const isExcused = denial?.code === 'VERIFICATION_REQUIRED' && !mayNeedProof(principal, request)
  const rejection = isExcused ? null : denial
  if (rejection?.code === 'ACCOUNT_NOT_FOUND') return rejection
  return (await strategyRejection(em, principal, request)) ?? rejection
}

async function strategyRejection(
  em: EntityManager,
  { userId }: Principal,
  request: SignalRequest,
): Promise<ApiError | null> {
  if (request.strategyId === null) return null
  const strategy = await findOwnStrategy(em, userId, request.strategyId)
  if (!strategy) return new ApiError('STRATEGY_NOT_FOUND')
  // Closing a position is always allowed.
  if (strategy.status === 'paused' && surelyOpens(request)) return new ApiError('STRATEGY_PAUSED')
  return null
}

export const storableFor = (
  { maxWaiting }: Pick<SignalDeps, 'maxWaiting'>,
  { tradingMode }: Principal,
  request: SignalRequest,
): Storable => ({
  isDemo: surelyOpens(request) ? usesDemo(tradingMode) : null,
  maxWaiting: isWaiting(FIRST_STATUS[request.executeMode]) ? maxWaiting : null,
})

/** Null where the reason has gone meanwhile: the signal may be stored the next time. */
export async function refusalOf(
  { maxWaiting }: Pick<SignalDeps, 'maxWaiting'>,
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  request: SignalRequest,
  why: WhyNot,
): Promise<ApiError | null> {
  if (why instanceof ApiError) return why
  if (why === 'denied') return inTime(rejectionOf(em, principal, request))
  if (why !== 'full') return null
  return new ApiError('WAITING_SIGNAL_LIMIT_REACHED', {
    message: `${maxWaiting} signals of the account wait for a decision or their time, and no more may: decide on some, or withdraw some`,
  })
}
