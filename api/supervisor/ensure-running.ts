import type { Database, EntityManager } from '#db/engine/database.ts'
import { isOpenFlattening } from '#db/flatten/flattenings.ts'
import { findOpenSignal } from '#db/signals/record.ts'
import type { OpenWork } from '#db/watch/open-work.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { WatchGateway, WorkflowToRun } from '../temporal/watch-gateway.ts'

export interface EnsureRunning {
  database: Database
  gateway: Pick<WatchGateway, 'ensureRunning'>
}

export const START_LIMIT_MS = 5_000

export const workflowOf = ({ kind, id }: Pick<OpenWork, 'kind' | 'id'>): string =>
  ({ signal: workflowIdFor, flattening: flattenWorkflowIdFor })[kind](id)

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
  const signal = await findOpenSignal(em, id)
  return signal && { workflow: signal, isSent: signal.isSent }
}
