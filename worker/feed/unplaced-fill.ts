import type { EntityManager } from '#db/engine/database.ts'
import { readResumption } from '#db/signals/reopening.ts'
import { findUnplaced, keepResumption, type UnplacedSignal } from '#db/signals/unplaced.ts'
import { isPositive } from '#domain/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order.ts'
import type { Resumption } from '#workflows/signal/contract.ts'

/**
 * With what a signal goes on of whose order there is news after its end; null when it cannot. One that ended because its
 * entry was reported refused, or not sent, left nothing behind: it is made ready if the entry has filled all the same.
 */
export async function resumptionOf(
  em: EntityManager,
  signalId: string,
  report: OrderReport,
): Promise<Resumption | null> {
  const kept = await readResumption<Resumption>(em, signalId)
  const isEntry = parseClientOrderId(report.clientOrderId)?.role === 'entry'
  if (kept !== null || !isEntry || !isPositive(report.filledQuantity)) return kept
  const unplaced = await findUnplaced(em, signalId, report)
  if (unplaced === null || unplaced.terms.exit === null) return null
  await keepResumption(em, signalId, resumptionAfterFill(unplaced))
  return readResumption<Resumption>(em, signalId)
}

/** As if the signal had ended with an entry of which nothing had filled. */
const resumptionAfterFill = ({ terms, status, nextExit }: UnplacedSignal): Resumption => ({
  terms,
  carried: {
    phase: 'leaving',
    status,
    orderId: null,
    reason: null,
    detail: null,
    reports: [],
    entryEndedAt: null,
    exitCancelledBy: null,
    exit: {
      generation: nextExit,
      answeredFor: '0',
      placed: null,
      ended: [],
      left: null,
      failures: 0,
      notBefore: null,
    },
    closings: 0,
  },
})
