import type { Broker } from '#brokers/port.ts'
import type { Decimal } from '#domain/decimal.ts'
import { figure } from '#domain/figures.ts'
import type { ExitRule } from '#domain/exit.ts'
import { isOurs } from '#domain/manual-order.ts'
import { executionSide, type OrderSide } from '#domain/order.ts'
import { differenceInWords, type Shown } from '#domain/shown-position.ts'
import type { LiveOrder, SymbolBook } from '#domain/symbol-book.ts'

/** Why an exit stops while the broker shows shares that nothing explains, in words. */
export function beyondInWords(
  book: SymbolBook,
  shown: Shown,
  { symbol, own, rule }: { symbol: string; own: Decimal; rule: ExitRule },
): string {
  const prices = [
    rule.limitPrice && `limit of ${figure(rule.limitPrice)}`,
    rule.stopPrice && `stop of ${figure(rule.stopPrice)}`,
  ]
    .filter(Boolean)
    .join(' and ')
  const named = prices === '' ? '' : `, and its ${prices} may be of before`
  return `${differenceInWords(book, shown, symbol)}, ${figure(own)} of them this signal's. A split, a transfer, or a purchase that is not listed yet may be the reason${named}: its owner chooses how many shares it sells`
}

/**
 * The open orders that were not placed here and work on the other side of an exit, as far as the broker shows them. They have no
 * owner, and cannot be cancelled here.
 */
export async function foreignOpposite(broker: Broker, symbol: string, side: OrderSide): Promise<LiveOrder[]> {
  const open = await broker.listOrders({ status: 'open' })
  return open
    .filter(
      (order) =>
        order.symbol === symbol &&
        !isOurs(order.clientOrderId) &&
        executionSide(order.side) !== executionSide(side),
    )
    .map((order) => ({
      ...order,
      // On the other side of an order that closes, it opens.
      side: executionSide(order.side) === 'BUY' ? 'BUY' : 'SELL_SHORT',
      signalId: null,
      role: 'manual',
      open: order.quantity,
      knownAt: order.submittedAt,
      takes: [],
    }))
}
