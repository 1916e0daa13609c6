import type { AlertNotice } from '../alert/alert.ts'
import type { StatusReason } from '../risk/denial.ts'
import type { OrderStatus, TERMINAL_STATUSES } from '../order/order.ts'
import type { FreedStatus, SignalStatus } from './signal.ts'

/**
 * Each write that ends a signal or order names its entry here. always: alert `ended_unfilled`. unseen: the same if no
 * request waits. An exit that leaves shares open has the alert `unprotected_position`.
 */
export type NotifyRule = { tells: 'always' | 'unseen' } | { nothing: string }

interface SignalEnding {
  into: FreedStatus
  from: readonly SignalStatus[]
  telling: NotifyRule
}

const UNDECIDED = ['pending', 'scheduled', 'queued'] as const
const UNPLACED_ENDINGS = [...UNDECIDED, 'transmitted'] as const

export const SIGNAL_ENDINGS = {
  refused: { into: 'rejected', from: UNPLACED_ENDINGS, telling: { tells: 'unseen' } },
  not_placed: { into: 'error', from: UNPLACED_ENDINGS, telling: { tells: 'unseen' } },
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
    telling: { nothing: 'The person or program that withdraws it has the answer.' },
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

/** asked: cancelled by its owner. gave_way: for another order of ours or a person's close. others: from elsewhere. */
export type OrderEndedBy = 'asked' | 'gave_way_to_person' | 'gave_way' | 'others'

const AS_REQUESTED = { nothing: 'It filled, as it was to.' }
const ASKED = { nothing: 'The person or program that asked for the cancel has the answer.' }
const FOR_CLOSE = { nothing: 'The person who closed the position knows that its orders are cancelled.' }
const NOTIFIED = { tells: 'always' } as const

export const ORDER_ENDINGS = {
  FILLED: {
    asked: AS_REQUESTED,
    gave_way_to_person: AS_REQUESTED,
    gave_way: AS_REQUESTED,
    others: AS_REQUESTED,
  },
  CANCELLED: { asked: ASKED, gave_way_to_person: FOR_CLOSE, gave_way: NOTIFIED, others: NOTIFIED },
  REJECTED: { asked: ASKED, gave_way_to_person: FOR_CLOSE, gave_way: NOTIFIED, others: NOTIFIED },
  EXPIRED: { asked: ASKED, gave_way_to_person: FOR_CLOSE, gave_way: NOTIFIED, others: NOTIFIED },
} as const satisfies Record<Ended, Record<OrderEndedBy, NotifyRule>>

export const endedUnfilled = (message: string, code: StatusReason | null): AlertNotice => ({
  kind: 'ended_unfilled',
  message,
  data: { code },
})

export const endedInPart = (message: string): AlertNotice =>
  endedUnfilled(`${message}. The exit is for the shares that were filled`, null)
