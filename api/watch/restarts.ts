import { forEachAtMost } from '#domain/for-each-at-most.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import { TEMPORAL_LIST_LAG_MS } from '#db/watch/failing-workflows.ts'
import { findManualOrderTerms } from '#db/orders/manual-orders.ts'
import {
  countUnfinished,
  readManualOrderRecord,
  unfinishedInSlices,
  type Unfinished,
} from '#db/watch/unfinished-work.ts'
import type { Logger } from 'pino'
import { findOpenSignal } from '#db/signals/record.ts'
import { GatewayUnavailable } from '../temporal/signals.ts'
import { workflowOf } from './diagnosis.ts'
import type { Rebuilt, WatchGateway } from '../temporal/watch-gateway.ts'

export interface RestartDependencies {
  database: Database
  gateway: WatchGateway
  logger: Logger
}

export const RESTART_QUESTION_LIMIT_MS = 5_000
const RESTARTS_AT_ONCE = 8

/** Cheap, and not exact: a workflow that runs although the ledger holds it for finished hides one that is missing. */
export async function countMissing({ database, gateway }: RestartDependencies): Promise<number> {
  const startedBefore = new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()
  const expected = await countUnfinished(database.em.fork(), startedBefore)
  if (expected === 0) return 0
  return Math.max(expected - (await gateway.countRunning(startedBefore, RESTART_QUESTION_LIMIT_MS)), 0)
}

export const restartAll = (deps: RestartDependencies, lost: readonly Unfinished[]): Promise<number> =>
  startEach(deps, lost, (each) => restart(deps, each))

/** A workflow that cannot be started is logged; without Temporal or the ledger none can, and their error is thrown. */
async function startEach(
  { logger }: RestartDependencies,
  unfinished: readonly Unfinished[],
  start: (each: Unfinished) => Promise<boolean>,
): Promise<number> {
  let started = 0
  await forEachAtMost(RESTARTS_AT_ONCE, unfinished, async (each) => {
    try {
      if (await start(each)) started += 1
    } catch (error) {
      if (error instanceof GatewayUnavailable || isDatabaseUnavailable(error)) throw error
      logger.error(
        { err: error, workflowId: workflowOf(each) },
        'a workflow could not be started again; it is tried again',
      )
    }
  })
  return started
}

/**
 * Workflows that run by another state than a ledger that was set back would wait for what has happened, and leave what the ledger
 * lacks unwritten. A signal without an entry by ledger and broker is left alone: its workflow may be about to send it.
 * `uncompared`: accounts of which the ledger may lack orders that their workflows know: these run on.
 */
export async function restartFromLedger(
  deps: RestartDependencies,
  uncompared: ReadonlySet<string> = new Set(),
): Promise<number> {
  const { database, gateway, logger } = deps
  const startedBefore = new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()
  let restarted = 0
  for await (const slice of unfinishedInSlices(database.em.fork(), startedBefore)) {
    const compared = slice.filter(({ accountId }) => !uncompared.has(accountId))
    restarted += await startEach(deps, compared, async (each) => {
      const rebuilt = await rebuild(database.em.fork(), each)
      const isSent = rebuilt && ('orderTerms' in rebuilt ? rebuilt.resumeState !== null : rebuilt.isSent)
      if (!rebuilt || !isSent) return false
      await gateway.restart(rebuilt, RESTART_QUESTION_LIMIT_MS, true)
      logger.warn(
        { workflowId: workflowOf(each) },
        'a workflow is started again from a ledger that was set back',
      )
      return true
    })
  }
  return restarted
}

/** The ledger is read after Temporal was asked: what has ended in between is not started again. */
async function restart(
  { database, gateway, logger }: RestartDependencies,
  lost: Unfinished,
): Promise<boolean> {
  const workflowId = workflowOf(lost)!
  if ((await gateway.inspect(workflowId, RESTART_QUESTION_LIMIT_MS)) !== null) return false
  const rebuilt = await rebuild(database.em.fork(), lost)
  if (rebuilt === null || !(await gateway.restart(rebuilt, RESTART_QUESTION_LIMIT_MS))) return false
  logger.warn({ workflowId }, 'a workflow was missing and is started again from the ledger')
  return true
}

/** Null when its workflow is not to run any more. */
async function rebuild(em: EntityManager, { signalId, orderId }: Unfinished): Promise<Rebuilt | null> {
  if (signalId !== null) return findOpenSignal(em, signalId)
  const record = await readManualOrderRecord(em, orderId!)
  const found = record && (await findManualOrderTerms(em, record.userId, orderId!))
  if (!record || !found) return null
  const { report, cancelledBy } = record
  const cancel = report && cancelledBy ? { clientOrderId: report.clientOrderId, by: cancelledBy } : null
  return { orderTerms: found.terms, resumeState: report && { phase: 'working', report, cancel } }
}
