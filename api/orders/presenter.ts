import type { Account, Order } from '#db/entities/index.ts'
import { instantOut, numberOut } from '../presentation.ts'
import type { OrderAnswer, OrderDetailAnswer } from './answers.ts'

/** Order types as orders show them: MARKET, LIMIT, STOP, STOP_LIMIT. */
const TYPES_OUT = {
  market: 'MARKET',
  limit: 'LIMIT',
  stop: 'STOP',
  stopLimit: 'STOP_LIMIT',
} as const satisfies Record<Order['orderType'], OrderAnswer['orderType']>

const timeInForceOut = (order: Order): OrderAnswer['timeInForce'] =>
  order.timeInForce.toUpperCase() as Uppercase<Order['timeInForce']>

/** An order as lists show it. */
export const presentOrder = (order: Order): OrderAnswer => ({
  id: order.id,
  accountId: order.accountId,
  brokerOrderId: order.brokerOrderId,
  symbol: order.symbol,
  side: order.side,
  orderType: TYPES_OUT[order.orderType],
  quantity: numberOut(order.quantity),
  filledQuantity: numberOut(order.filledQuantity),
  limitPrice: numberOut(order.limitPrice),
  avgFillPrice: numberOut(order.avgFillPrice),
  status: order.status,
  timeInForce: timeInForceOut(order),
  createdAt: instantOut(order.createdAt),
  filledAt: instantOut(order.filledAt),
})

/** An order with all that is known of it. `duration` is the time in force under its other name. */
export const presentOrderDetail = (order: Order, account: Account): OrderDetailAnswer => ({
  ...presentOrder(order),
  stopPrice: numberOut(order.stopPrice),
  duration: timeInForceOut(order),
  updatedAt: instantOut(order.updatedAt),
  signalId: order.signalId ?? null,
  role: order.role,
  clientOrderId: order.clientOrderId,
  extendedHours: order.extendedHours,
  reason: order.reason ?? null,
  account: { id: account.id, name: account.name },
})
