import type { Broker } from './port.ts'
import { figure } from '#domain/figures.ts'
import { isOurs } from '#domain/manual-order.ts'
import { executionSide, type OrderReport, type OrderSide } from '#domain/order.ts'

/** Names open orders at the broker that hold the shares of a position, where none of ours could be moved. */
export async function foreignHolders(broker: Broker, symbol: string, side: OrderSide): Promise<string> {
  const open = await broker.listOrders({ status: 'open' })
  const holders = open.filter(
    (order) => order.symbol === symbol && executionSide(order.side) === executionSide(side),
  )
  const foreign = holders.filter(({ clientOrderId }) => !isOurs(clientOrderId))
  const [whose, named] =
    foreign.length > 0 || holders.length === 0 ? [' that were not placed here', foreign] : ['', holders]
  return `open orders${whose} hold the shares of ${symbol}: ${named.map(nameOf).join(', ') || 'the broker does not name them'}`
}

const nameOf = ({ side, quantity, symbol, orderType, brokerOrderId }: OrderReport): string =>
  `${side} ${figure(quantity)} ${symbol} ${orderType} (${brokerOrderId} at the broker)`
