import { compare, isPositive, type Decimal } from './decimal.ts'
import type { Distance } from './protection.ts'

export const ORDER_STATUSES = [
  'PENDING',
  'OPEN',
  'PARTIALLY_FILLED',
  'FILLED',
  'CANCELLED',
  'REJECTED',
  'EXPIRED',
] as const
/** Where an order stands; specification 3.1. */
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export const ORDER_SIDES = ['BUY', 'SELL', 'BUY_TO_COVER', 'SELL_SHORT'] as const
/** BUY opens a long, SELL closes it, SELL_SHORT opens a short, BUY_TO_COVER closes it. */
export type OrderSide = (typeof ORDER_SIDES)[number]

/** What an order of each side does, as people say it. */
export const SIDE_VERBS: Readonly<Record<OrderSide, string>> = {
  BUY: 'Buy',
  SELL: 'Sell',
  BUY_TO_COVER: 'Buy to cover',
  SELL_SHORT: 'Sell short',
}

/** What an order of each side did that has filled. */
export const SIDE_DONE: Readonly<Record<OrderSide, string>> = {
  BUY: 'Bought',
  SELL: 'Sold',
  BUY_TO_COVER: 'Bought to cover',
  SELL_SHORT: 'Sold short',
}

/** The order takes from a position instead of adding to one. */
export const isReducing = (side: OrderSide): boolean => side === 'SELL' || side === 'BUY_TO_COVER'

/** The side on which an order of this side trades, as executions tell it. */
export const executionSide = (side: OrderSide): 'BUY' | 'SELL' =>
  side === 'BUY' || side === 'BUY_TO_COVER' ? 'BUY' : 'SELL'

export const ORDER_TYPES = ['market', 'limit', 'stop', 'stopLimit'] as const
export type OrderType = (typeof ORDER_TYPES)[number]

/** Orders of exit plans, which nobody places as an entry: a target and a stop, one of which cancels the other; and a stop that follows the price. */
export const PROTECTIVE_ORDER_TYPES = ['oco', 'trailingStop'] as const
/** The type of any order that we send. */
export type AnyOrderType = OrderType | (typeof PROTECTIVE_ORDER_TYPES)[number]

/** Whether an order of the type has a limit price; `moc`, a type of exits, has neither price. */
export const hasLimitPrice = (type: AnyOrderType | 'moc'): boolean =>
  type === 'limit' || type === 'stopLimit' || type === 'oco'
/** Whether an order of the type has a stop price. */
export const hasStopPrice = (type: AnyOrderType | 'moc'): boolean =>
  type === 'stop' || type === 'stopLimit' || type === 'oco'

export const TIMES_IN_FORCE = ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok', 'gtd'] as const
/** day and gtc rest, ioc and fok do not, opg and cls belong to an auction, gtd rests until `expiresAt`. */
export type TimeInForce = (typeof TIMES_IN_FORCE)[number]

/** How an order is to trade, whoever asks for it and whatever its size. */
export interface OrderTerms {
  symbol: string
  orderType: OrderType
  /** Dollars a share; set exactly for limit and stopLimit. */
  limitPrice: Decimal | null
  /** Dollars a share; set exactly for stop and stopLimit. */
  stopPrice: Decimal | null
  timeInForce: TimeInForce
  extendedHours: boolean
}

/** Whether an order is usually filled as soon as the broker has it: at market, and not for an auction. */
export const fillsAtOnce = ({
  orderType,
  timeInForce,
}: Pick<SentTerms, 'orderType' | 'timeInForce'>): boolean =>
  orderType === 'market' && timeInForce !== 'opg' && timeInForce !== 'cls'

/** As {@link OrderTerms}, of any order that we send. */
export interface SentTerms extends Omit<OrderTerms, 'orderType'> {
  orderType: AnyOrderType
  /** Limit of the stop of an oco, in dollars a share; left out where it trades at market. */
  stopLimitPrice?: Decimal | null
  /** Of a trailing stop. */
  trail?: Distance | null
}

/** An order with its side and size. */
export interface OrderShape extends SentTerms {
  side: OrderSide
  /** Shares. */
  quantity: Decimal
}

/** An order as we ask a broker for it. Frozen before it is sent; every retry sends the same one. */
export interface OrderRequest extends OrderShape {
  /** Unique for ever at the broker, at most 48 characters; what makes a repeated submission harmless. */
  clientOrderId: string
}

/** An order that is decided, and how long it may be sent. */
export interface OrderToSend {
  request: OrderRequest
  /** UTC instant past which it is not sent any more; null for an order that is never too old. */
  sendBefore: string | null
  /** When the broker got it, where the ledger knows that it has it: it is looked up first. UTC instant. */
  sentAt?: string
}

/** The order to be sent for these terms, once its side and size (in shares) are decided. */
export const orderAsSent = (terms: SentTerms, side: OrderSide, quantity: Decimal): OrderShape => ({
  symbol: terms.symbol,
  side,
  quantity,
  orderType: terms.orderType,
  limitPrice: terms.limitPrice,
  stopPrice: terms.stopPrice,
  // Good till date is kept by a timer of the workflow: the brokers here know only good till cancelled.
  timeInForce: terms.timeInForce === 'gtd' ? 'gtc' : terms.timeInForce,
  extendedHours: terms.extendedHours,
  ...(terms.stopLimitPrice != null && { stopLimitPrice: terms.stopLimitPrice }),
  ...(terms.trail != null && { trail: terms.trail }),
})

/** An order as a broker reports it at one moment. Reports may come late, twice, or out of order. */
export interface OrderReport extends OrderShape {
  brokerOrderId: string
  clientOrderId: string
  status: OrderStatus
  /** Shares, cumulative over all fills. */
  filledQuantity: Decimal
  /** Dollars a share over all fills; null until the first. */
  avgFillPrice: Decimal | null
  /** The broker's own words for a rejection, expiry or cancel, where it gives any. */
  reason: string | null
  /** UTC instants. */
  submittedAt: string
  /** Of the last fill; null until the first. */
  filledAt: string | null
  /** When the broker ended the order by fill, cancel, expiry or rejection; null while it works or where it does not say. */
  endedAt: string | null
  /** When the order last changed at the broker; left out where it does not say. */
  changedAt?: string
  /**
   * The orders at the broker that this one has been, up to the one that counts now: a broker makes another whenever an order is
   * changed. They may begin with the one that was asked for, and leave out those before. Of an oco those of the target come first,
   * then those of the stop, the one that counts now last. Left out for an order of one part that was never replaced.
   */
  links?: readonly OrderLink[]
  /** Who has asked for the last change of the order, of an oco for that of either part; left out for one that was never changed. */
  changedBy?: 'us' | 'others'
}

/** One of the orders at the broker that an order of ours has been. */
export interface OrderLink {
  brokerOrderId: string
  /** Shares that the broker says are filled of it. Brokers may count those of the links before as well. */
  filledQuantity: Decimal
}

/** Parts that an order consists of at its broker. */
const partsOf = ({ orderType }: Pick<OrderReport, 'orderType'>): number => (orderType === 'oco' ? 2 : 1)

/** How often an order was replaced at its broker, where it has had so many ids. */
export const timesReplaced = (order: Pick<OrderReport, 'orderType'>, ids: number): number =>
  Math.max(0, ids - partsOf(order))

/** Whether the order is known to have been changed at its broker, by so many ids that it has had there. */
export const wasReplaced = (
  order: Pick<OrderReport, 'orderType' | 'links' | 'changedBy'>,
  ids: number = order.links?.length ?? 0,
): boolean => order.changedBy !== undefined || timesReplaced(order, ids) > 0

/** The broker's ids that a report names for its order. */
export const brokerIdsOf = ({ links, brokerOrderId }: OrderReport): string[] =>
  links ? [...new Set([...links.map((link) => link.brokerOrderId), brokerOrderId])] : [brokerOrderId]

/** An acknowledgement of an order's end: the workflow knows it, and the quantity that was filled by then. */
export type AcknowledgedEnd = Pick<OrderReport, 'clientOrderId' | 'filledQuantity'>

/**
 * Whose an order is: that of a signal, which keeps its state, timeline and workflow, or a manual one, which has its own;
 * `orderId` is our id of it.
 */
export type OrderOwner = { signalId: string; orderId?: undefined } | { orderId: string; signalId?: undefined }

/** The part of an order in its signal. */
export type OrderRole = 'entry' | 'exit'

/**
 * What an order of a signal is for. timed: the exit at its time. plan: the order of its exit plan that lies at the broker. target: the
 * target of the plan, which was watched here. All but the entry are exits, and share one count of generations.
 */
export type OrderPurpose = 'entry' | 'timed' | 'plan' | 'target'

const PURPOSE_LETTERS = { entry: 'e', timed: 'x', plan: 'p', target: 't' } as const satisfies Record<
  OrderPurpose,
  string
>

/** Nothing more is expected of an order in one of these, although a late fill of a cancelled one can still arrive. */
export const TERMINAL_STATUSES = [
  'FILLED',
  'CANCELLED',
  'REJECTED',
  'EXPIRED',
] as const satisfies OrderStatus[]

/** An order in one of these can still trade or be cancelled at the broker. */
export const WORKING_STATUSES = ['PENDING', 'OPEN', 'PARTIALLY_FILLED'] as const satisfies OrderStatus[]

/** Nothing more is expected of the order; see {@link TERMINAL_STATUSES}. */
export const isTerminal = (status: OrderStatus): boolean =>
  (TERMINAL_STATUSES as readonly OrderStatus[]).includes(status)

/** The order can still trade or be cancelled at the broker. */
export const isWorking = (status: OrderStatus): boolean => !isTerminal(status)

const CLIENT_ORDER_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([expt])([1-9]\d*)$/

/**
 * The client order id of a signal's order: `<signalId>-e<generation>` for an entry, `-x` for a timed exit, `-p` and `-t` for orders of
 * its exit plan. The generation rises only after the one before was definitively rejected or cancelled.
 */
export const clientOrderIdFor = (signalId: string, purpose: OrderPurpose, generation: number): string =>
  `${signalId}-${PURPOSE_LETTERS[purpose]}${generation}`

/** The inverse of {@link clientOrderIdFor}; null for an order that no signal of ours asked for. */
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

/** Milliseconds by which a broker's clock may be behind ours. */
const CLOCK_DIFFERENCE = 5_000

/**
 * What a broker's report says of an order that is good till a date. The brokers here know no such time in force: they
 * are sent gtc and asked to cancel the order at that instant, so one that is cancelled from then on has expired.
 *
 * @param expiresAt UTC instant; null for an order of any other time in force, of which the report stays as it is
 * @param now UTC instant; the order's end where the broker does not say it
 */
export function asGoodTillDate(report: OrderReport, expiresAt: string | null, now: string): OrderReport {
  if (expiresAt === null) return report
  const end = Date.parse(report.endedAt ?? now) + CLOCK_DIFFERENCE
  const hasExpired = report.status === 'CANCELLED' && end >= Date.parse(expiresAt)
  return { ...report, timeInForce: 'gtd', status: hasExpired ? 'EXPIRED' : report.status }
}

/** The part of an order's state that reports change. */
export type OrderProgress = Pick<
  OrderReport,
  'status' | 'filledQuantity' | 'avgFillPrice' | 'reason' | 'filledAt' | 'endedAt'
>

/** How far along the life of an order a status lies; reports that point backwards are stale. */
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
 * What is known of an order after one more report, in whatever order the reports come (FIX 4.4 appendix D:
 * filled quantity never decreases, a pending cancel does not hide a fill, a fill may follow a cancel).
 * Returns null when the report says nothing new. The result is the same for every order of arrival and for
 * repeated reports.
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
  // Of two reports of the same status the one that knows of more fills was written later.
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
