import type { Decimal } from '../money/decimal.ts'
import type { DenialCode } from '../risk/denial.ts'
import type { AnyOrderType, OrderPurpose, OrderStatus, SentTerms } from '../order/order.ts'

export const EXIT_TRIGGERS = ['minutesAfterEntry', 'minutesBeforeClose', 'atClockTime', 'immediate'] as const
export type ExitTrigger = (typeof EXIT_TRIGGERS)[number]

export type TriggerField = 'exitTriggerMinutes' | 'exitTriggerTime'

interface Trigger {
  field: TriggerField | null
  /** Minutes that an moc order needs; null if they do not count to the close. */
  leastForAuction: number | null
  choice: string
  when(rule: { minutes: number | null; clockTime: string | null }): string
}

/** An exit at once leaves nothing to protect. */
export const isAtOnce = (trigger: unknown): boolean => TRIGGERS_AT_ONCE.includes(trigger as ExitTrigger)

const TRIGGERS_AT_ONCE: readonly ExitTrigger[] = ['immediate']

const inMinutes = ({ minutes }: { minutes: number | null }): string =>
  minutes === 1 ? '1 minute' : `${minutes} minutes`

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
export type ExitOrderType = (typeof EXIT_ORDER_TYPES)[number]

export const EXIT_TIMES_IN_FORCE = ['day', 'cls'] as const
type ExitTimeInForce = (typeof EXIT_TIMES_IN_FORCE)[number]

/** Specification 2.2. */
export interface ExitRule {
  trigger: ExitTrigger
  /** For triggers that read `exitTriggerMinutes`. */
  minutes: number | null
  /** "HH:MM" in the broker's zone; for triggers that read `exitTriggerTime`. */
  clockTime: string | null
  orderType: ExitOrderType
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  timeInForce: ExitTimeInForce
}

export interface ExitTerms extends Pick<SentTerms, 'limitPrice' | 'stopPrice' | 'stopLimitPrice' | 'trail'> {
  orderType: AnyOrderType | 'moc'
  timeInForce: ExitTimeInForce | 'gtc'
}

/**
 * PROTECTION: rests with levels. TAKE_PROFIT, STOP_LOSS: sent at a level watched here. CLOSE_AT_MARKET: decided
 * earlier.
 */
export const ORDER_REASONS = ['PROTECTION', 'TAKE_PROFIT', 'STOP_LOSS', 'TIME', 'CLOSE_AT_MARKET'] as const
export type ExitReason = (typeof ORDER_REASONS)[number]

export type ReachedLevel = Extract<ExitReason, 'STOP_LOSS' | 'TAKE_PROFIT'>

const PURPOSES = {
  PROTECTION: 'plan',
  TAKE_PROFIT: 'target',
  STOP_LOSS: 'timed',
  TIME: 'timed',
  CLOSE_AT_MARKET: 'timed',
} as const satisfies Record<ExitReason, Exclude<OrderPurpose, 'entry'>>

export const exitPurpose = (reason: ExitReason): Exclude<OrderPurpose, 'entry'> => PURPOSES[reason]

export const EXIT_AT_MARKET: ExitTerms = {
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
}

/** In their order; the last four are ends. */
export const EXIT_STATUSES = [
  'waiting',
  'scheduled',
  'submitted',
  'filled',
  'partially_filled',
  'cancelled',
  'failed',
] as const
/** waiting: for the entry's end. scheduled: for its time or another try. submitted: working. */
export type ExitStatus = (typeof EXIT_STATUSES)[number]

export const isExitAhead = (status: ExitStatus): boolean => status === 'waiting' || status === 'scheduled'

export interface ExitState {
  generation: number
  status: ExitStatus
}

/** Statuses before `to` within one generation; a later one may begin anywhere. */
export const exitStatusesBefore = (to: ExitStatus): ExitStatus[] =>
  EXIT_STATUSES.slice(0, Math.min(EXIT_STATUSES.indexOf(to), EXIT_STATUSES.indexOf('filled')))

/**
 * unplanned: no computable time. held: it cannot be sized or sent. unknown: the broker may have it. taken_back: sized,
 * not sent. closed: protection waits for the opening. Each is tried again.
 */
type ExitTroubleKind = 'unplanned' | 'held' | 'unknown' | 'rejected' | 'taken_back' | 'ended' | 'closed'

export interface ShownBeyond {
  shown: Decimal
  own: Decimal
  split?: { date: string; own: Decimal }
}

export interface ExitTrouble {
  generation: number
  kind: ExitTroubleKind
  code: DenialCode | null
  detail: string
  beyond?: ShownBeyond
  reason?: ExitReason
}

/** again: an exit at any price that no person ended. uncovered: only an alert. */
export function afterEarlyEnd(rule: ExitRule, status: OrderStatus): 'again' | 'uncovered' {
  if (status === 'REJECTED') return 'again'
  const atAnyPrice = rule.orderType === 'market' || rule.orderType === 'moc'
  return atAnyPrice && (status === 'EXPIRED' || rule.timeInForce === 'cls') ? 'again' : 'uncovered'
}

export const exitCancelledMessage = (who: string): string =>
  `The exit was cancelled by ${who}; the position stays open`

/** Minutes between two tries, at most. */
export const EXIT_TRIED_WITHIN = 15

export interface ExitSchedule {
  submitAt: string
  reason: ExitMove | null
}

/** exit_moved_before_early_close: instead of staying overnight. */
export type ExitMove = 'exit_rolled_to_next_session' | 'exit_moved_before_early_close'

export interface EntryEnd {
  endedAt: string
  /** Null if the broker reports none; then `endedAt` counts. */
  filledAt: string | null
}
