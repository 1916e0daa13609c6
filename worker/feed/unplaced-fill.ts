import type { EntityManager } from '#db/engine/database.ts'
import { readReopenState } from '#db/signals/reopening.ts'
import { findUnplaced, keepReopenState, type UnplacedSignal } from '#db/signals/unplaced.ts'
import { isPositive } from '#domain/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order.ts'
import type { ReopenState } from '#workflows/signal/contract.ts'

/**
 * With what a signal goes on of whose order there is news after its end; null when it cannot. One that ended because its
 * entry was reported refused, or not sent, left nothing behind: it is made ready if the entry has filled all the same.
 */
export async function reopenStateOf(
  em: EntityManager,
  signalId: string,
  report: OrderReport,
): Promise<ReopenState | null> {
  const kept = await readReopenState<ReopenState>(em, signalId)
  const isEntry = parseClientOrderId(report.clientOrderId)?.role === 'entry'
  if (kept !== null || !isEntry || !isPositive(report.filledQuantity)) return kept
  const unplaced = await findUnplaced(em, signalId, report)
  if (unplaced === null || unplaced.terms.exit === null) return null
  await keepReopenState(em, signalId, reopenStateAfterFill(unplaced))
  return readReopenState<ReopenState>(em, signalId)
}

/** As if the signal had ended with an entry of which nothing had filled. */
const reopenStateAfterFill = ({ terms, status, nextExit }: UnplacedSignal): ReopenState => ({
  terms,
  resumeState: {
    phase: 'awaitingExit',
    status,
    orderId: null,
    reason: null,
    detail: null,
    reports: [],
    entryEndedAt: null,
    exitCancelledBy: null,
    exit: {
      generation: nextExit,
      coveredQuantity: '0',
      workingOrder: null,
      ended: [],
      uncovered: null,
      failures: 0,
      notBefore: null,
    },
    closings: 0,
  },
})
