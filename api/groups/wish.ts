import type { Action } from '#domain/signal.ts'
import type { SignalSummary } from '../signals/commands.ts'
import type { SignalRequest } from '../signals/schema.ts'

/** What one message asks for: a signal for each of some accounts. */
export interface GroupWish {
  id: string
  /** By which a repetition is known: for ever, or for so many seconds from the first; null where each is a message of its own. */
  identity: { text: string; seconds: number | null } | null
  /** For lists, such as `buy 10 AAPL`. */
  summary: string
  /** One for each account, at least one. None takes the place of another signal: `replaceExisting` says nothing here. */
  requests: SignalRequest[]
  /** The text of the message, without secrets. */
  source: string
  /** When the message was received, by PostgreSQL's clock: from then on its signals grow old. Now where it is left out. */
  acceptedAt?: Date
  /** The actions of waiting signals of the same sender and symbol whose place it takes, and when it was made; left out for none. */
  supersedes?: { actions: readonly Action[]; meantAt: string | null }
}

/** How a group stands for one of its accounts: its signal, or the earlier one in its place; or why there is none. */
export type GroupMember =
  | { accountId: string; signal: SignalSummary }
  | { accountId: string; refusal: { code: string; message: string } }

/**
 * A group that is on record from before; or nothing that is new, because each account refuses its signal, or has an earlier one in
 * its place: then there is no group, and the same message may be sent again.
 */
export type StandingGroup =
  | { outcome: 'existing'; groupId: string; members: GroupMember[] }
  | { outcome: 'existing' | 'refused'; groupId: null; members: GroupMember[] }

/** Members are in the order of the requests. */
export type GroupOutcome = { outcome: 'new'; groupId: string; members: GroupMember[] } | StandingGroup
