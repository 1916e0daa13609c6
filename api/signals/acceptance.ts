import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import {
  findLiveBySource,
  findRepeated,
  findSignal,
  insertIfStorable,
  keepTold,
  removeUnstarted,
  type NewSignal,
  type Storable,
} from '#db/signals/signals.ts'
import { raiseAlertOnce } from '#db/risk/alerts.ts'
import { findOwnStrategy } from '#db/signals/strategies.ts'
import { REPEATED_BODY } from '#domain/advisory.ts'
import { FIRST_STATUS, isWaiting } from '#domain/signal-status.ts'
import { isAnotherTrade, sourceIdReused, type Trade } from '#domain/source-id.ts'
import { isByHoldings, mayOpen, surelyOpens } from './opens.ts'
import { noteStored } from '#tracing/spans.ts'
import { closingDenial, needsProof, openingDenial, usesDemo } from '../access/account-denial.ts'
import type { Principal } from '../http/principal.ts'
import { ApiError, validationError } from '../http/errors.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { storedOrUndone } from '../http/undo.ts'
import { requireChangeWithinBounds } from './bounds.ts'
import { newSignal, receivedEntry } from './new-signal.ts'
import { payloadHashOf } from './payload-hash.ts'
import { replaceSignal, type Replaced } from './replace.ts'
import type { Advisory, SignalRequest } from './schema.ts'
import type { Caller } from '../http/caller.ts'
import type { SignalDeps } from './deps.ts'

/** As traces call it; the trace of an undecided signal goes on once it is on record. */
export const STORED = { name: 'store signal' }
const SOURCE_ID_ATTEMPT_LIMIT = 5

export type Acceptance =
  Replaced | { outcome: 'stored'; signal: NewSignal; replaced: null; advisories: Advisory[] } | Existing
/** `asked`: the trade of the request, where that of the signal is another. */
export type Existing = { outcome: 'existing'; signal: Signal; asked: Trade | null; advisories: Advisory[] }

/** Throws {@link ApiError} when a rule denies the signal; then nothing is stored. `source`: the text of the body, without secrets. */
export async function acceptSignal(
  deps: SignalDeps & { failpoint: Failpoint },
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<Acceptance> {
  const { em, principal } = caller
  const { now = Date.now } = deps
  const inTime = caller.beforeDatabaseDeadline
  /** A repeated request is answered with the existing signal, even if a rule would deny it today. */
  const repeatedOr = async (rejection: ApiError): Promise<Existing> => {
    const earlier = await repeatedRequest(caller, request, source)
    if (earlier) return earlier
    throw rejection
  }
  // The statement that stores the signal judges the account: most signals need no other query.
  if (request.overdue.length > 0 || request.strategyId !== null || mayNeedProof(principal, request)) {
    const rejection = await inTime(rejectionOf(em, principal, request))
    if (rejection) return repeatedOr(rejection)
  }
  const beganAt = performance.now()
  for (let attempt = 1; attempt <= SOURCE_ID_ATTEMPT_LIMIT; attempt++) {
    const acceptedAt = new Date(now())
    const signal = { ...newSignal(principal.userId, request, acceptedAt, deps.maxStaleness), source }
    const received = receivedEntry(signal, caller)
    const store = async () => {
      await deps.failpoint('api.before_commit')
      // A signal that was stored after all would be sent a second time by a sender who was told to.
      const limit = caller.limitOfStatement()
      return insertIfStorable(em, signal, received, { ...storableFor(deps, principal, request), limit })
    }
    const storing = await storedOrUndone(deps, inTime, {
      storing: store(),
      undo: () => removeUnstarted(deps.database.em.fork(), signal.id),
    })
    if (storing === 'stored') {
      noteStored(signal.id, STORED, beganAt)
      return { outcome: 'stored', signal, replaced: null, advisories: [] }
    }
    if (storing === 'denied') {
      const rejection = await inTime(rejectionOf(em, principal, request))
      if (rejection) return repeatedOr(rejection)
      continue
    }
    if (typeof storing === 'object') {
      const repeated = await inTime(findSignal(em, principal.userId, storing.repeats))
      if (!repeated || !(await stands(caller, repeated))) continue
      return asRepeated(repeated)
    }
    const existing = await inTime(holderOfSource(em, principal, request))
    if (!existing && storing === 'taken') continue
    if (existing && !(await stands(caller, existing))) continue
    if (existing && !request.replaceExisting) return asExisting(caller, existing, request)
    // In the place of a signal that waits itself there is room.
    if (!existing || (storing === 'full' && !isWaiting(existing.status)))
      throw waitingLimitReached(deps.maxWaiting)
    requireChangeWithinBounds(principal, existing)
    const replacement = await replaceSignal(deps, caller, existing, { signal, received })
    // The existing one ended meanwhile, or another replacement was faster: that one is judged next.
    if (replacement === null) continue
    noteStored(signal.id, STORED, beganAt)
    return replacement
  }
  throw new ApiError('SOURCE_ID_CONTENDED')
}

export const storableFor = (
  { maxWaiting }: Pick<SignalDeps, 'maxWaiting'>,
  { tradingMode }: Principal,
  request: SignalRequest,
): Omit<Storable, 'limit'> => ({
  isDemo: surelyOpens(request) ? usesDemo(tradingMode) : null,
  maxWaiting: isWaiting(FIRST_STATUS[request.executeMode]) ? maxWaiting : null,
})

export async function repeatedRequest(
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<Existing | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { userId, tokenId } = principal
  if (request.sourceId === null) {
    const id = tokenId && (await inTime(findRepeated(em, tokenId, request.accountId, source)))
    const repeated = id && (await inTime(findSignal(em, userId, id)))
    return repeated && (await stands(caller, repeated)) ? asRepeated(repeated) : null
  }
  const existing = await inTime(holderOfSource(em, principal, request))
  if (!existing || request.replaceExisting || !(await stands(caller, existing))) return null
  return asExisting(caller, existing, request)
}

export const waitingLimitReached = (most: number): ApiError =>
  new ApiError('WAITING_SIGNAL_LIMIT_REACHED', {
    message: `${most} signals of the account wait for a decision or their time, and no more may: decide on some, or withdraw some`,
  })

/** A pending signal opens nothing by itself, and its approval asks for the proof; a dry run sends nothing. */
export const mayNeedProof = (principal: Principal, request: SignalRequest): boolean =>
  // A trade by what is held is taken in any mode, and judged by that of the moment at which it is sent.
  (principal.tradingMode === 'LIVE' || isByHoldings(request)) &&
  mayOpen(request) &&
  request.executeMode !== 'pending' &&
  !request.dryRun &&
  needsProof(principal)

export async function rejectionOf(
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

export async function strategyRejection(
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

/** A signal that nobody has begun may be about to be taken away ({@link storedOrUndone}): its sender was told that it was not stored. */
const stands = async ({ em, beforeDatabaseDeadline: inTime }: Caller, signal: Signal): Promise<boolean> =>
  signal.workflowStartedAt != null || (await inTime(keepTold(em, signal.id)))

export async function holderOfSource(
  em: EntityManager,
  { userId }: Principal,
  { accountId, sourceId }: SignalRequest,
): Promise<Signal | null> {
  return sourceId === null ? null : findLiveBySource(em, userId, accountId, sourceId)
}

const asRepeated = (signal: Signal): Existing => ({
  outcome: 'existing',
  signal,
  asked: null,
  advisories: [
    {
      code: REPEATED_BODY,
      message: `The same body came by this token less than 30 seconds before, without sourceId: by the token's setting mergesRepeats both are one signal, and nothing was sent for this request. Send a sourceId of its own with every trade if both are wanted`,
    },
  ],
})

/** A request for another trade than that of the signal which holds its sourceId is lost: the owner gets an alert. */
export async function asExisting(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  signal: Signal,
  request: SignalRequest,
): Promise<Existing> {
  if (signal.payloadHash === payloadHashOf(request))
    return { outcome: 'existing', signal, asked: null, advisories: [] }
  const { symbol, action, quantity, quantityType } = request
  const asked = { symbol, action, quantity, quantityType }
  const isAnother = isAnotherTrade(signal, asked)
  if (isAnother) await inTime(raiseAlertOnce(em, signal.id, sourceIdReused(request.sourceId!, signal, asked)))
  const message = isAnother
    ? 'The existing signal with this sourceId is for another trade than this request: send a sourceId of its own with every trade'
    : 'The existing signal with this sourceId asks for something else than this request'
  return {
    outcome: 'existing',
    signal,
    asked: isAnother ? asked : null,
    advisories: [{ code: 'source_id_payload_mismatch', message }],
  }
}
