import { BrokerBusy, BrokerCredentialsError, BrokerOutcomeUnknown, type Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { isReplaced, recordReplaced } from '#db/signal/decision-ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import type { NewSignal } from '#db/signal/storing.ts'
import { isPositive } from '#domain/money/decimal.ts'
import type { OrderReport } from '#domain/order/order.ts'
import type { RecordReplacedInput, ReplaceResult } from '../contract.ts'

/**
 * Replaces a signal. An uncancelled order is looked up again, because it may have filled; a silent broker counts as a
 * failed cancel.
 */
export async function replaceSignal(
  { em, brokerFor }: { em: EntityManager; brokerFor(accountId: string): Promise<Broker> },
  { signalId, at, detail, acknowledges, working, replacement }: RecordReplacedInput,
): Promise<ReplaceResult> {
  // A repetition decides nothing.
  if (working !== null && !(await isReplaced(em, replacement.row as NewSignal))) {
    const report = await lookAt(await brokerFor(working.accountId), working.brokerOrderId)
    if (report && isPositive(report.filledQuantity)) {
      await applyOrderReport(em, working.accountId, report)
      return { filled: report }
    }
  }
  return recordReplaced(em, signalId, at, {
    detail,
    acknowledges,
    mayStillFill: working !== null,
    // Its instants are text, which PostgreSQL reads as well.
    replacement: { signal: replacement.row as NewSignal, received: replacement.received },
  })
}

async function lookAt(broker: Broker, brokerOrderId: string): Promise<OrderReport | null> {
  try {
    return await broker.getOrder(brokerOrderId)
  } catch (error) {
    const cannotBeAsked =
      error instanceof BrokerBusy ||
      error instanceof BrokerOutcomeUnknown ||
      error instanceof BrokerCredentialsError
    if (cannotBeAsked) return null
    throw error
  }
}
