import type { Broker, BrokerPosition } from './port.ts'
import { figure } from '#domain/money/decimal.ts'
import { isOurs, executionSide, type OrderReport, type OrderSide } from '#domain/order/order.ts'

/** Names open orders that hold the shares of a position. */
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

export interface ForeignOrder {
  symbol: string
  submittedAt: string
  detail: string
}

/** Open foreign orders, without those that only reduce a held position. */
export async function foreignOpenings(
  broker: Broker,
  positions: readonly Pick<BrokerPosition, 'symbol' | 'side'>[],
): Promise<ForeignOrder[]> {
  const reduces = ({ symbol, side }: OrderReport): boolean =>
    positions.some(
      (held) => held.symbol === symbol && (held.side === 'LONG') === (executionSide(side) === 'SELL'),
    )
  const open = await broker.listOrders({ status: 'open' })
  return open
    .filter((order) => !isOurs(order.clientOrderId) && !reduces(order))
    .map((order) => ({
      symbol: order.symbol,
      submittedAt: order.submittedAt,
      detail: `${nameOf(order)} was not placed here, and is to be cancelled where it was placed`,
    }))
}

const nameOf = ({ side, quantity, symbol, orderType, brokerOrderId }: OrderReport): string =>
  `${side} ${figure(quantity)} ${symbol} ${orderType} (${brokerOrderId} at the broker)`
