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
  /** Null until the broker is known to have it. */
  brokerOrderId: string | null
  signalId: string | null
  role: LedgerRole
  open: Decimal
  /** UTC, when the ledger learned that the broker has it. */
  knownAt: string | null
  /** UTC; for an exit not known to be at the broker. */
  sizedAt?: string | null
  reservedLots: readonly OwnedShares[]
  /** Its owner chose the size, perhaps with shares of no signal. */
  isChosen?: true
}

export interface SymbolState {
  /** UTC, by the database's clock. */
  asOf: string
  shares: PositionShares
  /** UTC, when the newest execution or withdrawal became known. */
  changedAt: string | null
  live: readonly LiveOrder[]
  /** Executions by unknown orders: foreign, or ours before their record. */
  unattributed: readonly Execution['side'][]
  /** Signals with exits cancelled for a working order, and its id. */
  yielding: readonly { signalId: string; closer: string }[]
}

export const stillReserved = (
  { role, signalId, open }: Pick<LiveOrder, 'role' | 'signalId' | 'open'>,
  allotted: readonly OwnedShares[],
  filled: Decimal,
): OwnedShares[] => (role === 'exit' ? [{ owner: signalId, quantity: open }] : after(allotted, filled))

export const closings = (live: readonly LiveOrder[]): LiveOrder[] =>
  live.filter(({ side }) => isReducing(side))

export const claimsOf = (live: readonly LiveOrder[]): OwnedShares[] =>
  closings(live).flatMap(({ reservedLots }) => reservedLots)

/** Shares that a signal owns on the side that it sells or covers. */
export const ownedBy = (
  { shares }: Pick<SymbolState, 'shares'>,
  signalId: string | null,
  side: OrderSide,
): Decimal => (shares.side === (side === 'SELL' ? 'LONG' : 'SHORT') ? shares.of(signalId) : '0')

/**
 * Own shares that no other order will close: a resting exit's limit, because the broker may report another signal's
 * shares as free.
 */
export function unclaimedBy(
  symbolState: Pick<SymbolState, 'shares' | 'live'>,
  signalId: string,
  side: OrderSide,
): Decimal {
  const own = ownedBy(symbolState, signalId, side)
  const theirs = claimsOf(symbolState.live.filter((order) => order.signalId !== signalId))
    .filter(({ owner }) => owner === signalId)
    .reduce<Decimal>((sum, { quantity }) => add(sum, quantity), '0')
  return compare(own, theirs) > 0 ? subtract(own, theirs) : '0'
}

/**
 * True for an exit beyond its signal's shares: it would close others', so any other exit cancels it. Repeat it after an
 * execution that may not yet count ({@link isFresh}).
 */
export function isTooLarge(
  {
    role,
    open,
    signalId,
    side,
    isChosen,
  }: Pick<LiveOrder, 'role' | 'open' | 'signalId' | 'side' | 'isChosen'>,
  symbolState: Pick<SymbolState, 'shares'>,
): boolean {
  const own = ownedBy(symbolState, signalId, side)
  return role === 'exit' && compare(open, isChosen ? add(own, ownedBy(symbolState, null, side)) : own) > 0
}

/** Shares of closing orders newer than the broker's answer (requested after `asOf`). */
export const unseenBy = (live: readonly LiveOrder[], asOf: string): Decimal =>
  closings(live)
    .filter(({ knownAt }) => knownAt === null || knownAt >= asOf)
    .reduce<Decimal>((sum, { open }) => add(sum, open), '0')

/** Shares missing at the broker; zero or less if it shows all. */
export const missingAtBroker = (
  { shares }: Pick<SymbolState, 'shares'>,
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null,
): Decimal => {
  const held =
    position === null ? '0' : position.side === shares.side ? position.quantity : negate(position.quantity)
  return subtract(shares.quantity, held)
}

/** Orders whose trade would explain a part of the difference. */
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

/** True if it waits for a price, a time or an auction. */
export const rests = ({ orderType, timeInForce }: Pick<LiveOrder, 'orderType' | 'timeInForce'>): boolean =>
  timeInForce === 'cls' ||
  timeInForce === 'opg' ||
  (orderType !== 'market' && timeInForce !== 'ioc' && timeInForce !== 'fok')

/** Milliseconds, both by the database's clock: a worker's may differ. */
export const ageAt = ({ asOf }: Pick<SymbolState, 'asOf'>, instant: string): number =>
  Date.parse(asOf) - Date.parse(instant)

/** The broker's positions may lack the newest fill. */
export const isFresh = (
  symbolState: Pick<SymbolState, 'asOf' | 'changedAt'>,
  milliseconds: number,
): boolean => symbolState.changedAt !== null && ageAt(symbolState, symbolState.changedAt) < milliseconds

const FILLS_AT_ONCE_WITHIN_MS = 10_000

/** Cancellable: it rests, or has not filled at once, as in a closed market. */
export const isFrozen = (order: LiveOrder, symbolState: Pick<SymbolState, 'asOf'>): boolean =>
  order.brokerOrderId !== null &&
  (rests(order) || (order.knownAt !== null && ageAt(symbolState, order.knownAt) >= FILLS_AT_ONCE_WITHIN_MS))

/** True before a fill, or while it is unknown. */
export const mayFillNow = (order: LiveOrder, symbolState: Pick<SymbolState, 'asOf'>): boolean => {
  if (order.brokerOrderId !== null) return !isFrozen(order, symbolState)
  const { sizedAt = null } = order
  return sizedAt !== null && ageAt(symbolState, sizedAt) < FILLS_AT_ONCE_WITHIN_MS
}

/** Our order behind these fills: the broker can list them before the acceptance is recorded. */
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

// One answer never outweighs our executions: closes ask again, exits wait. Decision 7.

export type Shown = { side: 'LONG' | 'SHORT'; quantity: Decimal } | null

type Book = Pick<SymbolState, 'shares' | 'live' | 'asOf'>

const takersNow = (symbolState: Book): LiveOrder[] =>
  symbolState.live.filter((order) => isReducing(order.side) && mayFillNow(order, symbolState))

const openOf = (orders: readonly LiveOrder[]): Decimal =>
  orders.reduce<Decimal>((sum, { open }) => add(sum, open), '0')

/** Executed shares that the broker lacks and no order of ours can just have closed. */
export function unseenShares(symbolState: Book, shown: Shown): Decimal {
  const missing = missingAtBroker(symbolState, shown)
  return isPositive(missing) && compare(openOf(takersNow(symbolState)), missing) < 0 ? missing : '0'
}

const PARTS_OF_SLIGHT = '10'

/** Below one share and a tenth of the position: a reinvested dividend, not a split. */
export const isSlight = (difference: Decimal, held: Decimal): boolean =>
  compare(difference, '1') < 0 && compare(multiply(difference, PARTS_OF_SLIGHT), held) < 0

/**
 * Shares that the broker shows beyond the fills, or (negative) lacks, unexplained by our orders. A slight difference
 * delays no exit.
 */
export function unexplainedShares(symbolState: Book, shown: Shown): Decimal {
  const { shares, live } = symbolState
  if (shares.side === null || shown?.side !== shares.side) return '0'
  const beyond = negate(missingAtBroker(symbolState, shown))
  const opens = shares.side === 'LONG' ? 'BUY' : 'SELL'
  const traded = isPositive(beyond)
    ? live.filter(({ side }) => !isReducing(side) && executionSide(side) === opens)
    : takersNow(symbolState)
  const size = magnitude(beyond)
  if (compare(openOf(traded), size) >= 0) return '0'
  return isSlight(size, shares.quantity) ? '0' : beyond
}

export function differenceInWords(
  symbolState: Pick<SymbolState, 'shares'>,
  shown: Shown,
  symbol: string,
): string {
  const held = shown ? `${shown.side} ${figure(shown.quantity)}` : 'nothing'
  const { side, quantity } = symbolState.shares
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
