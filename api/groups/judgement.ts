import type { Storing } from '#db/signals/signals.ts'
import { EARLIER_SIGNAL, type GroupRefusal } from '#domain/group.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import {
  mayNeedProof,
  rejectionOf,
  repeatedRequest,
  strategyRejection,
  waitingLimitReached,
} from '../signals/acceptance.ts'
import { requireSignalWithinBounds } from '../signals/bounds.ts'
import type { SignalDeps } from '../signals/deps.ts'
import { surelyOpens } from '../signals/opens.ts'
import type { SignalRequest } from '../signals/schema.ts'
import type { GroupMember, GroupWish } from './wish.ts'

export type WhyNot = ApiError | Exclude<Storing, 'stored'>
export type Unstored = ReadonlyMap<SignalRequest, WhyNot>

/** The statement that stores a signal judges its account: most groups need no more than a look at their strategy, once. */
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

interface WithoutSignal {
  member: GroupMember
  refusal: GroupRefusal
}

export const membersWithout = (
  deps: Pick<SignalDeps, 'maxWaiting'>,
  caller: Caller,
  wish: GroupWish,
  unstored: Unstored,
): Promise<WithoutSignal[]> =>
  Promise.all(
    [...unstored].map(async ([request, why]) => {
      const { accountId } = request
      // A repeated request is answered with the signal that is there, even if a rule would deny it today.
      const earlier = await repeatedRequest(caller, { ...request, replaceExisting: false }, wish.source)
      if (!earlier) return refusedBy(accountId, await reasonOf(deps, caller, request, why))
      const { signal, advisories } = earlier
      const [first] = advisories
      return {
        member: { accountId, signal: { ...signal, advisories: [...signal.advisories, ...advisories] } },
        refusal: {
          accountId,
          code: EARLIER_SIGNAL,
          message: first?.message ?? 'A signal with this sourceId is there already',
          signalId: signal.id,
        },
      }
    }),
  )

export function refusedBy(accountId: string, { code, message, details }: ApiError): WithoutSignal {
  const refusal = {
    code,
    message: details.length === 0 ? message : details.map((detail) => detail.message).join('; '),
  }
  return { member: { accountId, refusal }, refusal: { accountId, ...refusal, signalId: null } }
}

async function reasonOf(
  { maxWaiting }: Pick<SignalDeps, 'maxWaiting'>,
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  request: SignalRequest,
  why: WhyNot,
): Promise<ApiError> {
  if (why instanceof ApiError) return why
  if (why === 'full') return waitingLimitReached(maxWaiting)
  const rejection = why === 'denied' ? await inTime(rejectionOf(em, principal, request)) : null
  return rejection ?? new ApiError(why === 'denied' ? 'MODE_MISMATCH' : 'SOURCE_ID_CONTENDED')
}
