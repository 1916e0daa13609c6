import { add, compare, isPositive, magnitude, multiply, negate, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'
import { executionSide, isReducing } from './order.ts'
import { mayFillNow, notShown, type LiveOrder, type SymbolBook } from './symbol-book.ts'

/** No single answer is believed against our executions: closes ask again, exits stop. Decision 8. */

export type Shown = { side: 'LONG' | 'SHORT'; quantity: Decimal } | null

type Book = Pick<SymbolBook, 'shares' | 'live' | 'asOf'>

/** Orders that take shares now and are not recorded yet. */
const takersNow = (book: Book): LiveOrder[] =>
  book.live.filter((order) => isReducing(order.side) && mayFillNow(order, book))

const openOf = (orders: readonly LiveOrder[]): Decimal =>
  orders.reduce<Decimal>((sum, { open }) => add(sum, open), '0')

/** Shares of our executions that the broker does not show and no order of ours can have taken just now. */
export function unseenShares(book: Book, shown: Shown): Decimal {
  const missing = notShown(book, shown)
  return isPositive(missing) && compare(openOf(takersNow(book)), missing) < 0 ? missing : '0'
}

const PARTS_OF_SLIGHT = '10'

/** Below one share and a tenth of the position: a reinvested dividend, no split. */
export const isSlight = (difference: Decimal, held: Decimal): boolean =>
  compare(difference, '1') < 0 && compare(multiply(difference, PARTS_OF_SLIGHT), held) < 0

/**
 * Shares that the broker shows beyond the fills, or (negative) lacks, and that no order of ours explains. A slight
 * difference counts as none, not to hold an exit back.
 */
export function unexplainedShares(book: Book, shown: Shown): Decimal {
  const { shares, live } = book
  if (shares.side === null || shown?.side !== shares.side) return '0'
  const beyond = negate(notShown(book, shown))
  const opens = shares.side === 'LONG' ? 'BUY' : 'SELL'
  const traded = isPositive(beyond)
    ? live.filter(({ side }) => !isReducing(side) && executionSide(side) === opens)
    : takersNow(book)
  const size = magnitude(beyond)
  if (compare(openOf(traded), size) >= 0) return '0'
  return isSlight(size, shares.quantity) ? '0' : beyond
}

export function differenceInWords(book: Pick<SymbolBook, 'shares'>, shown: Shown, symbol: string): string {
  const held = shown ? `${shown.side} ${figure(shown.quantity)}` : 'nothing'
  const { side, quantity } = book.shares
  const known = side ? `${side} ${figure(quantity)} are` : 'nothing is'
  return `the broker shows ${held} of ${symbol} where ${known} held by the fills`
}
