import { compare, type Decimal } from './decimal.ts'
import type { ExitRule } from './exit.ts'
import type { Close, Trade } from './move.ts'
import type { OrderSide, OrderTerms } from './order.ts'
import type { Protection } from './protection.ts'
import type { SenderHolds } from './sender-holds.ts'

export const ACTIONS = ['openLong', 'closeLong', 'openShort', 'closeShort'] as const
export type Action = (typeof ACTIONS)[number]

export const EXECUTE_MODES = ['immediate', 'scheduled', 'pending'] as const
export type ExecuteMode = (typeof EXECUTE_MODES)[number]

export const QUANTITY_TYPES = [
  'fixed',
  'percentEquity',
  'dollarAmount',
  'riskPercent',
  'riskDollars',
  'percentPosition',
] as const
export type QuantityType = (typeof QUANTITY_TYPES)[number]

/** By what is lost if the stop is reached: opens alone, and needs a stop. */
export const isByRisk = (type: QuantityType): boolean => type === 'riskPercent' || type === 'riskDollars'
/** By the equity of the account. */
export const isByEquity = (type: QuantityType): boolean => type === 'percentEquity' || type === 'riskPercent'
/** By the price of a share. */
export const isByPrice = (type: QuantityType): boolean => type !== 'fixed' && type !== 'percentPosition'

/**
 * Everything about a signal that decides what happens to it. Fixed at acceptance and stored in the workflow's history;
 * fields that only describe it (metadata, source) stay in the database.
 */
export interface SignalTerms extends OrderTerms {
  signalId: string
  userId: string
  accountId: string
  strategyId: string | null
  action: Action
  /** Shares, percent of equity or of what is held, or dollars, as `quantityType` says. */
  quantity: Decimal
  quantityType: QuantityType
  executeMode: ExecuteMode
  /** UTC instant at which a gtd order is to be cancelled; null for every other time in force. */
  expiresAt: string | null
  /** UTC instants. */
  acceptedAt: string
  scheduledAt: string | null
  validUntil: string | null
  /** Past this instant the signal is no longer sent: an old market order is worse than none. */
  sendBefore: string | null
  /** When a person let it go; left out before, and where nobody had to. UTC instant. */
  dueAt?: string
  exit: ExitRule | null
  /** The exit plan, as it was last changed; left out for none. Beside `exit`, whichever comes first closes. */
  protection?: Protection
  /** The position that it wants, of a signal that says that and no step. */
  target?: Target
}

/**
 * A signal with a target says which position it wants, not which step: it trades the difference. One signal is one order, and no
 * order goes across zero, so a target on the other side is reached by two signals: the first closes all that is held, and the
 * signal that continues it opens. `docs/decisions/0024-target-position.md` gives the reasons.
 */
export interface Target {
  /** Shares; below zero for a short position, zero for none. With a move its sign alone says something: the side that it may open. */
  position: Decimal
  /** When its sender meant it; null where that was not said, and its arrival counts. UTC instant. */
  at: string | null
  /** The exit of what is opened for it; a part that closes has none. */
  exit: ExitRule | null
  /** The exit plan of what is opened for it; left out for none. */
  protection?: Protection
  /** Whose position is worked out when its order is; what is worked out in shares has none any more. */
  move?: SizedMove
  /** What its sender takes for held; left out where that was not said, and once it was compared with what is held. */
  senderHolds?: SenderHolds
}

/** The position that a signal wants, in shares; null for one that says a step, and as long as its move is to be worked out. */
export const positionWanted = ({ target }: { target?: Target | null | undefined }): Decimal | null =>
  target == null || target.move !== undefined ? null : target.position

/** A quantity and its unit. */
export type Size = Pick<SignalTerms, 'quantity' | 'quantityType'>

/** A move with the size of what it opens or adds; in shares where it reduces. */
export type SizedMove = (Trade & Size) | Close

/** The part of a target that one order trades, in the terms of a signal; and the target as it was worked out with it. */
export type Leg = Pick<SignalTerms, 'action' | 'quantity' | 'quantityType' | 'exit' | 'protection'> & {
  target: Target
}

/** The broker side of each action. */
export const ENTRY_SIDE: Record<Action, OrderSide> = {
  openLong: 'BUY',
  closeLong: 'SELL',
  openShort: 'SELL_SHORT',
  closeShort: 'BUY_TO_COVER',
}

/** The side that takes an opening action's position off again. */
export const EXIT_SIDE: Record<'openLong' | 'openShort', OrderSide> = {
  openLong: 'SELL',
  openShort: 'BUY_TO_COVER',
}

/** The exits of what is opened for a target, as part of its leg. */
export const exitsOf = ({ exit, protection }: Target): Pick<Leg, 'exit' | 'protection'> => ({
  exit,
  ...(protection && { protection }),
})

/** Terms with the order for their target as it was decided: its exits are in the place of theirs, also where it has none. */
export const withLeg = ({ protection: _, ...terms }: SignalTerms, leg: Leg): SignalTerms => ({
  ...terms,
  ...leg,
})

export const isOpening = (action: Action): action is 'openLong' | 'openShort' =>
  action === 'openLong' || action === 'openShort'

/** By which closing action a target on the other side of zero is reached first, and how that position compares with zero. */
export const ACROSS_ZERO = [
  { action: 'closeLong', position: '<', sign: -1 },
  { action: 'closeShort', position: '>', sign: 1 },
] as const satisfies readonly { action: Action; position: '<' | '>'; sign: -1 | 1 }[]

/** Whether an order that has closed a position is followed by one that opens the other side. */
export const goesAcross = ({ action, target }: { action: Action; target?: Target | null }): boolean =>
  target != null &&
  ACROSS_ZERO.some((by) => by.action === action && by.sign === compare(target.position, '0'))

/** The Temporal workflow that carries a signal. */
export const workflowIdFor = (signalId: string): string => `signal-${signalId}`

/** Why a signal was cancelled that somebody withdrew, for its owner to read. */
export const withdrawnDetail = (by: string): string => `Withdrawn by ${by} before an order was sent`
