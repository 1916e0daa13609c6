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

/** Each token has its own names, a person one set over all sessions. */
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

/** The only way in for signals. */
export interface TradeRequest {
  /** At least one, one for each account. */
  requests: readonly SignalRequest[]
  /** Text of the message, without secrets. */
  source: string
  /** By PostgreSQL's clock; its signals age from then. Absent: now. */
  acceptedAt?: Date
  /** Null for a single signal, named only by its sourceId. */
  group: GroupRequest | null
}

export interface GroupRequest extends Pick<NamedRequest, 'id' | 'name' | 'seconds'> {
  summary: string
  /** Actions of the sender's waiting signals to replace; `meantAt`: when the message was made. */
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

/** @param asked the requested trade, where it differs */
export interface Existing {
  outcome: 'existing'
  signal: Signal
  asked: Trade | null
  advisories: Advisory[]
}

/** `error` is null for an earlier denial. */
export interface Refused {
  outcome: 'refused'
  refusal: { code: string; message: string }
  error: ApiError | null
}

/** Id of an equal request's work. Throws IDEMPOTENCY_KEY_REUSED. */
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
  /** Null where it was removed. */
  earlier: () => Promise<T | null>
}

export interface StoringDeps {
  background: Pick<Background, 'run'>
  failpoint: Failpoint
}

export interface WhatToStore<T> {
  /** Has no effect after `limit` milliseconds. False where a key is taken. */
  store: (limit: number) => Promise<T>
  undo: () => Promise<unknown>
}

/** A late store is undone: its caller was asked to resend. */
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

/** Only one of equal requests with one key stores, and answers null. Throws DATABASE_UNAVAILABLE. */
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

/** undecided: recorded once the earlier signal is cancelled for it. */
export interface Accepted {
  outcome: 'new' | 'undecided'
  signal: SignalSummary
  replaced: string | null
  advisories: Advisory[]
}

export type Member = { accountId: string } & (Accepted | Existing | Refused)

/** `groupId` is null without a stored name. Members follow the requests. */
export interface Outcome {
  outcome: 'new' | 'existing' | 'refused'
  groupId: string | null
  members: Member[]
}
