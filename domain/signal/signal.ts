import { isExitAhead, type ExitStatus, type ExitRule } from '../exit/exit.ts'
import type { Ask, Origin } from './origin.ts'
import { compare, type Decimal } from '../money/decimal.ts'
import type { Manages } from './manages.ts'
import type { Close, Trade } from './move.ts'
import type { OrderSide, OrderTerms } from '../order/order.ts'
import type { Protection } from '../exit/protection.ts'
import type { SenderHolds } from './sender-position.ts'

export const SIGNAL_STATUSES = [
  'pending',
  'scheduled',
  'queued',
  'transmitted',
  'executed',
  'rejected',
  'cancelled',
  'error',
] as const
/**
 * pending waits for a person, scheduled for its time; queued is not yet sent; transmitted has no known answer; executed
 * was accepted by the broker. The others end a signal, and free its sourceId once none of its orders can work.
 */
export type SignalStatus = (typeof SIGNAL_STATUSES)[number]

/**
 * Every write follows this table. executed -> rejected: a broker may reject after accepting. executed -> cancelled: a
 * replacement cancelled the unfilled order. scheduled, queued -> pending: it requires approval. transmitted -> pending:
 * nothing was sent, and its approval was denied.
 */
const TRANSITIONS: Record<SignalStatus, readonly SignalStatus[]> = {
  pending: ['queued', 'transmitted', 'executed', 'rejected', 'cancelled', 'error'],
  scheduled: ['pending', 'queued', 'transmitted', 'executed', 'rejected', 'cancelled', 'error'],
  queued: ['pending', 'transmitted', 'executed', 'rejected', 'cancelled', 'error'],
  transmitted: ['pending', 'executed', 'rejected', 'cancelled', 'error'],
  executed: ['rejected', 'cancelled'],
  rejected: [],
  cancelled: [],
  error: [],
}

export const FIRST_STATUS = {
  immediate: 'queued',
  scheduled: 'scheduled',
  pending: 'pending',
} as const satisfies Record<ExecuteMode, SignalStatus>

/**
 * waits: no order is about to leave. leaves: it is, or has left. sent: no known answer. placed: accepted by the broker.
 * over: ended.
 */
export const ENTRY_STAGE = {
  pending: 'waits',
  scheduled: 'waits',
  queued: 'leaves',
  transmitted: 'sent',
  executed: 'placed',
  rejected: 'over',
  cancelled: 'over',
  error: 'over',
} as const satisfies Record<SignalStatus, string>

type Whose<E extends string> = {
  [S in SignalStatus]: (typeof ENTRY_STAGE)[S] extends E ? S : never
}[SignalStatus]

const whose = <E extends string>(...stages: readonly E[]): Whose<E>[] =>
  SIGNAL_STATUSES.filter((status): status is Whose<E> =>
    (stages as readonly string[]).includes(ENTRY_STAGE[status]),
  )

export const isWaiting = (status: SignalStatus): boolean => ENTRY_STAGE[status] === 'waits'

export const mayBecome = (from: SignalStatus, to: SignalStatus): boolean => TRANSITIONS[from].includes(to)

export const statusesBefore = (to: SignalStatus): SignalStatus[] =>
  SIGNAL_STATUSES.filter((from) => mayBecome(from, to))

/** The entry is not known to be at the broker. */
export const UNPLACED_STATUSES = whose('waits', 'leaves', 'sent')
export const LEAVING_STATUSES = whose('leaves', 'sent')
export const FREED_STATUSES = whose('over')
export type FreedStatus = Whose<'over'>

export const isUnplaced = (status: SignalStatus): boolean =>
  (UNPLACED_STATUSES as readonly SignalStatus[]).includes(status)

export const isFailed = (status: SignalStatus): boolean => ENTRY_STAGE[status] === 'over'

export const mayBeDecided = (status: SignalStatus): boolean => status === 'pending'

/** True until the decision to send. */
export const mayBeWithdrawn = (status: SignalStatus): boolean => isWaiting(status) || status === 'queued'

export const mayCancelExit = (signal: SignalStatus, exit: ExitStatus | null): boolean =>
  signal === 'executed' && exit !== null && isExitAhead(exit)

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

/** Sizes by the loss at the stop: opens only, and needs a stop. */
export const isByRisk = (type: QuantityType): boolean => type === 'riskPercent' || type === 'riskDollars'
export const isByEquity = (type: QuantityType): boolean => type === 'percentEquity' || type === 'riskPercent'
export const isByPrice = (type: QuantityType): boolean => type !== 'fixed' && type !== 'percentPosition'

/** The course of a signal, fixed at acceptance and stored in the workflow's history. */
export interface SignalTerms extends OrderTerms {
  signalId: string
  userId: string
  accountId: string
  origin: Origin
  strategyId: string | null
  action: Action
  /** Shares, dollars, or percent of equity or position, by `quantityType`. */
  quantity: Decimal
  quantityType: QuantityType
  executeMode: ExecuteMode
  expiresAt: string | null
  acceptedAt: string
  scheduledAt: string | null
  validUntil: string | null
  /** UTC; an old market order is worse than none. */
  sendBefore: string | null
  /** The person's approval; UTC. */
  dueAt?: string
  exit: ExitRule | null
  /** Beside `exit`: whichever comes first closes. */
  protection?: Protection
  target?: Target
  /** Absent: position. */
  manages?: Manages
  /** By hand: `action` is a guess until its decision. */
  ask?: Ask
}

/** The signal trades the difference; across zero it closes all, and its continuation opens. Decision 6. */
export interface Target {
  /** Shares, negative when short. With a move only its sign counts: the side that it may open. */
  position: Decimal
  /** The sender's instant, UTC, or null. */
  at: string | null
  exit: ExitRule | null
  protection?: Protection
  /** Absent once resolved to shares. */
  move?: SizedMove
  senderHolds?: SenderHolds
}

/** Shares; null without a target, and until its move is resolved. */
export const positionWanted = ({ target }: { target?: Target | null | undefined }): Decimal | null =>
  target == null || target.move !== undefined ? null : target.position

export type Size = Pick<SignalTerms, 'quantity' | 'quantityType'>

export type SizedMove = (Trade & Size) | Close

/** One order's part of a target. */
export type Leg = Pick<SignalTerms, 'action' | 'quantity' | 'quantityType' | 'exit' | 'protection'> & {
  target: Target
}

export const ENTRY_SIDE: Record<Action, OrderSide> = {
  openLong: 'BUY',
  closeLong: 'SELL',
  openShort: 'SELL_SHORT',
  closeShort: 'BUY_TO_COVER',
}

export const ACTION_OF_SIDE = {
  BUY: 'openLong',
  SELL: 'closeLong',
  SELL_SHORT: 'openShort',
  BUY_TO_COVER: 'closeShort',
} as const satisfies Record<OrderSide, Action>

export const EXIT_SIDE: Record<'openLong' | 'openShort', OrderSide> = {
  openLong: 'SELL',
  openShort: 'BUY_TO_COVER',
}

export const exitsOf = ({ exit, protection }: Target): Pick<Leg, 'exit' | 'protection'> => ({
  exit,
  ...(protection && { protection }),
})

/** The leg's exits replace those of the terms, also where it has none. */
export const withLeg = ({ protection: _, ...terms }: SignalTerms, leg: Leg): SignalTerms => ({
  ...terms,
  ...leg,
})

export const isOpening = (action: Action): action is 'openLong' | 'openShort' =>
  action === 'openLong' || action === 'openShort'

export const ACROSS_ZERO = [
  { action: 'closeLong', position: '<', sign: -1 },
  { action: 'closeShort', position: '>', sign: 1 },
] as const satisfies readonly { action: Action; position: '<' | '>'; sign: -1 | 1 }[]

export const goesAcross = ({ action, target }: { action: Action; target?: Target | null }): boolean =>
  target != null &&
  ACROSS_ZERO.some((by) => by.action === action && by.sign === compare(target.position, '0'))

export const workflowIdFor = (signalId: string): string => `signal-${signalId}`

export const withdrawnDetail = ({ ask }: { ask?: Ask | null | undefined }, by: string): string =>
  ask ? `Cancelled by ${by} before it was sent` : `Withdrawn by ${by} before an order was sent`
