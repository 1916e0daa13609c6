import type { Logger } from 'pino'
import type { Database } from '#db/engine/database.ts'
import { keepFailing, listFailing } from '#db/watch/failing-workflows.ts'
import type { WatchGateway, RunningWorkflow } from '../temporal/watch-gateway.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import type { OverdueWork } from '#db/watch/overdue-work.ts'
import type { OpenWork } from '#db/watch/open-work.ts'
import type { Overdue } from '#domain/alert/overdue.ts'
import { workflowOf } from '../supervisor/supervisor.ts'
import { GatewayUnavailable } from '../temporal/calls.ts'

/** Milliseconds per round. */
const FAILING_LIMIT_MS = 5_000
const FAILING_RUNS_A_ROUND = 50

export interface FailingDependencies {
  database: Database
  gateway: Pick<WatchGateway, 'inspectRuns'>
  taskQueue: string
  logger: Logger
}

/** Workers report failing workflows; Temporal knows which still fail. */
export async function checkFailing(deps: FailingDependencies): Promise<void> {
  const { database, gateway, taskQueue, logger } = deps
  const runIds = await listFailing(database.em.fork(), taskQueue, FAILING_RUNS_A_ROUND)
  if (runIds.length === 0) return
  const running = await gateway.inspectRuns(runIds, FAILING_LIMIT_MS)
  const failing = [...running].filter(([, { taskFailures }]) => taskFailures > 0)
  if (failing.length > 0)
    logger.error(
      { workflows: failing.map(([, { workflowId }]) => workflowId) },
      'workflows fail on the code of the workers, and do not proceed until new code can replay them',
    )
  const failures = [...running].map(([runId, { taskFailures }]) => [runId, taskFailures] as const)
  await keepFailing(database.em.fork(), runIds, new Map(failures))
}

export type Diagnosis = Pick<Overdue, 'cause' | 'detail' | 'step'>

/** Milliseconds per round. */
const DIAGNOSIS_PATIENCE_MS = 3_000
const QUESTIONS_AT_ONCE = 8

export interface DependencyProbes {
  gateway: Pick<WatchGateway, 'inspect'>
  temporalIsReachable: boolean
  workerIsAlive: boolean
}

/** Null for work on an account. */
export const workOf = ({
  signalId,
  accountId,
}: Pick<OverdueWork, 'signalId' | 'accountId'>): OpenWork | null =>
  signalId === null ? null : { kind: 'signal', id: signalId, accountId }

export async function diagnose(
  surroundings: DependencyProbes,
  overdue: readonly OverdueWork[],
): Promise<Diagnosis[]> {
  const end = performance.now() + DIAGNOSIS_PATIENCE_MS
  const found: Diagnosis[] = []
  await mapLimit(QUESTIONS_AT_ONCE, overdue, async (work, index) => {
    found[index] = await causeOf(surroundings, work, end - performance.now())
  })
  return found
}

async function causeOf(
  { gateway, temporalIsReachable, workerIsAlive }: DependencyProbes,
  work: OverdueWork,
  left: number,
): Promise<Diagnosis> {
  const open = workOf(work)
  if (work.what === 'feed') return { cause: workerIsAlive ? 'not_followed' : 'no_worker', detail: null }
  if (!temporalIsReachable) return { cause: 'temporal_unreachable', detail: null }
  if (open === null) {
    if (!workerIsAlive) return { cause: 'no_worker', detail: null }
    return work.brokerTrouble === null
      ? { cause: 'not_started', detail: null }
      : { cause: 'step_failing', detail: work.brokerTrouble }
  }
  if (!work.isStarted) return { cause: 'not_started', detail: null }
  if (left <= 0) return { cause: workerIsAlive ? 'busy' : 'no_worker', detail: null }
  try {
    const running = await gateway.inspect(workflowOf(open), left)
    if (running === null) return { cause: 'workflow_missing', detail: null }
    if (!workerIsAlive) return { cause: 'no_worker', detail: null }
    return whatHoldsUp(running, work)
  } catch (error) {
    if (error instanceof GatewayUnavailable) return { cause: 'temporal_unreachable', detail: null }
    throw error
  }
}

function whatHoldsUp({ taskFailures, failingStep }: RunningWorkflow, work: OverdueWork): Diagnosis {
  if (taskFailures > 0)
    return { cause: 'workflow_failing', detail: `${taskFailures} times in a row; see its page in Temporal` }
  if (work.haltLevel === 'fullStop') return { cause: 'halted', detail: null }
  if (failingStep === null) return { cause: 'busy', detail: null }
  return { cause: 'step_failing', detail: failingStep.failure, step: failingStep.name }
}
