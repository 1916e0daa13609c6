import type { Account, Quote, Signal } from '#client/types.ts'
import { number, wholeMoney } from '../words/figures.ts'
import { isByPosition } from '../words/signal.ts'

/** Approximate dollars of a signal's order; null where unknown. */
function worthOf(
  signal: Signal,
  account: Account | undefined,
  quote: Quote | undefined,
  checked: number | null,
): number | null {
  const { quantity, quantityType, limitPrice, stopPrice } = signal
  // Only the check knows this order.
  if (isByPosition(signal)) return checked
  if (quantityType === 'dollarAmount') return quantity
  if (quantityType === 'percentEquity') return account ? (account.equity * quantity) / 100 : null
  if (quantityType !== 'fixed') return null
  const price = limitPrice ?? quote?.last ?? stopPrice
  return price === null || price === undefined ? null : quantity * price
}

/**
 * Total of a selection: "5 orders, about $4,200 and 1 of unknown value".
 *
 * @param costOf dollars in a signal's last check, by id
 */
export function totalOf(
  signals: readonly Signal[],
  accounts: ReadonlyMap<string, Account>,
  prices: ReadonlyMap<string, Quote>,
  costOf: (id: string) => number | null = () => null,
): string {
  const worths = signals.map((each) =>
    worthOf(each, accounts.get(each.accountId), prices.get(each.symbol), costOf(each.id)),
  )
  const known = worths.filter((worth) => worth !== null)
  const orders = signals.length === 1 ? '1 order' : `${number(signals.length)} orders`
  if (known.length === 0) return orders
  const unknown = worths.length - known.length
  const sum = known.reduce((all, worth) => all + worth, 0)
  return `${orders}, about ${wholeMoney(sum)}${unknown === 0 ? '' : ` and ${unknown} of unknown value`}`
}
