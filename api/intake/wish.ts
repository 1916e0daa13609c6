import type { Signal } from '#db/entities/index.ts'
import type { NamedRequest } from '#db/signals/requests.ts'
import type { Action } from '#domain/signal.ts'
import type { Trade } from '#domain/source-id.ts'
import type { ApiError } from '#contract/errors.ts'
import type { Advisory, SignalRequest } from '#contract/signals/schema.ts'

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
