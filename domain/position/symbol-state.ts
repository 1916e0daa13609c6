import { after, type OwnedShares, type PositionShares } from './ownership.ts'
import {
  add,
  compare,
  isPositive,
  isZero,
  negate,
  subtract,
  type Decimal,
  magnitude,
  multiply,
  figure,
} from '../money/decimal.ts'
import type { Execution } from '../order/fill.ts'
import type { LedgerRole } from '../signal/by-hand.ts'
import { executionSide, isReducing, type OrderRequest, type OrderSide } from '../order/order.ts'
import { pricedInWords } from '../order/price-words.ts'

export interface LiveOrder extends Omit<OrderRequest, 'quantity' | 'extendedHours'> {
  /** Null while the broker is not known to have it. */
  brokerOrderId: string | null
  signalId: string | null
  role: LedgerRole
  open: Decimal
  /** The instant from which the ledger knows that the broker has it; UTC. */
  knownAt: string | null
  /** Set for an exit that the broker is not known to have; UTC. */
  sizedAt?: string | null
  takes: readonly OwnedShares[]
  /** An exit whose owner chose its size: it may include shares of no signal. */
  isChosen?: true
}

export interface SymbolState {
  /** By the database's clock; UTC. */
  asOf: string
  shares: PositionShares
  /** The instant when the newest execution, or its withdrawal, became known; UTC. */
  changedAt: string | null
  live: readonly LiveOrder[]
  /** Sides of executions by orders unknown to the ledger: foreign ones, or ours before they are recorded. */
  unattributed: readonly Execution['side'][]
  /** Signals whose exit orders were cancelled for a working order, with its client order id. */
  yielding: readonly { signalId: string; closer: string }[]
}

export const stillTakes = (
  { role, signalId, open }: Pick<LiveOrder, 'role' | 'signalId' | 'open'>,
  allotted: readonly OwnedShares[],
  filled: Decimal,
): OwnedShares[] => (role === 'exit' ? [{ owner: signalId, quantity: open }] : after(allotted, filled))

export const closings = (live: readonly LiveOrder[]): LiveOrder[] =>
  live.filter(({ side }) => isReducing(side))

export const claimsOf = (live: readonly LiveOrder[]): OwnedShares[] =>
  closings(live).flatMap(({ takes }) => takes)

/** Shares that a signal owns on the side that it sells or covers. */
export const ownedBy = (
  { shares }: Pick<SymbolState, 'shares'>,
  signalId: string | null,
  side: OrderSide,
): Decimal => (shares.side === (side === 'SELL' ? 'LONG' : 'SHORT') ? shares.of(signalId) : '0')

/**
 * Own shares that no other order will close: the limit of an exit resting at the broker, which may report another
 * signal's shares as free.
 */
export function unclaimedBy(
  book: Pick<SymbolState, 'shares' | 'live'>,
  signalId: string,
  side: OrderSide,
): Decimal {
  const own = ownedBy(book, signalId, side)
  const theirs = claimsOf(book.live.filter((order) => order.signalId !== signalId))
    .filter(({ owner }) => owner === signalId)
    .reduce<Decimal>((sum, { quantity }) => add(sum, quantity), '0')
  return compare(own, theirs) > 0 ? subtract(own, theirs) : '0'
}

/**
 * True for an exit order for more than its signal owns: it would close shares of others, so it is cancelled for any
 * other exit. Repeat the check right after an execution that may not yet be counted for its order ({@link isFresh}).
 */
export function isTooLarge(
  {
    role,
    open,
    signalId,
    side,
    isChosen,
  }: Pick<LiveOrder, 'role' | 'open' | 'signalId' | 'side' | 'isChosen'>,
  book: Pick<SymbolState, 'shares'>,
): boolean {
  const own = ownedBy(book, signalId, side)
  return role === 'exit' && compare(open, isChosen ? add(own, ownedBy(book, null, side)) : own) > 0
}

/** Shares of live closing orders that the broker's answer (requested after `asOf`) cannot have counted. */
export const unseenBy = (live: readonly LiveOrder[], asOf: string): Decimal =>
  closings(live)
    .filter(({ knownAt }) => knownAt === null || knownAt >= asOf)
    .reduce<Decimal>((sum, { open }) => add(sum, open), '0')

/** Shares of the ledger that the broker does not show; zero or less if it shows them all. */
export const missingAtBroker = (
  { shares }: Pick<SymbolState, 'shares'>,
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null,
): Decimal => {
  const held =
    position === null ? '0' : position.side === shares.side ? position.quantity : negate(position.quantity)
  return subtract(shares.quantity, held)
}

/** Orders that would explain at least a part of the broker's difference, had they traded. */
export function explainedBy(
  { shares, live }: Pick<SymbolState, 'shares' | 'live'>,
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null,
): LiveOrder[] {
  const difference = subtract(signed(position), signed(shares))
  const side = isPositive(difference) ? 'BUY' : 'SELL'
  return isZero(difference) ? [] : live.filter((order) => executionSide(order.side) === side)
}

const signed = (position: { side: 'LONG' | 'SHORT' | null; quantity: Decimal } | null): Decimal =>
  position === null ? '0' : position.side === 'SHORT' ? negate(position.quantity) : position.quantity

/**
 * True for an order that waits at the broker for a price, a time or an auction; others fill or end at once in an open
 * market.
 */
export const rests = ({ orderType, timeInForce }: Pick<LiveOrder, 'orderType' | 'timeInForce'>): boolean =>
  timeInForce === 'cls' ||
  timeInForce === 'opg' ||
  (orderType !== 'market' && timeInForce !== 'ioc' && timeInForce !== 'fok')

/** Milliseconds since an instant of the ledger, both by the database's clock: a worker's may differ. */
export const ageAt = ({ asOf }: Pick<SymbolState, 'asOf'>, instant: string): number =>
  Date.parse(asOf) - Date.parse(instant)

/** The newest fill is so young that the broker's positions may lack it. */
export const isFresh = (book: Pick<SymbolState, 'asOf' | 'changedAt'>, milliseconds: number): boolean =>
  book.changedAt !== null && ageAt(book, book.changedAt) < milliseconds

const FILLS_AT_ONCE_WITHIN_MS = 10_000

/** The order can be cancelled: it rests, or has not filled at once, as a market order in a closed market. */
export const standsStill = (order: LiveOrder, book: Pick<SymbolState, 'asOf'>): boolean =>
  order.brokerOrderId !== null &&
  (rests(order) || (order.knownAt !== null && ageAt(book, order.knownAt) >= FILLS_AT_ONCE_WITHIN_MS))

/** The order is about to fill, or its fill is not yet known; by its size if the broker is not known to have it. */
export const mayFillNow = (order: LiveOrder, book: Pick<SymbolState, 'asOf'>): boolean => {
  if (order.brokerOrderId !== null) return !standsStill(order, book)
  const { sizedAt = null } = order
  return sizedAt !== null && ageAt(book, sizedAt) < FILLS_AT_ONCE_WITHIN_MS
}

/** Our order that may have made these fills: the broker can list them before the acceptance is recorded. */
export const mayBeTakenForForeign = (
  { live, unattributed }: Pick<SymbolState, 'live' | 'unattributed'>,
  side: Execution['side'],
  signalId: string,
): LiveOrder | undefined =>
  unattributed.includes(side)
    ? live.find(
        (order) =>
          order.brokerOrderId === null && order.signalId !== signalId && executionSide(order.side) === side,
      )
    : undefined

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

/** The youngest closing orders whose end frees the missing shares. */
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

// A single answer of the broker never outweighs our executions: closes ask again, exits wait. Decision 7.

export type Shown = { side: 'LONG' | 'SHORT'; quantity: Decimal } | null

type Book = Pick<SymbolState, 'shares' | 'live' | 'asOf'>

/** Orders that may be filling, with fills not yet recorded. */
const takersNow = (book: Book): LiveOrder[] =>
  book.live.filter((order) => isReducing(order.side) && mayFillNow(order, book))

const openOf = (orders: readonly LiveOrder[]): Decimal =>
  orders.reduce<Decimal>((sum, { open }) => add(sum, open), '0')

/** Shares of our executions that the broker does not show and no order of ours can just have closed. */
export function unseenShares(book: Book, shown: Shown): Decimal {
  const missing = missingAtBroker(book, shown)
  return isPositive(missing) && compare(openOf(takersNow(book)), missing) < 0 ? missing : '0'
}

const PARTS_OF_SLIGHT = '10'

/** Less than one share and a tenth of the position: a reinvested dividend, not a split. */
export const isSlight = (difference: Decimal, held: Decimal): boolean =>
  compare(difference, '1') < 0 && compare(multiply(difference, PARTS_OF_SLIGHT), held) < 0

/**
 * Shares that the broker shows beyond the fills, or (negative) lacks, and no order of ours explains. A slight
 * difference counts as none, so it does not delay an exit.
 */
export function unexplainedShares(book: Book, shown: Shown): Decimal {
  const { shares, live } = book
  if (shares.side === null || shown?.side !== shares.side) return '0'
  const beyond = negate(missingAtBroker(book, shown))
  const opens = shares.side === 'LONG' ? 'BUY' : 'SELL'
  const traded = isPositive(beyond)
    ? live.filter(({ side }) => !isReducing(side) && executionSide(side) === opens)
    : takersNow(book)
  const size = magnitude(beyond)
  if (compare(openOf(traded), size) >= 0) return '0'
  return isSlight(size, shares.quantity) ? '0' : beyond
}

export function differenceInWords(book: Pick<SymbolState, 'shares'>, shown: Shown, symbol: string): string {
  const held = shown ? `${shown.side} ${figure(shown.quantity)}` : 'nothing'
  const { side, quantity } = book.shares
  const known = side ? `${side} ${figure(quantity)} are` : 'nothing is'
  return `the broker shows ${held} of ${symbol} where ${known} held by the fills`
}

export interface HeldPosition {
  symbol: string
  side: 'LONG' | 'SHORT'
  /** Shares, always positive. */
  quantity: Decimal
  avgCost: Decimal
  currentPrice: Decimal
  marketValue: Decimal
  unrealisedPnl: Decimal
  unrealisedPnlPercent: Decimal
  dayChange: Decimal | null
  dayChangePercent: Decimal | null
}
