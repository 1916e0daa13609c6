import type { NamedRequest } from '#db/signals/requests.ts'
import type { Principal, Caller } from '../http/caller.ts'
import type { SignalRequest, Advisory } from '#contract/signals/request.ts'
import type { Signal } from '#db/entities/index.ts'
import type { Action } from '#domain/signal.ts'
import type { Trade } from '#domain/source-id.ts'
import { ApiError } from '#contract/errors.ts'
import { storeSignals, type StoredSignals, type NewSignal } from '#db/signals/storing.ts'
import { removeUnstarted } from '#db/signals/signals.ts'
import type { Superseded } from '#db/signals/superseding.ts'
import { untilSettled } from '../http/undo.ts'
import type { AcceptanceDeps } from '../signals/own-signal.ts'
import { freshState, newSignal, receivedEntry } from '../signals/new-signal.ts'
import { earlierGroup, rejectionsOf, storableFor, storedInTime } from './earlier.ts'
import { membersOfNew, memberWithout, refusalIn, refused, type Asked, type Without } from './create.ts'

type Giver = Pick<Principal, 'tokenId'>

/** Each token has names of its own, and so has a person over all sessions. */
export const keyName = ({ tokenId }: Giver, key: string): string => `key ${tokenId ?? 'person'} ${key}`
export const messageName = ({ tokenId }: Giver, text: string): string =>
  `message ${tokenId ?? 'person'} ${text}`

export const namedBy = (
  { userId }: Pick<Principal, 'userId'>,
  { id, name, seconds }: Pick<GroupWish, 'id' | 'name' | 'seconds'>,
  at: Date,
): NamedRequest => ({ id, userId, name, seconds, at })

export function inOrder<Of extends { accountId: string }>(
  requests: readonly SignalRequest[],
  members: readonly Of[],
): Of[] {
  const order = requests.map(({ accountId }) => accountId)
  return members.toSorted((a, b) => order.indexOf(a.accountId) - order.indexOf(b.accountId))
}

/** What a sender asks for in one request: the only way in for signals. */
export interface Wish {
  /** One for each account, at least one. */
  requests: readonly SignalRequest[]
  /** The text of the message, without secrets. */
  source: string
  /** By PostgreSQL's clock: from then on its signals grow old. Now where it is left out. */
  acceptedAt?: Date
  /** Null where the signal is the whole request: it has no name beside its sourceId. */
  group: GroupWish | null
}

export interface GroupWish extends Pick<NamedRequest, 'id' | 'name' | 'seconds'> {
  summary: string
  /** The actions of waiting signals of the same sender and symbol whose place it takes; `meantAt`: when the message was made. */
  supersedes?: { actions: readonly Action[]; meantAt: string | null }
}

export type SignalSummary = Pick<
  Signal,
  | 'id'
  | 'status'
  | 'executeMode'
  | 'orderId'
  | 'scheduledAt'
  | 'validUntil'
  | 'sourceId'
  | 'sendBefore'
  | 'statusReason'
  | 'statusDetail'
  | 'advisories'
>

/** A signal of an earlier request. `asked`: the trade of this one, where that of the signal is another. */
export interface Existing {
  outcome: 'existing'
  signal: Signal
  asked: Trade | null
  advisories: Advisory[]
}

/** `error`: null where the refusal is that of an earlier request. */
export interface Refused {
  outcome: 'refused'
  refusal: { code: string; message: string }
  error: ApiError | null
}

/** undecided: on record as soon as the earlier signal has given way, which is not known yet. */
export interface Accepted {
  outcome: 'new' | 'undecided'
  signal: SignalSummary
  replaced: string | null
  advisories: Advisory[]
}

/** What came of the request for one account. */
export type Member = { accountId: string } & (Accepted | Existing | Refused)

/** `groupId`: null where nothing was stored under a name. Members are in the order of the requests. */
export interface Outcome {
  outcome: 'new' | 'existing' | 'refused'
  groupId: string | null
  members: Member[]
}

export interface Acceptance extends Outcome {
  /** New signals whose workflow is to be started. */
  unbegun: NewSignal[]
  /** Ids of waiting signals of the same sender whose place the new ones have taken. */
  superseded: string[]
}

const SOURCE_ID_CONTENDED = () => new ApiError('SOURCE_ID_CONTENDED')

/**
 * The one way in: a single signal is a group of one. Each account is judged for itself; where none takes its signal, nothing is
 * stored. Throws {@link ApiError} REPLACE_REFUSED_FILLED, SOURCE_ID_CONTENDED, TEMPORAL_UNAVAILABLE, DATABASE_UNAVAILABLE.
 */
export async function accept(deps: AcceptanceDeps, caller: Caller, wish: Wish): Promise<Acceptance> {
  const { requests, group } = wish
  const acceptedAt = wish.acceptedAt ?? new Date((deps.now ?? Date.now)())
  const name = group && namedBy(caller.principal, group, acceptedAt)
  const rejections = await rejectionsOf(caller, requests)
  return untilSettled(SOURCE_ID_CONTENDED, async () => {
    // Anew at each attempt: the signal of an earlier one may be on record as a replacement.
    const asked = requests
      .filter((request) => !rejections.has(request))
      .map((request) => askedOf(deps, caller, wish, request, acceptedAt))
    const storing = await storeAsked(deps, caller, wish, { name, asked, rejections })
    const without = [
      ...[...rejections].map(([request, why]): Without => ({ request, why, asked: null })),
      ...asked.flatMap((one, at): Without[] => {
        const why = storing.signals[at]
        return why === undefined || why === 'stored' ? [] : [{ request: one.request, why, asked: one }]
      }),
    ]
    if (storing.outcome === 'stored') {
      const others = without.length === 0 ? [] : await membersOfNew(deps, caller, wish, without)
      return acceptanceOf(wish, asked, storing, others)
    }
    const earlier = name && (await earlierGroup(caller, name, requests))
    if (earlier) return { ...earlier, unbegun: [], superseded: [] }
    return storing.outcome === 'existing' ? null : withoutNew(deps, caller, wish, without)
  })
}

function acceptanceOf(
  { requests, group }: Wish,
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

/** Null where what kept a signal from being stored has gone meanwhile. */
async function withoutNew(
  deps: AcceptanceDeps,
  caller: Caller,
  wish: Wish,
  without: readonly Without[],
): Promise<Acceptance | null> {
  const found: Member[] = []
  for (const one of without) {
    const member = await memberWithout(deps, caller, wish, one)
    if (member === null) return null
    found.push(member)
  }
  const outcomes = found.map(({ outcome }) => outcome)
  const unbegun = without.flatMap(({ asked }, at) => (outcomes[at] === 'new' && asked ? asked.signal : []))
  const isNew = outcomes.includes('new') || outcomes.includes('undecided')
  const outcome = isNew ? 'new' : outcomes.includes('existing') ? 'existing' : 'refused'
  return { outcome, groupId: null, members: inOrder(wish.requests, found), unbegun, superseded: [] }
}

interface Judged {
  name: NamedRequest | null
  asked: readonly Asked[]
  rejections: Awaited<ReturnType<typeof rejectionsOf>>
}

/** `signals`: what became of each that was asked for; `refused`: of none of them anything is on record. */
async function storeAsked(
  deps: AcceptanceDeps,
  caller: Caller,
  { requests, group }: Wish,
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
  { source, group }: Wish,
  request: SignalRequest,
  acceptedAt: Date,
): Asked {
  const { principal } = caller
  const ofGroup = group === null ? request : { ...request, groupId: group.id }
  const signal = { ...newSignal(principal, ofGroup, acceptedAt, deps.maxStaleness), source }
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
