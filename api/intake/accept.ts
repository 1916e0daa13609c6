import type { NamedRequest } from '#db/signal/requests.ts'
import type { Caller } from '../http/caller.ts'
import type { SignalRequest } from '#contract/signal/request.ts'
import { ApiError } from '#contract/errors.ts'
import { storeSignals, type StoredSignals, type NewSignal, type SignalToStore } from '#db/signal/storing.ts'
import { removeUnstarted } from '#db/signal/signals.ts'
import type { Superseded } from '#db/signal/superseding.ts'
import { untilSettled } from '../http/store-or-compensate.ts'
import type { AcceptanceDeps } from '../signal/own-signal.ts'
import { freshState, newSignal, receivedEntry, requireChangeWithinBounds } from '../signal/new-signal.ts'
import {
  earlierGroup,
  rejectionsOf,
  storableFor,
  earlierSignal,
  holderOfSource,
  refusalOf,
  type WhyNot,
} from './earlier.ts'
import {
  namedBy,
  inOrder,
  type TradeRequest,
  type Existing,
  type Refused,
  storedInTime,
  type Accepted,
  type Member,
  type Outcome,
} from './request.ts'
import { noteRefusals } from '#db/signal/groups.ts'
import { EARLIER_SIGNAL, NOT_STORED, type GroupRefusal } from '#domain/signal/group.ts'
import { isWaiting } from '#domain/signal/signal.ts'
import { replaceSignal } from '../signal/replace.ts'

export interface Acceptance extends Outcome {
  /** New signals whose workflow must be started. */
  unbegun: NewSignal[]
  /** Ids of the sender's waiting signals that the new ones replaced. */
  superseded: string[]
}

const SOURCE_ID_CONTENDED = () => new ApiError('SOURCE_ID_CONTENDED')

/**
 * Accepts a request's signals, each account separately; where none takes its signal, nothing is stored. Throws
 * REPLACE_REFUSED_FILLED, SOURCE_ID_CONTENDED, TEMPORAL_UNAVAILABLE, DATABASE_UNAVAILABLE.
 */
export async function accept(
  deps: AcceptanceDeps,
  caller: Caller,
  tradeRequest: TradeRequest,
): Promise<Acceptance> {
  const { requests, group } = tradeRequest
  const acceptedAt = tradeRequest.acceptedAt ?? new Date((deps.now ?? Date.now)())
  const name = group && namedBy(caller.principal, group, acceptedAt)
  const rejections = await rejectionsOf(caller, requests)
  return untilSettled(SOURCE_ID_CONTENDED, async () => {
    // Rebuilt at each attempt: an earlier signal may be recorded as a replacement.
    const asked = requests
      .filter((request) => !rejections.has(request))
      .map((request) => askedOf(deps, caller, tradeRequest, request, acceptedAt))
    const storing = await storeAsked(deps, caller, tradeRequest, { name, asked, rejections })
    const without = [
      ...[...rejections].map(([request, why]): Without => ({ request, why, asked: null })),
      ...asked.flatMap((one, at): Without[] => {
        const why = storing.signals[at]
        return why === undefined || why === 'stored' ? [] : [{ request: one.request, why, asked: one }]
      }),
    ]
    if (storing.outcome === 'stored') {
      const others = without.length === 0 ? [] : await membersOfNew(deps, caller, tradeRequest, without)
      return acceptanceOf(tradeRequest, asked, storing, others)
    }
    const earlier = name && (await earlierGroup(caller, name, requests))
    if (earlier) return { ...earlier, unbegun: [], superseded: [] }
    return storing.outcome === 'existing' ? null : withoutNew(deps, caller, tradeRequest, without)
  })
}

function acceptanceOf(
  { requests, group }: TradeRequest,
  asked: readonly Asked[],
  { signals, superseded }: StoredSignals,
  others: readonly Member[],
): Acceptance {
  const stored = asked.filter((_, at) => signals[at] === 'stored').map(({ signal }) => signal)
  const own = stored.map((signal) => memberOf(signal, superseded))
  return {
    outcome: 'new',
    groupId: group?.id ?? null,
    members: inOrder(requests, [...own, ...others]),
    unbegun: stored.filter((signal) => superseded.every(({ id }) => id !== signal.id)),
    superseded: superseded.map(({ id }) => id),
  }
}

/** Null where the obstacle to storing is gone. */
async function withoutNew(
  deps: AcceptanceDeps,
  caller: Caller,
  tradeRequest: TradeRequest,
  without: readonly Without[],
): Promise<Acceptance | null> {
  const found: Member[] = []
  for (const one of without) {
    const member = await memberWithout(deps, caller, tradeRequest, one)
    if (member === null) return null
    found.push(member)
  }
  const outcomes = found.map(({ outcome }) => outcome)
  const unbegun = without.flatMap(({ asked }, at) => (outcomes[at] === 'new' && asked ? asked.signal : []))
  const isNew = outcomes.includes('new') || outcomes.includes('undecided')
  const outcome = isNew ? 'new' : outcomes.includes('existing') ? 'existing' : 'refused'
  return { outcome, groupId: null, members: inOrder(tradeRequest.requests, found), unbegun, superseded: [] }
}

interface Judged {
  name: NamedRequest | null
  asked: readonly Asked[]
  rejections: Awaited<ReturnType<typeof rejectionsOf>>
}

/** `refused`: none is on record. */
async function storeAsked(
  deps: AcceptanceDeps,
  caller: Caller,
  { requests, group }: TradeRequest,
  { name, asked, rejections }: Judged,
): Promise<StoredSignals> {
  if (asked.length === 0) return { outcome: 'refused', signals: [], superseded: [] }
  const row = group &&
    name && {
      ...name,
      tokenId: caller.principal.tokenId,
      symbol: requests[0]!.symbol,
      summary: group.summary,
      accounts: requests.length,
      supersedes: [...(group.supersedes?.actions ?? [])],
      meantAt: group.supersedes?.meantAt == null ? null : new Date(group.supersedes.meantAt),
      refusals: [...rejections].map(([{ accountId }, why]) => refusalIn({ accountId, ...refused(why) })),
    }
  const ids = asked.map(({ signal }) => signal.id)
  return storedInTime(deps, caller, {
    store: (limit) => storeSignals(caller.em, row, asked, limit),
    undo: () => removeUnstarted(deps.database.em.fork(), ids),
  })
}

function askedOf(
  deps: AcceptanceDeps,
  caller: Caller,
  { source, group }: TradeRequest,
  request: SignalRequest,
  acceptedAt: Date,
): Asked {
  const { principal } = caller
  const ofGroup = group === null ? request : { ...request, groupId: group.id }
  const signal = { ...newSignal(principal, ofGroup, acceptedAt, deps.signalTtl), source }
  return {
    request,
    signal,
    received: receivedEntry(signal, caller),
    ...storableFor(deps, principal, request),
  }
}

function memberOf(signal: NewSignal, superseded: readonly Superseded[]): Member {
  const end = superseded.find(({ id }) => id === signal.id)
  const status = { status: 'cancelled', statusReason: 'SUPERSEDED', statusDetail: end?.detail } as const
  const summary = { ...freshState(signal), ...(end && status) }
  return { accountId: signal.accountId, outcome: 'new', signal: summary, replaced: null, advisories: [] }
}

type Asked = SignalToStore & { request: SignalRequest }

interface Without {
  request: SignalRequest
  why: WhyNot
  /** Null where a rule denied the request before storing. */
  asked: Asked | null
}

/** Null where no obstacle remains. Throws {@link ApiError} where it was to replace another. */
async function memberWithout(
  deps: AcceptanceDeps,
  caller: Caller,
  { group, source }: TradeRequest,
  { request, why, asked }: Without,
): Promise<Member | null> {
  const { accountId } = request
  const refuse = (error: ApiError): Member => ({ accountId, ...refused(error) })
  // The token must not learn about signals beyond its bounds.
  if (why instanceof ApiError && why.code === 'TOKEN_BOUNDS_EXCEEDED') return refuse(why)
  // A group replaces nothing.
  const replaces = request.replaceExisting && group === null
  const earlier = await earlierSignal(caller, { ...request, replaceExisting: replaces }, source)
  if (earlier) return { accountId, ...earlier }
  if (replaces && asked !== null && (why === 'taken' || why === 'full')) {
    const existing = await holderOfSource(caller, request)
    // The replacement of a waiting signal has room.
    if (existing && (why === 'taken' || isWaiting(existing.status))) {
      requireChangeWithinBounds(caller.principal, existing)
      const came = await replaceSignal(deps, caller, existing, asked)
      // Null: the signal ended, or another replacement was faster.
      return came && { accountId, ...came }
    }
  }
  const refusal = await refusalOf(deps, caller, request, why)
  return refusal && refuse(refusal)
}

/** Never throws: after an error the sender would resend the accepted group. */
async function membersOfNew(
  deps: AcceptanceDeps,
  caller: Caller,
  tradeRequest: TradeRequest,
  unstored: readonly Without[],
): Promise<Member[]> {
  try {
    const members = await Promise.all(
      unstored.map(async (one): Promise<Member> => {
        const member = await memberWithout(deps, caller, tradeRequest, one)
        const { accountId } = one.request
        return member ?? { accountId, ...refused(new ApiError('SOURCE_ID_CONTENDED')) }
      }),
    )
    const noting = noteRefusals(caller.em, tradeRequest.group!.id, members.map(refusalIn))
    await caller.beforeDatabaseDeadline(noting)
    return members
  } catch (error) {
    const log = { err: error, requestId: caller.requestId, groupId: tradeRequest.group?.id }
    deps.logger.warn(log, 'why accounts took no signal of a group was not found')
    return unstored.map(({ request: { accountId }, why }) => ({
      accountId,
      ...(why instanceof ApiError ? refused(why) : { outcome: 'refused', refusal: NOT_STORED, error: null }),
    }))
  }
}

function refused(error: ApiError): Refused {
  const { code, message, details } = error
  const words = details.length === 0 ? message : details.map((detail) => detail.message).join('; ')
  return { outcome: 'refused', refusal: { code, message: words }, error }
}

/** Stored for an account without a new signal. */
function refusalIn(member: { accountId: string } & (Refused | Existing | Accepted)): GroupRefusal {
  const { accountId } = member
  if (member.outcome === 'refused') return { accountId, ...member.refusal, signalId: null }
  const [first] = member.advisories
  const message = first?.message ?? 'A signal with this sourceId is there already'
  return { accountId, code: EARLIER_SIGNAL, message, signalId: member.signal.id }
}
