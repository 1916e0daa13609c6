import type { Account, Order } from '#db/entities/index.ts'
import { instantOut, numberOut } from '../presentation.ts'

/** Order types as orders show them: MARKET, LIMIT, STOP, STOP_LIMIT. */
const typeOut = (orderType: Order['orderType']): string =>
  orderType === 'stopLimit' ? 'STOP_LIMIT' : orderType.toUpperCase()

/** An order as lists show it. */
export const presentOrder = (order: Order): object => ({
  id: order.id,
  accountId: order.accountId,
  brokerOrderId: order.brokerOrderId,
  symbol: order.symbol,
  side: order.side,
  orderType: typeOut(order.orderType),
  quantity: numberOut(order.quantity),
  filledQuantity: numberOut(order.filledQuantity),
  limitPrice: numberOut(order.limitPrice),
  avgFillPrice: numberOut(order.avgFillPrice),
  status: order.status,
  timeInForce: order.timeInForce.toUpperCase(),
  createdAt: instantOut(order.createdAt),
  filledAt: instantOut(order.filledAt),
})

/** An order with all that is known of it. `duration` is the time in force under its other name. */
export const presentOrderDetail = (order: Order, account: Account): object => ({
  ...presentOrder(order),
  stopPrice: numberOut(order.stopPrice),
  duration: order.timeInForce.toUpperCase(),
  updatedAt: instantOut(order.updatedAt),
  signalId: order.signalId ?? null,
  role: order.role,
  clientOrderId: order.clientOrderId,
  extendedHours: order.extendedHours,
  reason: order.reason ?? null,
  account: { id: account.id, name: account.name },
})
