import type { MarketPhase } from './market-phase.ts'
import { wouldMeet } from './opposite-orders.ts'
import { ENTRY_SIDE, isOpening, type SignalTerms } from './signal.ts'
import { nameOfOrder, type LiveOrder } from './symbol-book.ts'

type Entry = Pick<SignalTerms, 'action' | 'symbol' | 'orderType' | 'timeInForce' | 'limitPrice'>

/** What becomes of our own exits for which the broker would refuse an entry. */
export type StepAside =
  | { what: 'clear' }
  /** They are cancelled first, and placed again once the entry has ended. */
  | { what: 'cancel'; orders: LiveOrder[] }
  /** The entry may rest, and for as long the shares would have no order at the broker. */
  | { what: 'refused'; detail: string }

/**
 * Exits alone give way, and to an entry that trades or ends at once. Beside an order that is no exit the broker refuses it in any case.
 * @param phase null where it is not known
 */
export function stepAside(entry: Entry, working: readonly LiveOrder[], phase: MarketPhase | null): StepAside {
  const inTheWay = exitsInTheWay(entry, working)
  if (inTheWay.length === 0) return { what: 'clear' }
  const isForAuction = inTheWay.some(({ timeInForce }) => timeInForce === 'cls' || timeInForce === 'opg')
  if (endsAtOnce(entry, phase) && !isForAuction) return { what: 'cancel', orders: inTheWay }
  const isOne = inTheWay.length === 1 && inTheWay[0]!.orderType !== 'oco'
  const names = inTheWay.map(nameOfOrder).join(', ')
  const can = isForAuction
    ? 'An order for the auction is not called back, because the broker may take no other before it'
    : `${isOne ? 'It is' : 'They are'} called back only for an entry that trades or ends at once: send it at market while the market is open, or with timeInForce ioc or fok`
  return {
    what: 'refused',
    detail: `Your own ${kindsOf(inTheWay)} of ${entry.symbol} ${isOne ? 'is' : 'are'} in the way: ${names}. ${can}`,
  }
}

/** None where another order of ours is in the way too. */
export function exitsInTheWay(entry: Entry, working: readonly LiveOrder[]): LiveOrder[] {
  if (!isOpening(entry.action)) return []
  const order = { side: ENTRY_SIDE[entry.action], limitPrice: entry.limitPrice }
  const met = working.filter((other) => wouldMeet(order, other))
  return met.every(({ role }) => role === 'exit') ? met : []
}

const endsAtOnce = ({ orderType, timeInForce }: Entry, phase: MarketPhase | null): boolean =>
  timeInForce === 'ioc' ||
  timeInForce === 'fok' ||
  (orderType === 'market' && timeInForce !== 'opg' && timeInForce !== 'cls' && phase === 'regular')

const EXIT_KINDS: Partial<Record<LiveOrder['orderType'], string>> = {
  oco: 'stop and target',
  limit: 'target',
}

const kindsOf = (orders: readonly LiveOrder[]): string => {
  const kinds = new Set(orders.map(({ orderType }) => EXIT_KINDS[orderType] ?? 'stop'))
  return kinds.size > 1 ? 'stop and target' : [...kinds][0]!
}
