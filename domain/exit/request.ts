import type { Decimal } from '../decimal.ts'
import { exitPurpose, type ExitReason, type ExitTerms } from '../exit.ts'
import { orderAsSent, type OrderRequest, type OrderSide } from '../order.ts'
import type { RestingOrder } from '../protection.ts'
import { EXIT_SIDE, isOpening, type SignalTerms } from '../signal.ts'

/** Null with an order that keeps no level. */
export function restingOf(reason: ExitReason, order: OrderRequest): RestingOrder | null {
  if (exitPurpose(reason) === 'timed') return null
  const { orderType, limitPrice, stopPrice, stopLimitPrice, trail, timeInForce } = order
  return {
    orderType: orderType as RestingOrder['orderType'],
    limitPrice,
    stopPrice,
    ...(stopLimitPrice != null && { stopLimitPrice }),
    ...(trail != null && { trail }),
    timeInForce: timeInForce as RestingOrder['timeInForce'],
  }
}

/** It can avoid an opposite order by a limit. */
export const isAtMarket = ({ orderType, timeInForce }: ExitTerms): boolean =>
  orderType === 'market' && timeInForce === 'day'

/** At a limit instead of at market, or at the owner's prices. */
export const atPrices = (
  rule: ExitTerms,
  { limitPrice, prices }: { limitPrice?: Decimal; prices?: Pick<ExitTerms, 'limitPrice' | 'stopPrice'> },
): ExitTerms =>
  limitPrice === undefined ? { ...rule, ...prices } : { ...rule, orderType: 'limit', limitPrice }

/** Throws for a signal that closes a position itself. */
export function exitSide({ action }: Pick<SignalTerms, 'action'>): OrderSide {
  if (!isOpening(action)) throw new TypeError(`a ${action} signal has no exit`)
  return EXIT_SIDE[action]
}

export const exitRequest = (
  { symbol, ...terms }: Pick<SignalTerms, 'symbol' | 'action'>,
  rule: ExitTerms,
  quantity: Decimal,
  clientOrderId: string,
): OrderRequest => ({
  clientOrderId,
  ...orderAsSent(
    {
      ...rule,
      symbol,
      // A market order for the closing auction is a market order with time in force cls.
      orderType: rule.orderType === 'moc' ? 'market' : rule.orderType,
      extendedHours: false,
    },
    exitSide(terms),
    quantity,
  ),
})
