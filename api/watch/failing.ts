import type { Logger } from 'pino'
import type { Database } from '#db/engine/database.ts'
import { keepFailing, listFailing } from '#db/watch/failing-workflows.ts'
import type { WatchGateway } from '../temporal/watch-gateway.ts'

/** Milliseconds for the questions of one round. */
const FAILING_LIMIT_MS = 5_000
const FAILING_RUNS_A_ROUND = 50

export interface FailingDependencies {
  database: Database
  gateway: Pick<WatchGateway, 'inspectRuns'>
  taskQueue: string
  logger: Logger
}

/** Workers have told which workflows fail; Temporal knows which still do. */
export async function checkFailing(deps: FailingDependencies): Promise<void> {
  const { database, gateway, taskQueue, logger } = deps
  const runIds = await listFailing(database.em.fork(), taskQueue, FAILING_RUNS_A_ROUND)
  if (runIds.length === 0) return
  const running = await gateway.inspectRuns(runIds, FAILING_LIMIT_MS)
  const failing = [...running].filter(([, { taskFailures }]) => taskFailures > 0)
  if (failing.length > 0)
    logger.error(
      { workflows: failing.map(([, { workflowId }]) => workflowId) },
      'workflows fail on the code of the workers, and stand still until that can follow them',
    )
  const failures = [...running].map(([runId, { taskFailures }]) => [runId, taskFailures] as const)
  await keepFailing(database.em.fork(), runIds, new Map(failures))
}
