import { BrokerBusy, type Broker } from '#brokers/port.ts'
import { isPositive } from '#domain/decimal.ts'
import type { CancelOrderInput, CancelOrderResult } from '../contract.ts'
import { busy } from '../failures.ts'

/** Asking twice is harmless; a fill may still come until the order has ended (FIX: a pending cancel hides none). */
export async function cancelOrder(
  { brokerFor }: { brokerFor(accountId: string): Promise<Broker> },
  { accountId, brokerOrderId, onlyIfUnfilled }: CancelOrderInput,
): Promise<CancelOrderResult> {
  const broker = await brokerFor(accountId)
  try {
    if (onlyIfUnfilled) {
      const report = await broker.getOrder(brokerOrderId)
      if (report && isPositive(report.filledQuantity)) return { report }
    }
    await broker.cancelOrder(brokerOrderId)
    return { report: await broker.getOrder(brokerOrderId) }
  } catch (error) {
    throw error instanceof BrokerBusy ? busy(error) : error
  }
}
