/** In the place of `brokers/registry.ts`: the same brokers, in whose calls goes wrong what is planned. */
import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import { connectBroker as connectReal } from '#brokers/registry.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { Faults } from './fault-plan.ts'

const faults = Faults.ofThisProcess()

export function connectBroker(settings: BrokerConnectionSettings): Broker {
  const broker = connectReal(settings)
  const symbols = new Map<string, string>()
  const submitOrder: Broker['submitOrder'] = async (request, assertMayLeave) => {
    const role = parseClientOrderId(request.clientOrderId)!.role
    return faults.around(`broker.submitOrder of the ${role}`, request.symbol, async () => {
      const report = await broker.submitOrder(request, assertMayLeave)
      symbols.set(report.brokerOrderId, report.symbol)
      return report
    })
  }
  const symbolOf = async (brokerOrderId: string): Promise<string | null> =>
    symbols.get(brokerOrderId) ?? (await broker.getOrder(brokerOrderId))?.symbol ?? null
  const cancelOrder: Broker['cancelOrder'] = async (brokerOrderId) =>
    faults.around('broker.cancelOrder', await symbolOf(brokerOrderId), () =>
      broker.cancelOrder(brokerOrderId),
    )
  const changeOrder: Broker['changeOrder'] = async (brokerOrderId, ...change) =>
    faults.around('broker.changeOrder', await symbolOf(brokerOrderId), () =>
      broker.changeOrder(brokerOrderId, ...change),
    )
  const changed: Partial<Broker> = { submitOrder, cancelOrder, changeOrder }
  return new Proxy(broker, {
    get(target, name) {
      if (name in changed) return changed[name as keyof Broker]
      const value: unknown = Reflect.get(target, name)
      // Its private fields are not those of the proxy.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
