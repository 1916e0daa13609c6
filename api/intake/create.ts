import { noteRefusals } from '#db/signals/groups.ts'
import type { SignalToStore, NewSignal } from '#db/signals/storing.ts'
import { EARLIER_SIGNAL, NOT_STORED, type GroupRefusal } from '#domain/group.ts'
import { isWaiting } from '#domain/signal-status.ts'
import { type Caller, senderOf } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { requireChangeWithinBounds, freshState, recipientOf } from '../signals/new-signal.ts'
import type { AcceptanceDeps, SignalDeps } from '../signals/own-signal.ts'
import { replaceSignal } from '../signals/replace.ts'
import type { SignalRequest } from '#contract/signals/request.ts'
import { earlierSignal, holderOfSource, refusalOf, type WhyNot, earlierOutcome } from './earlier.ts'
import {
  type Accepted,
  type Existing,
  type Member,
  type Refused,
  type Wish,
  accept,
  type Acceptance,
  type Outcome,
  type SignalSummary,
} from './accept.ts'
import { countQueued, findSignal } from '#db/signals/signals.ts'
import { termsOf } from '#db/signals/terms.ts'
import { noteStored } from '#tracing/spans.ts'
import type { Failpoint } from '../http/failpoint.ts'
import type { WorkBounds } from '../http/work-bounds.ts'
import { GatewayUnavailable, WorkflowOver } from '../temporal/signals.ts'
import { timeLeft } from '../temporal/calls.ts'

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

/** As traces call it. */
const STORED = { name: 'store signal' }

export interface CreationDeps extends SignalDeps {
  failpoint: Failpoint
  work: WorkBounds
  /** Signals of one user that may be without an outcome for another one to be stored without its turn. */
  begunLater: number
}

/** Of one account. Throws as {@link create}, and {@link ApiError} of the rule that refuses it. */
export async function createOne(
  deps: CreationDeps,
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<Accepted | Existing> {
  const { members } = await create(deps, caller, { requests: [request], source, group: null })
  const [member] = members
  if (member!.outcome === 'refused') throw member!.error!
  return member as Accepted | Existing
}

/**
 * What is stored is accepted, whatever fails afterwards: the supervisor begins what gets no turn, since many senders send nothing
 * twice. The first signal is begun at once and each other in a turn of its own, so that a burst of one sender does not hold up
 * another's. Nothing is stored for a sender who has hung up while waiting, and may have sent it again. Waits for the entries of
 * immediate signals as long as the answer deadline allows. Throws {@link ApiError} TOO_MANY_AT_ONCE, TOO_BUSY, and as `accept()`.
 */
export async function create(deps: CreationDeps, caller: Caller, wish: Wish): Promise<Outcome> {
  const asked = performance.now()
  const noteWait = (): void => {
    caller.noteWait(performance.now() - asked)
    caller.requireSender('entries')
  }
  const sender = senderOf(caller.principal)
  const begun = new Map<string, Promise<SignalSummary>>()
  const store = async (): Promise<Acceptance> => {
    const beganAt = performance.now()
    const accepted = await accept(deps, caller, wish)
    for (const member of accepted.members)
      // The trace of an undecided signal goes on once it is on record.
      if (member.outcome === 'new' || member.outcome === 'undecided')
        noteStored(member.signal.id, STORED, beganAt)
    endWorkflows(deps, caller, accepted)
    if (accepted.unbegun.length > 0) await deps.failpoint('api.after_commit')
    return accepted
  }
  const createBegun = async (): Promise<Outcome> => {
    noteWait()
    const accepted = await store()
    const [first, ...others] = accepted.unbegun
    if (first === undefined) return accepted
    for (const signal of others) {
      const start = () => started(deps, caller, signal)
      begun.set(
        signal.id,
        deps.work.run('entries', sender, start, async () => freshState(signal)),
      )
    }
    begun.set(first.id, Promise.resolve(await started(deps, caller, first)))
    await deps.failpoint('api.after_start')
    return accepted
  }
  const outcome = await deps.work.run('entries', sender, createBegun, async () => {
    noteWait()
    const earlier = await earlierOutcome(caller, wish)
    if (earlier) return earlier
    const queued = countQueued(caller.em, caller.principal.userId, deps.begunLater)
    if ((await caller.beforeDatabaseDeadline(queued)) + wish.requests.length > deps.begunLater) return null
    return store()
  })
  const members = outcome.members.map(async (member) => {
    if (member.outcome !== 'new') return member
    const signal = (await begun.get(member.signal.id)) ?? member.signal
    return { ...member, signal, advisories: [...signal.advisories, ...member.advisories] }
  })
  return { ...outcome, members: await Promise.all(members) }
}

/** The ledger lets no order of these signals out; a workflow that hears nothing ends when its signal would have expired. */
function endWorkflows(deps: CreationDeps, caller: Caller, { members, superseded }: Acceptance): void {
  const own = new Set(members.flatMap((member) => ('signal' in member ? [member.signal.id] : [])))
  for (const signalId of superseded.filter((id) => !own.has(id)))
    deps.background.run('end of a superseded signal', async () => {
      const signal = await findSignal(deps.database.em.fork(), caller.principal.userId, signalId)
      if (signal !== null)
        await deps.gateway.withdraw(
          recipientOf(signal),
          { by: await caller.actorName(), superseded: signal.statusDetail ?? '' },
          END_WITHIN_MS,
        )
    })
}

/** Milliseconds for the message to the workflow of a superseded signal. */
const END_WITHIN_MS = 5_000

/** Never throws: the signal is accepted, and an error would make its sender send it again. */
async function started(deps: SignalDeps, caller: Caller, signal: NewSignal): Promise<SignalSummary> {
  const fresh = freshState(signal)
  const log = { requestId: caller.requestId, signalId: signal.id }
  const { gateway, logger } = deps
  const left = timeLeft(caller, deps)
  try {
    if (signal.executeMode !== 'immediate') {
      await gateway.start(termsOf(signal), left)
      return fresh
    }
    const { status, orderId, reason, detail, advisories } = await gateway.startAndAwaitEntry(
      termsOf(signal),
      left,
    )
    const known = [...fresh.advisories, ...(advisories ?? [])]
    return { ...fresh, status, orderId, statusReason: reason, statusDetail: detail, advisories: known }
  } catch (error) {
    const level = error instanceof GatewayUnavailable ? 'warn' : 'error'
    if (!(error instanceof WorkflowOver))
      logger[level](
        { ...log, err: error },
        'the signal was not started, or its entry had no outcome, before the answer was due',
      )
  }
  try {
    const look = findSignal(caller.em, signal.userId, signal.id)
    return (await caller.beforeDatabaseDeadline(look)) ?? fresh
  } catch (error) {
    logger.warn({ ...log, err: error }, 'the signal could not be read again')
    return fresh
  }
}
