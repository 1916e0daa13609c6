import { after, type OwnedShares, type PositionShares } from './ownership.ts'
import { add, isPositive, isZero, negate, subtract, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'
import type { Execution } from './fill.ts'
import { executionSide, isReducing, type OrderRequest, type OrderRole } from './order.ts'
import { pricedInWords } from './order-words.ts'

/** An order of ours that is decided and not known to be over: it may still trade. */
export interface LiveOrder extends Omit<OrderRequest, 'quantity' | 'extendedHours'> {
  /** Null while the broker is not known to have it. */
  brokerOrderId: string | null
  /** Null for a manual order. */
  signalId: string | null
  role: OrderRole | 'manual'
  /** Shares that may still be filled. */
  open: Decimal
  /** Since when the ledger knows that the broker has it; UTC instant. Null while the broker is not known to. */
  knownAt: string | null
  /** When it was sized, of an exit that the broker is not known to have; UTC instant. Null of others. */
  sizedAt?: string | null
  /** The shares that it is still to take from a position; empty for an order that opens. */
  takes: readonly OwnedShares[]
}

/** State of one account and symbol in the ledger. */
export interface SymbolBook {
  /** When it was read, by the database's clock; UTC instant. */
  asOf: string
  shares: PositionShares
  /** When the newest execution became known, or one was taken back; UTC instant, null when there was none. */
  changedAt: string | null
  live: readonly LiveOrder[]
  /** Sides of executions by orders that the ledger does not know: foreign ones, or ours before they are recorded. */
  unattributed: readonly Execution['side'][]
  /** Signals whose exit orders were cancelled for an order that has not ended, with its client order id. */
  yielding: readonly { signalId: string; closer: string }[]
}

/** Shares that an order is still to take, from its allotment and its filled quantity. */
export const stillTakes = (
  { role, signalId, open }: Pick<LiveOrder, 'role' | 'signalId' | 'open'>,
  allotted: readonly OwnedShares[],
  filled: Decimal,
): OwnedShares[] => (role === 'exit' ? [{ owner: signalId, quantity: open }] : after(allotted, filled))

/** Orders that take from a position. */
export const closings = (live: readonly LiveOrder[]): LiveOrder[] =>
  live.filter(({ side }) => isReducing(side))

/** The shares that live orders are to take. */
export const claimsOf = (live: readonly LiveOrder[]): OwnedShares[] =>
  closings(live).flatMap(({ takes }) => takes)

/**
 * Shares that live closing orders are about to take, and that the broker cannot have counted as held when it was asked.
 *
 * @param asOf the instant before which the broker was asked for the position
 */
export const unseenBy = (live: readonly LiveOrder[], asOf: string): Decimal =>
  closings(live)
    .filter(({ knownAt }) => knownAt === null || knownAt >= asOf)
    .reduce<Decimal>((sum, { open }) => add(sum, open), '0')

/** Shares that the ledger knows of and the broker does not show; zero or less when it shows them all. */
export const notShown = (
  { shares }: Pick<SymbolBook, 'shares'>,
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null,
): Decimal => {
  const held =
    position === null ? '0' : position.side === shares.side ? position.quantity : negate(position.quantity)
  return subtract(shares.quantity, held)
}

/**
 * Our orders that may be the reason why the broker shows another position than the fills add up to, should they have traded:
 * those on the side that changes it so. They may explain a part of the difference only.
 */
export function explaining(
  { shares, live }: Pick<SymbolBook, 'shares' | 'live'>,
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null,
): LiveOrder[] {
  const difference = subtract(signed(position), signed(shares))
  const side = isPositive(difference) ? 'BUY' : 'SELL'
  return isZero(difference) ? [] : live.filter((order) => executionSide(order.side) === side)
}

/** The shares of a position; below zero for a short one. */
const signed = (position: { side: 'LONG' | 'SHORT' | null; quantity: Decimal } | null): Decimal =>
  position === null ? '0' : position.side === 'SHORT' ? negate(position.quantity) : position.quantity

/**
 * Whether the order waits at the broker for a price, a time or an auction. Others fill or end at once, as long as the
 * market is open.
 */
export const rests = ({ orderType, timeInForce }: Pick<LiveOrder, 'orderType' | 'timeInForce'>): boolean =>
  timeInForce === 'cls' ||
  timeInForce === 'opg' ||
  (orderType !== 'market' && timeInForce !== 'ioc' && timeInForce !== 'fok')

/**
 * Milliseconds since an instant of the ledger, when the book was read. Both are of the database's clock: that of a worker may
 * be another, and makes an age of nothing.
 */
export const ageAt = ({ asOf }: Pick<SymbolBook, 'asOf'>, instant: string): number =>
  Date.parse(asOf) - Date.parse(instant)

/** Whether the newest fill is younger than so many milliseconds, so that the broker's positions may not show it. */
export const isFresh = (book: Pick<SymbolBook, 'asOf' | 'changedAt'>, milliseconds: number): boolean =>
  book.changedAt !== null && ageAt(book, book.changedAt) < milliseconds

/** An order that fills at once does so within so many milliseconds of its acceptance. */
const FILLS_AT_ONCE_WITHIN_MS = 10_000

/**
 * Whether the broker has the order and it can be cancelled: it rests, or it has been there for so long that it does not
 * fill at once after all, as a market order does not while the market is closed.
 */
export const standsStill = (order: LiveOrder, book: Pick<SymbolBook, 'asOf'>): boolean =>
  order.brokerOrderId !== null &&
  (rests(order) || (order.knownAt !== null && ageAt(book, order.knownAt) >= FILLS_AT_ONCE_WITHIN_MS))

/**
 * Whether the order is so young that it is about to fill, or has, and the ledger does not know of that yet: since it was sized
 * where nobody knows whether the broker has it.
 */
export const mayFillNow = (order: LiveOrder, book: Pick<SymbolBook, 'asOf'>): boolean => {
  if (order.brokerOrderId !== null) return !standsStill(order, book)
  const { sizedAt = null } = order
  return sizedAt !== null && ageAt(book, sizedAt) < FILLS_AT_ONCE_WITHIN_MS
}

/**
 * The order of ours, other than the signal's own, that may have made executions which the ledger takes for those of a foreign
 * order: the broker can list what it traded before its acceptance is recorded. Undefined when there is none.
 */
export const mayBeTakenForForeign = (
  { live, unattributed }: Pick<SymbolBook, 'live' | 'unattributed'>,
  side: Execution['side'],
  signalId: string,
): LiveOrder | undefined =>
  unattributed.includes(side)
    ? live.find(
        (order) =>
          order.brokerOrderId === null && order.signalId !== signalId && executionSide(order.side) === side,
      )
    : undefined

/** An order in words, for messages. */
export const nameOfOrder = ({
  side,
  open,
  symbol,
  clientOrderId,
  ...prices
}: Pick<
  LiveOrder,
  'side' | 'open' | 'symbol' | 'orderType' | 'limitPrice' | 'stopPrice' | 'clientOrderId'
>): string => `${side} ${figure(open)} ${symbol} ${pricedInWords(prices)} (${clientOrderId})`

/** Of these closing orders, those that have to end so that so many more shares are free: the youngest first. */
export function blockingOrders(candidates: readonly LiveOrder[], missing: Decimal): LiveOrder[] {
  const chosen: LiveOrder[] = []
  let left = missing
  for (const order of candidates.toReversed()) {
    if (!isPositive(left)) break
    chosen.push(order)
    left = subtract(left, order.open)
  }
  return chosen
}
