import { compare, isPositive, type Decimal } from '../money/decimal.ts'
import type { Distance } from '../exit/protection.ts'

export const ORDER_STATUSES = [
  'PENDING',
  'OPEN',
  'PARTIALLY_FILLED',
  'FILLED',
  'CANCELLED',
  'REJECTED',
  'EXPIRED',
] as const
/** Specification 3.1. */
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export const ORDER_SIDES = ['BUY', 'SELL', 'BUY_TO_COVER', 'SELL_SHORT'] as const
/** BUY opens a long, SELL closes it, SELL_SHORT opens a short, BUY_TO_COVER closes it. */
export type OrderSide = (typeof ORDER_SIDES)[number]

export const SIDE_VERBS: Readonly<Record<OrderSide, string>> = {
  BUY: 'Buy',
  SELL: 'Sell',
  BUY_TO_COVER: 'Buy to cover',
  SELL_SHORT: 'Sell short',
}

export const SIDE_DONE: Readonly<Record<OrderSide, string>> = {
  BUY: 'Bought',
  SELL: 'Sold',
  BUY_TO_COVER: 'Bought to cover',
  SELL_SHORT: 'Sold short',
}

export const isReducing = (side: OrderSide): boolean => side === 'SELL' || side === 'BUY_TO_COVER'

export const executionSide = (side: OrderSide): 'BUY' | 'SELL' =>
  side === 'BUY' || side === 'BUY_TO_COVER' ? 'BUY' : 'SELL'

export const ORDER_TYPES = ['market', 'limit', 'stop', 'stopLimit'] as const
export type OrderType = (typeof ORDER_TYPES)[number]

/** Never of an entry. oco: a target and a stop, one cancels the other. */
export const PROTECTIVE_ORDER_TYPES = ['oco', 'trailingStop'] as const
export type AnyOrderType = OrderType | (typeof PROTECTIVE_ORDER_TYPES)[number]

export const hasLimitPrice = (type: AnyOrderType | 'moc'): boolean =>
  type === 'limit' || type === 'stopLimit' || type === 'oco'
export const hasStopPrice = (type: AnyOrderType | 'moc'): boolean =>
  type === 'stop' || type === 'stopLimit' || type === 'oco'

export const TIMES_IN_FORCE = ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok', 'gtd'] as const
/** day and gtc rest, ioc and fok do not, opg and cls are for auctions, gtd rests until `expiresAt`. */
export type TimeInForce = (typeof TIMES_IN_FORCE)[number]

export interface OrderTerms {
  symbol: string
  orderType: OrderType
  /** Dollars a share; set for limit and stopLimit. */
  limitPrice: Decimal | null
  /** Dollars a share; set for stop and stopLimit. */
  stopPrice: Decimal | null
  timeInForce: TimeInForce
  extendedHours: boolean
}

export const fillsAtOnce = ({
  orderType,
  timeInForce,
}: Pick<SentTerms, 'orderType' | 'timeInForce'>): boolean =>
  orderType === 'market' && timeInForce !== 'opg' && timeInForce !== 'cls'

export interface SentTerms extends Omit<OrderTerms, 'orderType'> {
  orderType: AnyOrderType
  stopLimitPrice?: Decimal | null
  trail?: Distance | null
}

export interface OrderShape extends SentTerms {
  side: OrderSide
  quantity: Decimal
}

/** Immutable; every retry sends the same request. */
export interface OrderRequest extends OrderShape {
  /** Unique at the broker, at most 48 characters: repeated submissions are harmless. */
  clientOrderId: string
}

export interface OrderToSend {
  request: OrderRequest
  sendBefore: string | null
  /** UTC; set if the broker has it: it is looked up first. */
  sentAt?: string
}

export const orderAsSent = (terms: SentTerms, side: OrderSide, quantity: Decimal): OrderShape => ({
  symbol: terms.symbol,
  side,
  quantity,
  orderType: terms.orderType,
  limitPrice: terms.limitPrice,
  stopPrice: terms.stopPrice,
  // Brokers have no gtd: a timer of the workflow cancels the order.
  timeInForce: terms.timeInForce === 'gtd' ? 'gtc' : terms.timeInForce,
  extendedHours: terms.extendedHours,
  ...(terms.stopLimitPrice != null && { stopLimitPrice: terms.stopLimitPrice }),
  ...(terms.trail != null && { trail: terms.trail }),
})

/** A broker's report; it may be late, repeated, or out of order. */
export interface OrderReport extends OrderShape {
  brokerOrderId: string
  clientOrderId: string
  status: OrderStatus
  /** Shares, cumulative over all fills. */
  filledQuantity: Decimal
  /** Dollars a share over all fills; null before. */
  avgFillPrice: Decimal | null
  reason: string | null
  submittedAt: string
  filledAt: string | null
  endedAt: string | null
  changedAt?: string
  /**
   * The broker's orders of this order, oldest first: each change makes another. The first may be missing. An OCO lists
   * its target's, then its stop's. Absent if never replaced.
   */
  links?: readonly OrderLink[]
  /** For an OCO the last change of either part; absent without one. */
  changedBy?: 'us' | 'others'
}

export interface OrderLink {
  brokerOrderId: string
  /** Shares. Brokers may include those of earlier links. */
  filledQuantity: Decimal
}

const partsOf = ({ orderType }: Pick<OrderReport, 'orderType'>): number => (orderType === 'oco' ? 2 : 1)

export const timesReplaced = (order: Pick<OrderReport, 'orderType'>, ids: number): number =>
  Math.max(0, ids - partsOf(order))

export const wasReplaced = (
  order: Pick<OrderReport, 'orderType' | 'links' | 'changedBy'>,
  ids: number = order.links?.length ?? 0,
): boolean => order.changedBy !== undefined || timesReplaced(order, ids) > 0

export const brokerIdsOf = ({ links, brokerOrderId }: OrderReport): string[] =>
  links ? [...new Set([...links.map((link) => link.brokerOrderId), brokerOrderId])] : [brokerOrderId]

export type AcknowledgedEnd = Pick<OrderReport, 'clientOrderId' | 'filledQuantity'>

export type OrderRole = 'entry' | 'exit'

/** timed: at its time. plan: levels at the broker. target: watched here. Exits share one count of generations. */
export type OrderPurpose = 'entry' | 'timed' | 'plan' | 'target'

const PURPOSE_LETTERS = { entry: 'e', timed: 'x', plan: 'p', target: 't' } as const satisfies Record<
  OrderPurpose,
  string
>

/** A fill may follow a cancel. */
export const TERMINAL_STATUSES = [
  'FILLED',
  'CANCELLED',
  'REJECTED',
  'EXPIRED',
] as const satisfies OrderStatus[]

export const WORKING_STATUSES = ['PENDING', 'OPEN', 'PARTIALLY_FILLED'] as const satisfies OrderStatus[]

export const isTerminal = (status: OrderStatus): boolean =>
  (TERMINAL_STATUSES as readonly OrderStatus[]).includes(status)

export const isWorking = (status: OrderStatus): boolean => !isTerminal(status)

const CLIENT_ORDER_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([expt])([1-9]\d*)$/

/** `<signalId>-e<generation>`, `-x` timed, `-p` and `-t` of levels. Rises only after a definitive end of the last. */
export const clientOrderIdFor = (signalId: string, purpose: OrderPurpose, generation: number): string =>
  `${signalId}-${PURPOSE_LETTERS[purpose]}${generation}`

/** A signal has one entry order. */
export const entryIdFor = (signalId: string): string => clientOrderIdFor(signalId, 'entry', 1)

/** Null without a signal of ours. */
export function parseClientOrderId(
  clientOrderId: string,
): { signalId: string; role: OrderRole; purpose: OrderPurpose; generation: number } | null {
  const match = CLIENT_ORDER_ID.exec(clientOrderId)
  if (!match) return null
  const purposes = Object.keys(PURPOSE_LETTERS) as OrderPurpose[]
  const purpose = purposes.find((each) => PURPOSE_LETTERS[each] === match[2])!
  return {
    signalId: match[1]!,
    role: purpose === 'entry' ? 'entry' : 'exit',
    purpose,
    generation: Number(match[3]),
  }
}

export const isOurs = (clientOrderId: string): boolean => parseClientOrderId(clientOrderId) !== null

/** Milliseconds that a broker's clock may lag. */
const CLOCK_DIFFERENCE = 5_000

/**
 * Brokers have no gtd: the order is sent gtc and cancelled at `expiresAt`; a later cancel counts as an expiry. `now`:
 * the end if none is reported.
 */
export function asGoodTillDate(report: OrderReport, expiresAt: string | null, now: string): OrderReport {
  if (expiresAt === null) return report
  const end = Date.parse(report.endedAt ?? now) + CLOCK_DIFFERENCE
  const hasExpired = report.status === 'CANCELLED' && end >= Date.parse(expiresAt)
  return { ...report, timeInForce: 'gtd', status: hasExpired ? 'EXPIRED' : report.status }
}

export type OrderProgress = Pick<
  OrderReport,
  'status' | 'filledQuantity' | 'avgFillPrice' | 'reason' | 'filledAt' | 'endedAt'
>

const STAGE: Record<OrderStatus, number> = {
  PENDING: 0,
  OPEN: 1,
  PARTIALLY_FILLED: 2,
  REJECTED: 3,
  EXPIRED: 4,
  CANCELLED: 5,
  FILLED: 6,
}

/**
 * Null if the report adds nothing. Order of arrival and repetitions do not matter (FIX 4.4 appendix D: filled quantity
 * never decreases, a pending cancel does not hide a fill, a fill may follow a cancel).
 */
export function mergeReport(
  known: OrderProgress,
  report: OrderProgress,
  quantity: Decimal,
): OrderProgress | null {
  const moreFilled = compare(report.filledQuantity, known.filledQuantity) > 0
  const further = STAGE[report.status] > STAGE[known.status]
  if (!moreFilled && !further) return null
  const filled = moreFilled ? report : known
  const complete = compare(filled.filledQuantity, quantity) >= 0
  // The report with more fills is newer.
  const furthest = further || (moreFilled && report.status === known.status) ? report : known
  const filledAt = filled.filledAt ?? known.filledAt
  const status = complete
    ? 'FILLED'
    : isPositive(filled.filledQuantity) && !isTerminal(furthest.status)
      ? 'PARTIALLY_FILLED'
      : furthest.status
  return {
    status,
    filledQuantity: filled.filledQuantity,
    avgFillPrice: filled.avgFillPrice,
    reason: complete ? null : furthest.reason,
    filledAt,
    endedAt: status === 'FILLED' ? filledAt : furthest.endedAt,
  }
}
