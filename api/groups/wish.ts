import type { Action } from '#domain/signal.ts'
import type { SignalSummary } from '../signals/commands.ts'
import type { SignalRequest } from '../signals/schema.ts'

export interface GroupWish {
  id: string
  /** A repetition is known by it for ever, or for so many seconds from the first; null where each is a message of its own. */
  identity: { text: string; seconds: number | null } | null
  summary: string
  /** One for each account, at least one; `replaceExisting` says nothing here. */
  requests: SignalRequest[]
  /** The text of the message, without secrets. */
  source: string
  /** By PostgreSQL's clock: from then on its signals grow old. Now where it is left out. */
  acceptedAt?: Date
  /** The actions of waiting signals of the same sender and symbol whose place it takes; `meantAt`: when the message was made. */
  supersedes?: { actions: readonly Action[]; meantAt: string | null }
}

export type GroupMember =
  | { accountId: string; signal: SignalSummary }
  | { accountId: string; refusal: { code: string; message: string } }

/** Nothing new: each account refuses its signal or has an earlier one, and the same message may be sent again. */
export type StandingGroup =
  | { outcome: 'existing'; groupId: string; members: GroupMember[] }
  | { outcome: 'existing' | 'refused'; groupId: null; members: GroupMember[] }

export type GroupOutcome = { outcome: 'new'; groupId: string; members: GroupMember[] } | StandingGroup
