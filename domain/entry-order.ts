import type { Decimal } from './decimal.ts'
import type { OrderRequest } from './order.ts'
import { ENTRY_SIDE, type SignalTerms } from './signal.ts'

type OrderedTerms = Pick<
  SignalTerms,
  'symbol' | 'action' | 'orderType' | 'limitPrice' | 'stopPrice' | 'timeInForce' | 'extendedHours'
>

/** The entry order that a signal asks its broker for, once its size is known; shares. */
export const entryOrder = (terms: OrderedTerms, quantity: Decimal): Omit<OrderRequest, 'clientOrderId'> => ({
  symbol: terms.symbol,
  side: ENTRY_SIDE[terms.action],
  quantity,
  orderType: terms.orderType,
  limitPrice: terms.limitPrice,
  stopPrice: terms.stopPrice,
  // Good till date is kept by a timer of the workflow: the brokers here know only good till cancelled.
  timeInForce: terms.timeInForce === 'gtd' ? 'gtc' : terms.timeInForce,
  extendedHours: terms.extendedHours,
})
