import type { Database, EntityManager } from '#db/engine/database.ts'
import { isOpenFlattening } from '#db/flatten/flattenings.ts'
import { findManualOrderTerms } from '#db/orders/manual-orders.ts'
import { findOpenSignal } from '#db/signals/record.ts'
import { readManualOrderRecord, type OpenWork } from '#db/watch/open-work.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import { orderWorkflowIdFor } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { WatchGateway, WorkflowToRun } from '../temporal/watch-gateway.ts'

export interface EnsureRunning {
  database: Database
  gateway: Pick<WatchGateway, 'ensureRunning'>
}

export const START_LIMIT_MS = 5_000

export const workflowOf = ({ kind, id }: Pick<OpenWork, 'kind' | 'id'>): string =>
  ({ signal: workflowIdFor, order: orderWorkflowIdFor, flattening: flattenWorkflowIdFor })[kind](id)

/**
 * Starts its workflow, which goes on from the ledger. False where nothing is open any more, or where it runs. `replaces` a
 * run that may know other than the ledger, and only of what the ledger knows to be sent: another may be about to send it.
 */
export async function ensureRunning(
  { database, gateway }: EnsureRunning,
  work: OpenWork,
  { replaces = false }: { replaces?: boolean } = {},
): Promise<boolean> {
  const open = await findOpen(database.em.fork(), work)
  if (open === null || (replaces && !open.isSent)) return false
  return gateway.ensureRunning(open.workflow, START_LIMIT_MS, replaces)
}

async function findOpen(
  em: EntityManager,
  { kind, id }: OpenWork,
): Promise<{ workflow: WorkflowToRun; isSent: boolean } | null> {
  if (kind === 'flattening')
    return (await isOpenFlattening(em, id)) ? { workflow: { flattenId: id }, isSent: false } : null
  if (kind === 'signal') {
    const signal = await findOpenSignal(em, id)
    return signal && { workflow: signal, isSent: signal.isSent }
  }
  const record = await readManualOrderRecord(em, id)
  const found = record && (await findManualOrderTerms(em, record.userId, id))
  if (!record || !found) return null
  const { report, cancelledBy } = record
  const cancel = report && cancelledBy ? { clientOrderId: report.clientOrderId, by: cancelledBy } : null
  const resumeState = report && { phase: 'working' as const, report, cancel }
  return { workflow: { orderTerms: found.terms, resumeState }, isSent: report !== null }
}
