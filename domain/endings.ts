import type { AlertKind, AlertNotice } from './alert.ts'
import type { StatusReason } from './denial.ts'
import type { ExitStatus } from './exit.ts'
import type { OrderStatus, TERMINAL_STATUSES } from './order.ts'
import type { FreedStatus, SignalStatus } from './signal-status.ts'

/**
 * Every way in which a signal, an order or an exit ends, and what its owner is told of it: nothing ends in silence. Each write
 * to the ledger that ends one names its entry of these tables, and the notice is part of that very write.
 *
 * always: by the alert `ended_unfilled`. unseen: by the same alert, where nobody waits for the answer to the request any
 * more, which would have told it. by: by an alert of another kind. nothing: because of what stands there.
 */
export type Telling = { tells: 'always' | 'unseen' } | { by: AlertKind } | { nothing: string }

/** How a signal comes into a status that ends it: from which others, and what is told. */
interface SignalEnding {
  into: FreedStatus
  from: readonly SignalStatus[]
  telling: Telling
}

const UNDECIDED = ['pending', 'scheduled', 'queued'] as const
const UNPLACED_ENDINGS = [...UNDECIDED, 'transmitted'] as const

/** The ends of signals. Together they are every transition into an end that the table of transitions lists. */
export const SIGNAL_ENDINGS = {
  /** A rule of ours, or the broker, refused the entry. */
  refused: { into: 'rejected', from: UNPLACED_ENDINGS, telling: { tells: 'unseen' } },
  /** No order was placed, as of a signal that could not be sent in time. */
  not_placed: { into: 'error', from: UNPLACED_ENDINGS, telling: { tells: 'unseen' } },
  /** The broker rejected the entry after it had accepted it. */
  rejected_late: { into: 'rejected', from: ['executed'], telling: { tells: 'always' } },
  declined: {
    into: 'rejected',
    from: UNDECIDED,
    telling: { nothing: 'The person who declines it has the answer.' },
  },
  expired: { into: 'cancelled', from: UNPLACED_ENDINGS, telling: { tells: 'always' } },
  withdrawn: {
    into: 'cancelled',
    from: UNPLACED_ENDINGS,
    telling: { nothing: 'Whoever withdraws it has the answer.' },
  },
  at_target: {
    into: 'cancelled',
    from: UNPLACED_ENDINGS,
    telling: { nothing: 'What it asked for is held or on order already.' },
  },
  target_superseded: {
    into: 'cancelled',
    from: UNPLACED_ENDINGS,
    telling: { nothing: 'What its sender wants since then was asked for by a newer signal.' },
  },
  superseded: {
    into: 'cancelled',
    from: [...UNPLACED_ENDINGS, 'executed'],
    telling: { nothing: 'The sender of the newer signal has the answer, which names the older one.' },
  },
} as const satisfies Record<string, SignalEnding>
export type SignalEndingName = keyof typeof SIGNAL_ENDINGS

type Ended = (typeof TERMINAL_STATUSES)[number] & OrderStatus

/**
 * The side that ended an order: its owner asked for that; it gave way to a close that a person asked for or approved, or to another
 * order of ours; or nobody here.
 */
export type OrderEndedBy = 'asked' | 'gave_way_to_person' | 'gave_way' | 'others'

const AS_WISHED = { nothing: 'It filled, as it was to.' }
const ASKED = { nothing: 'Whoever asked for the cancel has the answer.' }
const FOR_CLOSE = { nothing: 'The person who closed the position knows that its orders are cancelled.' }
const TOLD = { tells: 'always' } as const

/** The ends of entries and of manual orders, by their status and who ended them. */
export const ORDER_ENDINGS = {
  FILLED: { asked: AS_WISHED, gave_way_to_person: AS_WISHED, gave_way: AS_WISHED, others: AS_WISHED },
  CANCELLED: { asked: ASKED, gave_way_to_person: FOR_CLOSE, gave_way: TOLD, others: TOLD },
  REJECTED: { asked: ASKED, gave_way_to_person: FOR_CLOSE, gave_way: TOLD, others: TOLD },
  EXPIRED: { asked: ASKED, gave_way_to_person: FOR_CLOSE, gave_way: TOLD, others: TOLD },
} as const satisfies Record<Ended, Record<OrderEndedBy, Telling>>

/** The ends of exits, by the status in which the exit ends. */
export const EXIT_ENDINGS = {
  filled: { nothing: 'It filled, as it was to.' },
  partially_filled: { by: 'unprotected_position' },
  cancelled: { by: 'unprotected_position' },
  failed: { by: 'unprotected_position' },
} as const satisfies Record<Exclude<ExitStatus, 'waiting' | 'scheduled' | 'submitted'>, Telling>

/** Why a cancelled exit leaves no shares open, so that `unprotected_position` has nothing to tell. */
export const QUIET_EXIT_ENDS = {
  ENTRY_NOT_FILLED: 'The end of the entry is told, and there is nothing to close.',
  POSITION_ALREADY_CLOSED:
    'Whoever closed the position knows; an order from elsewhere is told as `sold_elsewhere`.',
  CANCELLED_BY_PERSON: 'Whoever cancels the exit has the answer.',
} as const

/** An end that nobody asked for: of an order that came to nothing, or to a part. Its remedy is chosen when it is read. */
export const endedUnfilled = (message: string, code: StatusReason | null): AlertNotice => ({
  kind: 'ended_unfilled',
  message,
  data: { code },
})

/** The entry ended with a part of its shares. */
export const endedInPart = (message: string): AlertNotice =>
  endedUnfilled(`${message}. The exit is for the shares that were filled`, null)
