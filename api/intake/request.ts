import { type NamedRequest, findKeyed, type RequestKey } from '#db/signal/requests.ts'
import type { Caller } from '../http/caller.ts'
import type { Principal } from '../http/principal.ts'
import type { SignalRequest, Advisory } from '#contract/signal/request.ts'
import type { Signal } from '#db/entities/index.ts'
import type { Action } from '#domain/signal/signal.ts'
import type { Trade } from '#domain/signal/source-id.ts'
import { ApiError, databaseUnavailable } from '#contract/errors.ts'
import type { Background } from '../http/background.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { storeOrCompensate, untilSettled } from '../http/store-or-compensate.ts'

export type Giver = Pick<Principal, 'tokenId'>

/** Each token has names of its own, and so has a person over all sessions. */
export const keyName = ({ tokenId }: Giver, key: string): string => `key ${tokenId ?? 'person'} ${key}`

export const messageName = ({ tokenId }: Giver, text: string): string =>
  `message ${tokenId ?? 'person'} ${text}`

export const namedBy = (
  { userId }: Pick<Principal, 'userId'>,
  { id, name, seconds }: Pick<GroupRequest, 'id' | 'name' | 'seconds'>,
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
export interface TradeRequest {
  /** One for each account, at least one. */
  requests: readonly SignalRequest[]
  /** The text of the message, without secrets. */
  source: string
  /** By PostgreSQL's clock: from then on its signals grow old. Now where it is left out. */
  acceptedAt?: Date
  /** Null where the signal is the whole request: it has no name beside its sourceId. */
  group: GroupRequest | null
}

export interface GroupRequest extends Pick<NamedRequest, 'id' | 'name' | 'seconds'> {
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

/** The id of what an equal request with this key has begun. Throws {@link ApiError} IDEMPOTENCY_KEY_REUSED. */
export async function begunByKey(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  request: RequestKey | null,
): Promise<string | null> {
  const earlier = request && (await inTime(findKeyed(em, principal.userId, request.key)))
  if (earlier && earlier.hash !== request.hash) throw new ApiError('IDEMPOTENCY_KEY_REUSED')
  return earlier?.id ?? null
}

const heldByOthers = (): ApiError =>
  databaseUnavailable(new Error('requests with the same key come and are taken away again'))

export interface ToStore<T> extends WhatToStore<boolean> {
  /** What an equal request has begun; null where that was taken away. */
  earlier: () => Promise<T | null>
}

export interface StoringDeps {
  background: Pick<Background, 'run'>
  failpoint: Failpoint
}

export interface WhatToStore<T> {
  /** Past `limit` milliseconds it has no effect any more. False where a key is taken. */
  store: (limit: number) => Promise<T>
  undo: () => Promise<unknown>
}

/** What was stored after all would be asked for a second time by a caller who was told to: it is undone. */
export function storedInTime<T>(
  deps: StoringDeps,
  caller: Caller,
  { store, undo }: WhatToStore<T>,
): Promise<T> {
  const storing = async () => {
    await deps.failpoint('api.before_commit')
    return store(caller.limitOfStatement())
  }
  return storeOrCompensate(deps, caller.beforeDatabaseDeadline, { storing: storing(), undo })
}

/**
 * Of any number of equal requests with one key exactly one stores what it asks for, and answers with null. Throws {@link ApiError}
 * DATABASE_UNAVAILABLE.
 */
export async function storeOnce<T>(
  deps: StoringDeps,
  caller: Caller,
  { store, undo, earlier }: ToStore<T>,
): Promise<T | null> {
  const settled = await untilSettled(heldByOthers, async () => {
    const isNew = await storedInTime(deps, caller, { store, undo })
    const found = isNew ? null : await earlier()
    return isNew || found !== null ? { found } : null
  })
  return settled.found
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
