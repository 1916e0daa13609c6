import type { NamedRequest } from '#db/signal/requests.ts'
import type { Caller } from '../http/caller.ts'
import type { Principal } from '../http/principal.ts'
import { ApiError, validationError } from '#contract/errors.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Storable, Storing } from '#db/signal/storing.ts'
import { findOwnStrategy } from '#db/signal/strategies.ts'
import { FIRST_STATUS, isWaiting } from '#domain/signal/signal.ts'
import { closingDenial, needsProof, openingDenial, usesDemo } from '../access/denied-requests.ts'
import {
  requireSignalWithinBounds,
  isByHoldings,
  mayOpen,
  alwaysOpens,
  payloadHashOf,
} from '../signal/new-signal.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import type { SignalRequest } from '#contract/signal/request.ts'
import type { Signal } from '#db/entities/index.ts'
import { raiseAlertOnce } from '#db/alert/alerts.ts'
import { findEarlierGroup, signalsOfGroup } from '#db/signal/groups.ts'
import { findLiveBySource, findRepeated, findSignal, findSignals, keepNotified } from '#db/signal/signals.ts'
import { REPEATED_BODY } from '#domain/signal/advisory.ts'
import { isAnotherTrade, sourceIdReused } from '#domain/signal/source-id.ts'
import { inOrder, namedBy, type Existing, type TradeRequest, type Outcome, type Member } from './request.ts'

export type WhyNot = ApiError | Exclude<Storing, 'stored'>

/** Finds denials before storing; the storing statement checks accounts itself. */
export async function rejectionsOf(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  requests: readonly SignalRequest[],
): Promise<Map<SignalRequest, ApiError>> {
  const rejections = new Map<SignalRequest, ApiError>()
  const byStrategy = new Map<string, Promise<ApiError | null>>()
  const strategyRefuses = async (request: SignalRequest): Promise<boolean> => {
    const key = `${request.strategyId} ${alwaysOpens(request)}`
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

/** A pending signal needs the proof at its approval; a dry run sends nothing. */
const mayNeedProof = (principal: Principal, request: SignalRequest): boolean =>
  // Holdings and mode are checked when it is sent.
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
    ? await openingDenial(em, principal, accountId, { inAnyMode: !alwaysOpens(request) })
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
  // Closing is always allowed.
  if (strategy.status === 'paused' && alwaysOpens(request)) return new ApiError('STRATEGY_PAUSED')
  return null
}

export const storableFor = (
  { maxWaiting }: Pick<SignalDeps, 'maxWaiting'>,
  { tradingMode }: Principal,
  request: SignalRequest,
): Storable => ({
  isDemo: alwaysOpens(request) ? usesDemo(tradingMode) : null,
  maxWaiting: isWaiting(FIRST_STATUS[request.executeMode]) ? maxWaiting : null,
})

/** Null where the reason is gone. */
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
    message: `${maxWaiting} signals of the account wait, the most allowed: decide on some, or withdraw some`,
  })
}

/** Null without an equal earlier request. */
export async function earlierOutcome(
  caller: Caller,
  { requests, source, group, acceptedAt = new Date() }: TradeRequest,
): Promise<Outcome | null> {
  if (group !== null) return earlierGroup(caller, namedBy(caller.principal, group, acceptedAt), requests)
  const [request] = requests as [SignalRequest]
  const earlier = await earlierSignal(caller, request, source)
  const member = earlier && { accountId: request.accountId, ...earlier }
  return member && { outcome: 'existing', groupId: null, members: [member] }
}

export async function earlierGroup(
  caller: Caller,
  name: NamedRequest,
  requests: readonly SignalRequest[],
): Promise<Outcome | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const group = await inTime(findEarlierGroup(em, name))
  if (group === null) return null
  const signals = await inTime(signalsOfGroup(em, principal.userId, group.id))
  const ids = signals.map(({ id }) => id)
  if (ids.length === 0 || !(await inTime(keepNotified(em, ids)))) return null
  const earlierIds = group.refusals.flatMap(({ signalId }) => signalId ?? [])
  const earlier = earlierIds.length === 0 ? [] : await inTime(findSignals(em, principal.userId, earlierIds))
  const asked = new Map(requests.map((request) => [request.accountId, request]))
  const own = await Promise.all(
    // The second signal of a reversal belongs to the first.
    signals
      .filter(({ continues }) => continues == null)
      .map(async (signal) => {
        const request = asked.get(signal.accountId)
        // The sender learns that it reused a name for another trade.
        const isNamed = request !== undefined && request.sourceId !== null
        const found = isNamed ? await asExisting(caller, signal, request) : existing(signal)
        return { accountId: signal.accountId, ...found }
      }),
  )
  const others = group.refusals.map(({ accountId, code, message, signalId }): Member => {
    const signal = earlier.find(({ id }) => id === signalId)
    return signal
      ? { accountId, ...existing(signal) }
      : { accountId, outcome: 'refused', refusal: { code, message }, error: null }
  })
  return { outcome: 'existing', groupId: group.id, members: inOrder(requests, [...own, ...others]) }
}

/** A repetition receives the existing signal, regardless of today's rules. */
export async function earlierSignal(
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<Existing | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { userId, tokenId } = principal
  if (request.sourceId === null) {
    const id = tokenId && (await inTime(findRepeated(em, tokenId, request.accountId, source)))
    const repeated = id && (await inTime(findSignal(em, userId, id)))
    return repeated && (await stays(caller, repeated)) ? existing(repeated, [BY_ITS_BODY]) : null
  }
  if (request.replaceExisting) return null
  const holder = await holderOfSource(caller, request)
  return holder && asExisting(caller, holder, request)
}

/** Null also where the holder is being removed. */
export async function holderOfSource(
  caller: Caller,
  { accountId, sourceId }: SignalRequest,
): Promise<Signal | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  if (sourceId === null) return null
  const holder = await inTime(findLiveBySource(em, principal.userId, accountId, sourceId))
  return holder && (await stays(caller, holder)) ? holder : null
}

/** An unstarted signal may be removed soon (`storeOrCompensate()`), after an error. */
const stays = async ({ em, beforeDatabaseDeadline: inTime }: Caller, signal: Signal): Promise<boolean> =>
  signal.workflowStartedAt != null || (await inTime(keepNotified(em, [signal.id])))

const BY_ITS_BODY = {
  code: REPEATED_BODY,
  message: `The same body came by this token less than 30 seconds before, without sourceId: by the token's setting mergesRepeats both are one signal, and nothing was sent for this request. Send a sourceId of its own with every trade if both are wanted`,
}

const existing = (signal: Signal, advisories: Existing['advisories'] = []): Existing => ({
  outcome: 'existing',
  signal,
  asked: null,
  advisories,
})

/** The trade of a reused sourceId is lost: the owner gets an alert. */
async function asExisting(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  signal: Signal,
  request: SignalRequest,
): Promise<Existing> {
  if (signal.payloadHash === payloadHashOf(request)) return existing(signal)
  const { symbol, action, quantity, quantityType } = request
  const asked = { symbol, action, quantity, quantityType }
  const isAnother = isAnotherTrade(signal, asked)
  if (isAnother) await inTime(raiseAlertOnce(em, signal.id, sourceIdReused(request.sourceId!, signal, asked)))
  const message = isAnother
    ? 'The existing signal with this sourceId is for another trade than this request: send a sourceId of its own with every trade'
    : 'The existing signal with this sourceId asks for something else than this request'
  const advisories = [{ code: 'source_id_payload_mismatch', message }]
  return { ...existing(signal, advisories), asked: isAnother ? asked : null }
}
