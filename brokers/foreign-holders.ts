import type { Broker } from './port.ts'
import { figure } from '#domain/figures.ts'
import { executionSide, type OrderReport, type OrderSide } from '#domain/order.ts'

/** Names open orders at the broker that hold the shares of a position, where none of ours does. */
export async function foreignHolders(broker: Broker, symbol: string, side: OrderSide): Promise<string> {
  const open = await broker.listOrders({ status: 'open' })
  const names = open
    .filter((order) => order.symbol === symbol && executionSide(order.side) === executionSide(side))
    .map(nameOf)
  return `open orders that were not placed here hold the shares of ${symbol}: ${names.join(', ') || 'the broker does not name them'}`
}

const nameOf = ({ side, quantity, symbol, orderType, brokerOrderId }: OrderReport): string =>
  `${side} ${figure(quantity)} ${symbol} ${orderType} (${brokerOrderId} at the broker)`
