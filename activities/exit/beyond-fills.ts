import { BrokerBusy, BrokerOutcomeUnknown, type BookedSplit, type Broker } from '#brokers/port.ts'
import { add, compare, divideDown, multiply, subtract, type Decimal, figure } from '#domain/money/decimal.ts'
import type { ExitTerms, ShownBeyond } from '#domain/exit/exit.ts'
import { isOurs, executionSide, type OrderSide } from '#domain/order/order.ts'
import {
  differenceInWords,
  type Shown,
  type LiveOrder,
  type SymbolState,
} from '#domain/position/symbol-state.ts'

const SPLITS_OF = 30

/** None where the broker cannot list splits. */
export async function recentSplits(broker: Broker, symbol: string, now: number): Promise<BookedSplit[]> {
  const from = new Date(now - SPLITS_OF * 86_400_000).toISOString().slice(0, 10)
  try {
    return await broker.listSplits(symbol, from)
  } catch (error) {
    if (error instanceof BrokerOutcomeUnknown || error instanceof BrokerBusy) return []
    throw error
  }
}

/** Brokers book the added shares, alone or beside the removed ones, or the new total. */
export function explainedBySplit(
  splits: readonly BookedSplit[],
  { shown, known, own }: { shown: Decimal; known: Decimal; own: Decimal },
): ShownBeyond['split'] {
  const days = Map.groupBy(splits, ({ date }) => date)
  for (const [date, parts] of [...days].toReversed()) {
    const came = parts.reduce<Decimal>((sum, { quantity }) => add(sum, quantity), '0')
    if (compare(came, subtract(shown, known)) === 0 || compare(came, shown) === 0)
      return { date, own: divideDown(multiply(own, shown), known, 9) }
  }
  return undefined
}

export function pricesOfBefore({ limitPrice, stopPrice }: ExitTerms): string {
  const prices = [limitPrice && `limit of ${figure(limitPrice)}`, stopPrice && `stop of ${figure(stopPrice)}`]
  const named = prices.filter(Boolean).join(' and ')
  return named && `Its ${named} may be from before`
}

export function beyondInWords(
  symbolState: SymbolState,
  shown: Shown,
  {
    symbol,
    own,
    rule,
    split,
  }: { symbol: string; own: Decimal; rule: ExitTerms; split: ShownBeyond['split'] },
): string {
  const prices = pricesOfBefore(rule)
  const named = prices === '' ? '' : `. ${prices}`
  const reason = split
    ? `The broker lists a split of ${symbol} on ${split.date}, which turns them into ${figure(split.own)}`
    : 'A split, a transfer, or a trade that is not listed yet may be the reason'
  return `${differenceInWords(symbolState, shown, symbol)}, ${figure(own)} of them this signal's. ${reason}${named}`
}

/** Foreign opposite orders, which we must not cancel. */
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
      // An order opposite to a closing one opens.
      side: executionSide(order.side) === 'BUY' ? 'BUY' : 'SELL_SHORT',
      signalId: null,
      role: 'manual',
      open: order.quantity,
      knownAt: order.submittedAt,
      reservedLots: [],
    }))
}
