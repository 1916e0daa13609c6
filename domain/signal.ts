import type { Decimal } from './decimal.ts'
import type { ExitRule } from './exit.ts'
import type { OrderSide, OrderTerms } from './order.ts'
import type { Target } from './target.ts'

export const ACTIONS = ['openLong', 'closeLong', 'openShort', 'closeShort'] as const
export type Action = (typeof ACTIONS)[number]

export const EXECUTE_MODES = ['immediate', 'scheduled', 'pending'] as const
export type ExecuteMode = (typeof EXECUTE_MODES)[number]

export const QUANTITY_TYPES = ['fixed', 'percentEquity', 'dollarAmount'] as const
export type QuantityType = (typeof QUANTITY_TYPES)[number]

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
  /** Shares, percent of equity, or dollars, as `quantityType` says. */
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
  /** The position that it wants, of a signal that says that and no step. */
  target?: Target
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

export const isOpening = (action: Action): action is 'openLong' | 'openShort' =>
  action === 'openLong' || action === 'openShort'

/** The Temporal workflow that carries a signal. */
export const workflowIdFor = (signalId: string): string => `signal-${signalId}`

/** Why a signal was cancelled that somebody withdrew, for its owner to read. */
export const withdrawnDetail = (by: string): string => `Withdrawn by ${by} before an order was sent`
