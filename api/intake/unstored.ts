import { noteRefusals } from '#db/signals/groups.ts'
import type { SignalToStore } from '#db/signals/storing.ts'
import { EARLIER_SIGNAL, NOT_STORED, type GroupRefusal } from '#domain/group.ts'
import { isWaiting } from '#domain/signal-status.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { requireChangeWithinBounds } from '../signals/bounds.ts'
import type { AcceptanceDeps } from '../signals/deps.ts'
import { replaceSignal } from '../signals/replace.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'
import { earlierSignal, holderOfSource } from './earlier.ts'
import { refusalOf, type WhyNot } from './judgement.ts'
import type { Accepted, Existing, Member, Refused, Wish } from './wish.ts'

/** A signal as it is to be stored, for its request. */
export type Asked = SignalToStore & { request: SignalRequest }

export interface Without {
  request: SignalRequest
  why: WhyNot
  /** Null where a rule refused the request before it was to be stored. */
  asked: Asked | null
}

/** Null where nothing keeps the signal from being stored any more. Throws {@link ApiError} where it was to replace another. */
export async function memberWithout(
  deps: AcceptanceDeps,
  caller: Caller,
  { group, source }: Wish,
  { request, why, asked }: Without,
): Promise<Member | null> {
  const { accountId } = request
  const refuse = (error: ApiError): Member => ({ accountId, ...refused(error) })
  // What a token may not ask for it does not learn of either.
  if (why instanceof ApiError && why.code === 'TOKEN_BOUNDS_EXCEEDED') return refuse(why)
  // Among the accounts of a group nothing is replaced.
  const replaces = request.replaceExisting && group === null
  const earlier = await earlierSignal(caller, { ...request, replaceExisting: replaces }, source)
  if (earlier) return { accountId, ...earlier }
  if (replaces && asked !== null && (why === 'taken' || why === 'full')) {
    const existing = await holderOfSource(caller, request)
    // In the place of a signal that waits itself there is room.
    if (existing && (why === 'taken' || isWaiting(existing.status))) {
      requireChangeWithinBounds(caller.principal, existing)
      const came = await replaceSignal(deps, caller, existing, asked)
      // The existing one ended meanwhile, or another replacement was faster: that one is judged next.
      return came && { accountId, ...came }
    }
  }
  const refusal = await refusalOf(deps, caller, request, why)
  return refusal && refuse(refusal)
}

/** Never throws: the group is accepted, and an error would make its sender send it again. */
export async function membersOfNew(
  deps: AcceptanceDeps,
  caller: Caller,
  wish: Wish,
  unstored: readonly Without[],
): Promise<Member[]> {
  try {
    const members = await Promise.all(
      unstored.map(async (one): Promise<Member> => {
        const member = await memberWithout(deps, caller, wish, one)
        const { accountId } = one.request
        return member ?? { accountId, ...refused(new ApiError('SOURCE_ID_CONTENDED')) }
      }),
    )
    const noting = noteRefusals(caller.em, wish.group!.id, members.map(refusalIn))
    await caller.beforeDatabaseDeadline(noting)
    return members
  } catch (error) {
    const log = { err: error, requestId: caller.requestId, groupId: wish.group?.id }
    deps.logger.warn(log, 'why accounts took no signal of a group was not found')
    return unstored.map(({ request: { accountId }, why }) => ({
      accountId,
      ...(why instanceof ApiError ? refused(why) : { outcome: 'refused', refusal: NOT_STORED, error: null }),
    }))
  }
}

export function refused(error: ApiError): Refused {
  const { code, message, details } = error
  const words = details.length === 0 ? message : details.map((detail) => detail.message).join('; ')
  return { outcome: 'refused', refusal: { code, message: words }, error }
}

/** As the group keeps it for an account without a signal of its own. */
export function refusalIn(member: { accountId: string } & (Refused | Existing | Accepted)): GroupRefusal {
  const { accountId } = member
  if (member.outcome === 'refused') return { accountId, ...member.refusal, signalId: null }
  const [first] = member.advisories
  const message = first?.message ?? 'A signal with this sourceId is there already'
  return { accountId, code: EARLIER_SIGNAL, message, signalId: member.signal.id }
}
