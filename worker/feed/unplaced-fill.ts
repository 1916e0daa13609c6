import type { EntityManager } from '#db/engine/database.ts'
import { readReopenState } from '#db/signals/reopening.ts'
import { findUnplaced, keepReopenState, type UnplacedSignal } from '#db/signals/unplaced.ts'
import { isPositive } from '#domain/decimal.ts'
import { exitBegins } from '#domain/exit-progress.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order.ts'
import type { ReopenState } from '#workflows/signal/contract.ts'

/** Without a saved state of an unplaced entry, one is made when it has a fill nevertheless. */
export async function reopenStateOf(
  em: EntityManager,
  signalId: string,
  report: OrderReport,
): Promise<ReopenState | null> {
  const kept = await readReopenState<ReopenState>(em, signalId)
  const isEntry = parseClientOrderId(report.clientOrderId)?.role === 'entry'
  if (kept !== null || !isEntry || !isPositive(report.filledQuantity)) return kept
  const unplaced = await findUnplaced(em, signalId, report)
  if (unplaced === null) return null
  const { exit, protection } = unplaced.terms
  if (exit === null && protection === undefined) return null
  await keepReopenState(em, signalId, reopenStateAfterFill(unplaced))
  return readReopenState<ReopenState>(em, signalId)
}

const reopenStateAfterFill = ({ terms, status, nextExit }: UnplacedSignal): ReopenState => ({
  terms,
  resumeState: {
    phase: 'exiting',
    status,
    orderId: null,
    reason: null,
    detail: null,
    reports: [],
    exit: exitBegins(nextExit),
    closings: 0,
  },
})
