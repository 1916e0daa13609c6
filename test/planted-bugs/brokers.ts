/** In the place of `brokers/registry.ts`: the same brokers, spoken to with the bugs that are planted. */
import type { Broker, BrokerConnectionSettings, OrderStreamHandlers } from '#brokers/port.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { connectBroker as connectFaulty } from '#test/faults/brokers.ts'
import { BUGS, type Bug } from './bugs.ts'
import { plantedIn } from './plan.ts'

/** Of all connections to the broker: an order may be sent by one and looked up by another. */
const spoken = new Map<string, Partial<Broker>>()

export function connectBroker(settings: BrokerConnectionSettings): Broker {
  const broker = connectFaulty(settings)
  const bugIn = (symbol: string | undefined): Bug => {
    const planted = plantedIn(symbol ?? null)
    return planted === null ? {} : BUGS[planted]
  }
  const spokenIn = (symbol: string): Partial<Broker> => {
    const known = spoken.get(symbol) ?? bugIn(symbol).broker?.(broker) ?? {}
    spoken.set(symbol, known)
    return known
  }
  const readAs = (report: OrderReport): OrderReport => bugIn(report.symbol).report?.(report) ?? report
  const changed: Partial<Broker> = {
    submitOrder(request, assertMayLeave) {
      return (spokenIn(request.symbol).submitOrder ?? broker.submitOrder)(request, assertMayLeave)
    },
    async findOrder(clientOrderId) {
      const report = await broker.findOrder(clientOrderId)
      const instead = report && spokenIn(report.symbol).findOrder
      return instead ? instead(clientOrderId) : report
    },
    streamOrders(handlers: OrderStreamHandlers, signal) {
      const onReport: OrderStreamHandlers['onReport'] = (report, event) =>
        handlers.onReport(readAs(report), event)
      return broker.streamOrders({ onReady: () => handlers.onReady(), onReport }, signal)
    },
  }
  return new Proxy(broker, {
    get: (target, name) => changed[name as keyof Broker] ?? (Reflect.get(target, name) as unknown),
  })
}
