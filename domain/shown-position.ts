import { add, compare, isPositive, multiply, negate, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'
import { executionSide, isReducing } from './order.ts'
import { mayFillNow, notShown, type LiveOrder, type SymbolBook } from './symbol-book.ts'

/**
 * The one judgement of the position that a broker shows against the one that our executions add up to. No single answer of a
 * broker is believed against them: whoever closes a position asks again while shares are not shown, and an exit stops while
 * more are shown than anything explains. `docs/decisions/0008-position-ownership.md` gives the reasons.
 */

/** A position as the broker shows it; null when it shows none. */
export type Shown = { side: 'LONG' | 'SHORT'; quantity: Decimal } | null

type Book = Pick<SymbolBook, 'shares' | 'live' | 'asOf'>

/** Orders of ours that are about to take shares, or have taken them, and are not recorded yet. */
const takersNow = (book: Book): LiveOrder[] =>
  book.live.filter((order) => isReducing(order.side) && mayFillNow(order, book))

const openOf = (orders: readonly LiveOrder[]): Decimal =>
  orders.reduce<Decimal>((sum, { open }) => add(sum, open), '0')

/**
 * Shares that our executions know of, and the broker does not show, although no order of ours can have taken them just now;
 * zero when there are none.
 */
export function unseenShares(book: Book, shown: Shown): Decimal {
  const missing = notShown(book, shown)
  return isPositive(missing) && compare(openOf(takersNow(book)), missing) < 0 ? missing : '0'
}

/** A difference below one of so many parts of the position is none of a split: a dividend that was reinvested. */
const PARTS_OF_SLIGHT = '10'

/**
 * Shares that the broker shows beyond our executions, and no order of ours that opens can have bought; zero when there are none.
 * Fewer than one share, and less than a tenth of the position, count as none: a dividend that was reinvested keeps no exit in.
 */
export function sharesBeyond(book: Book, shown: Shown): Decimal {
  const { shares, live } = book
  if (shares.side === null || shown?.side !== shares.side) return '0'
  const beyond = negate(notShown(book, shown))
  if (!isPositive(beyond)) return '0'
  const opens = shares.side === 'LONG' ? 'BUY' : 'SELL'
  const buyers = live.filter(({ side }) => !isReducing(side) && executionSide(side) === opens)
  if (compare(openOf(buyers), beyond) >= 0) return '0'
  const isSlight = compare(beyond, '1') < 0 && compare(multiply(beyond, PARTS_OF_SLIGHT), shares.quantity) < 0
  return isSlight ? '0' : beyond
}

/** The position by the broker and by our executions, in words. */
export function differenceInWords(book: Pick<SymbolBook, 'shares'>, shown: Shown, symbol: string): string {
  const held = shown ? `${shown.side} ${figure(shown.quantity)}` : 'nothing'
  const { side, quantity } = book.shares
  const known = side ? `${side} ${figure(quantity)} are` : 'nothing is'
  return `the broker shows ${held} of ${symbol} where ${known} held by the fills`
}
