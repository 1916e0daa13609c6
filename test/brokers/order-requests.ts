import { randomUUID } from 'node:crypto'
import { clientOrderIdFor, type OrderRequest } from '#domain/order/order.ts'

/** A market order to buy one share of AAPL today, under an id of its own, unless told otherwise. */
export const orderRequest = (fields: Partial<OrderRequest> = {}): OrderRequest => ({
  clientOrderId: clientOrderIdFor(randomUUID(), 'entry', 1),
  symbol: 'AAPL',
  side: 'BUY',
  quantity: '1',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  extendedHours: false,
  ...fields,
})
