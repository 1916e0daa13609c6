import type { Decimal } from './decimal.ts'
import type { DenialCode } from './denial.ts'
import type { AnyOrderType, OrderPurpose, OrderStatus, SentTerms } from './order.ts'

export const EXIT_TRIGGERS = ['minutesAfterEntry', 'minutesBeforeClose', 'atClockTime', 'immediate'] as const
export type ExitTrigger = (typeof EXIT_TRIGGERS)[number]

/** The field of POST /signals that a trigger reads its time from. */
export type TriggerField = 'exitTriggerMinutes' | 'exitTriggerTime'

interface Trigger {
  /** Null for a trigger that has nothing to tell. */
  field: TriggerField | null
  /** Minutes that a market order of the closing auction (moc) needs at least; null where minutes do not count to the close. */
  leastForAuction: number | null
  /** As a form offers it. */
  choice: string
  /** When the exit is sent, for people: "5 minutes after the entry". */
  when(rule: { minutes: number | null; clockTime: string | null }): string
}

/** Whether the exit of a trigger is sent at once, so that nothing is left for an exit plan. */
export const isAtOnce = (trigger: unknown): boolean => TRIGGERS_AT_ONCE.includes(trigger as ExitTrigger)

const TRIGGERS_AT_ONCE: readonly ExitTrigger[] = ['immediate']

const inMinutes = ({ minutes }: { minutes: number | null }): string =>
  minutes === 1 ? '1 minute' : `${minutes} minutes`

/** Which field each trigger has, and how it is told; `exit-time.ts` has the table of their times. */
export const TRIGGER: Readonly<Record<ExitTrigger, Trigger>> = {
  minutesAfterEntry: {
    field: 'exitTriggerMinutes',
    leastForAuction: null,
    choice: 'Minutes after the entry',
    when: (rule) => `${inMinutes(rule)} after the entry`,
  },
  minutesBeforeClose: {
    field: 'exitTriggerMinutes',
    leastForAuction: 15,
    choice: 'Minutes before the close',
    when: (rule) => `${inMinutes(rule)} before the close`,
  },
  atClockTime: {
    field: 'exitTriggerTime',
    leastForAuction: null,
    choice: 'At a time of day',
    when: ({ clockTime }) => `at ${clockTime}`,
  },
  immediate: {
    field: null,
    leastForAuction: null,
    choice: 'As soon as the entry has ended',
    when: () => 'as soon as the entry has ended',
  },
}

export const EXIT_ORDER_TYPES = ['market', 'limit', 'stop', 'stopLimit', 'moc'] as const
/** moc is a market order for the closing auction. */
export type ExitOrderType = (typeof EXIT_ORDER_TYPES)[number]

export const EXIT_TIMES_IN_FORCE = ['day', 'cls'] as const
type ExitTimeInForce = (typeof EXIT_TIMES_IN_FORCE)[number]

/** The exit that a signal asks for after its entry has ended; specification 2.2. */
export interface ExitRule {
  trigger: ExitTrigger
  /** Set for triggers that read `exitTriggerMinutes`. */
  minutes: number | null
  /** "HH:MM" in the broker's zone; set for triggers that read `exitTriggerTime`. */
  clockTime: string | null
  orderType: ExitOrderType
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  timeInForce: ExitTimeInForce
}

/** How an order of an exit trades: as the rule of the timed exit says, or as the exit plan has it. */
export interface ExitTerms extends Pick<SentTerms, 'limitPrice' | 'stopPrice' | 'stopLimitPrice' | 'trail'> {
  orderType: AnyOrderType | 'moc'
  timeInForce: ExitTimeInForce | 'gtc'
}

/**
 * What an exit order is for. plan: the order of the exit plan that lies at the broker. target: the target of the plan, which was
 * watched here and is reached. stop: at market, because a stop was reached that nothing at the broker acts upon. timed: the exit at
 * its time.
 */
export type ExitFor = 'plan' | 'target' | 'stop' | 'timed'

/** The purpose that is in the client order id. */
export const exitPurpose = (isFor: ExitFor): Exclude<OrderPurpose, 'entry'> =>
  isFor === 'stop' ? 'timed' : isFor

/** Terms of an exit that leaves at once. */
export const EXIT_AT_MARKET: ExitTerms = {
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
}

export const EXIT_STATUSES = [
  'waiting',
  'scheduled',
  'submitted',
  'filled',
  'partially_filled',
  'cancelled',
  'failed',
] as const
/**
 * waiting: for the entry to end. scheduled: for its submit time, or for another try. submitted: working at the
 * broker. The others end it.
 */
export type ExitStatus = (typeof EXIT_STATUSES)[number]

/** The exit has sent no order that works now, and is going to send one. */
export const isExitAhead = (status: ExitStatus): boolean => status === 'waiting' || status === 'scheduled'

/** Where an exit stands: each try counts as a generation of its own, from 1, and only ever goes forward. */
export interface ExitState {
  generation: number
  status: ExitStatus
}

/**
 * The one table of what may follow within one generation. A later generation may begin anywhere: it is another
 * exit order.
 */
const EXIT_TRANSITIONS: Record<ExitStatus, readonly ExitStatus[]> = {
  waiting: ['scheduled', 'submitted', 'filled', 'partially_filled', 'cancelled', 'failed'],
  scheduled: ['submitted', 'filled', 'partially_filled', 'cancelled', 'failed'],
  submitted: ['filled', 'partially_filled', 'cancelled', 'failed'],
  filled: [],
  partially_filled: [],
  cancelled: [],
  failed: [],
}

/** Every status from which `to` may be reached within one generation. */
export const exitStatusesBefore = (to: ExitStatus): ExitStatus[] =>
  EXIT_STATUSES.filter((from) => EXIT_TRANSITIONS[from].includes(to))

/**
 * Why a due exit is not at the broker. unplanned: its time cannot be computed. held: it cannot be sized or sent, and nothing
 * was sent. unknown: it was sent, and it is not known whether the broker has it. rejected: by the broker. taken_back: it was
 * sized and not sent, and what it was sized to may have changed. ended: the order
 * ended before it had closed everything. closed: the order of an exit plan waits for the exchange to open. Each time it is tried again.
 */
type ExitTroubleKind = 'unplanned' | 'held' | 'unknown' | 'rejected' | 'taken_back' | 'ended' | 'closed'

/** How many shares the broker shows of a position, and how many of them an exit would sell by its signal's fills. */
export interface ShownBeyond {
  shown: Decimal
  own: Decimal
  /** Where the broker lists a split that explains it: its day, and how many shares the own ones have become. */
  split?: { date: string; own: Decimal }
}

export interface ExitTrouble {
  /** Number of the exit order. */
  generation: number
  kind: ExitTroubleKind
  /** Null when nothing was rejected. */
  code: DenialCode | null
  detail: string
  /** Where its owner has to choose how many shares it sells. */
  beyond?: ShownBeyond
}

/**
 * What follows an exit order that ended before it closed everything. again: another order, because the exit is to close at
 * any price and a person did not end it: the order was rejected, expired at market, or is the remainder of an auction,
 * which the exchange cancels. uncovered: only an alert, because the owner's price was not reached, or the order was
 * cancelled on purpose.
 */
export function afterEarlyEnd(rule: ExitRule, status: OrderStatus): 'again' | 'uncovered' {
  if (status === 'REJECTED') return 'again'
  const atAnyPrice = rule.orderType === 'market' || rule.orderType === 'moc'
  return atAnyPrice && (status === 'EXPIRED' || rule.timeInForce === 'cls') ? 'again' : 'uncovered'
}

/** What its owner is told of an exit that a person has ended. */
export const exitCancelledMessage = (who: string): string =>
  `The exit was cancelled by ${who}; the position stays open`

/** Minutes between two tries of an exit that cannot be placed, at most. */
export const EXIT_TRIED_WITHIN = 15

/** When an exit is to be sent, as resolved from the broker's calendar. */
export interface ExitPlan {
  /** UTC instant. */
  submitAt: string
  /** Why it is not the trigger's own time; null where it is. */
  reason: ExitMove | null
}

/**
 * exit_rolled_to_next_session: the trigger's own time fell outside a session and the next session's was taken.
 * exit_moved_before_early_close: the exchange closes early on that day, before the clock time that the exit names, and
 * the exit leaves at the last moment before the close instead of staying over night.
 */
export type ExitMove = 'exit_rolled_to_next_session' | 'exit_moved_before_early_close'

/** The part of the life of an entry order from which its exit is timed; UTC instants. */
export interface EntryEnd {
  /** The order reached its terminal state. */
  endedAt: string
  /** Of its last fill; null where the broker does not say, which counts as `endedAt`. */
  filledAt: string | null
}
