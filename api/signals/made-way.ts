import type { Signal } from '#db/entities/index.ts'
import { costOfShare } from '#domain/buying-power.ts'
import { add, multiply, subtract } from '#domain/decimal.ts'
import type { EntryMarket } from '#domain/entry-check.ts'
import { clientOrderIdFor, isReducing } from '#domain/order.ts'
import type { SymbolBook } from '#domain/symbol-book.ts'

export const bookWithout = (replaced: Signal | null, book: SymbolBook): SymbolBook =>
  replaced === null ? book : { ...book, live: book.live.filter(({ signalId }) => signalId !== replaced.id) }

export function marketWithout(replaced: Signal | null, market: EntryMarket): EntryMarket {
  const { funds, orderCosts } = market
  const openOrders = market.openOrders ?? []
  const held =
    replaced &&
    openOrders.find(({ clientOrderId }) => clientOrderId === clientOrderIdFor(replaced.id, 'entry', 1))
  if (!held) return market
  const left = openOrders.filter((order) => order !== held)
  if (funds === null || isReducing(held.side)) return { ...market, openOrders: left }
  // Of a short sale in another symbol the ask is not known; it holds about its limit.
  const cost = costOfShare(held, null, orderCosts) ?? held.limitPrice ?? '0'
  const freed = multiply(subtract(held.quantity, held.filledQuantity), cost)
  return { ...market, openOrders: left, funds: { ...funds, buyingPower: add(funds.buyingPower, freed) } }
}
