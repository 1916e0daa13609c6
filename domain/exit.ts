import type { Decimal } from './decimal.ts'

export const EXIT_TRIGGERS = ['minutesAfterEntry', 'minutesBeforeClose', 'atClockTime', 'immediate'] as const
export type ExitTrigger = (typeof EXIT_TRIGGERS)[number]

export const EXIT_ORDER_TYPES = ['market', 'limit', 'stop', 'stopLimit', 'moc'] as const
/** moc is a market order for the closing auction. */
export type ExitOrderType = (typeof EXIT_ORDER_TYPES)[number]

export const EXIT_TIMES_IN_FORCE = ['day', 'cls'] as const
export type ExitTimeInForce = (typeof EXIT_TIMES_IN_FORCE)[number]

/** What a signal asks to happen after its entry has ended; specification 2.2. */
export interface ExitRule {
  trigger: ExitTrigger
  /** Set for minutesAfterEntry and minutesBeforeClose. */
  minutes: number | null
  /** "HH:MM" in the broker's zone; set for atClockTime. */
  clockTime: string | null
  orderType: ExitOrderType
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  timeInForce: ExitTimeInForce
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
/** waiting: for the entry to end. scheduled: for its submit time. submitted: working at the broker. */
export type ExitStatus = (typeof EXIT_STATUSES)[number]

/** When an exit is to be sent, as resolved from the broker's calendar. */
export interface ExitPlan {
  /** UTC instant. */
  submitAt: string
  /** Set when the trigger's own time fell outside a session and the next session's was taken instead. */
  reason: 'exit_rolled_to_next_session' | null
}
