import { searchAttributes } from '#workflows/signal/contract.ts'
import { laterStart } from '#workflows/signal/start-contract.ts'
import type { SignalTerms, SignalStatus } from '#domain/signal/signal.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import { FLATTEN_WORKFLOW, SIGNAL_WORKFLOW } from '#workflows/names.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import {
  WorkflowNotFoundError,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client'
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js'
import type { Calls } from './calls.ts'
import { flattenStartOptions, startedOnce } from './signals.ts'

export interface RunningWorkflow {
  taskFailures: number
  failingStep: { name: string; failure: string } | null
}

export type WorkflowToRun = { terms: SignalTerms; status: SignalStatus } | { flattenId: string }

/** Calls throw GatewayUnavailable without a timely answer. Lists and counts may lag by seconds. */
export interface WatchGateway {
  inspect(workflowId: string, milliseconds: number): Promise<RunningWorkflow | null>
  inspectRuns(
    runIds: readonly string[],
    milliseconds: number,
  ): Promise<Map<string, { workflowId: string; taskFailures: number }>>
  countRunning(startedBefore: string, milliseconds: number): Promise<number>
  runningOf(workflowIds: readonly string[], milliseconds: number): Promise<ReadonlySet<string>>
  listRunning(milliseconds: number): Promise<Map<string, string | null>>
  /**
   * False: it runs.
   * @param replaces a run that differs from the ledger
   */
  ensureRunning(workflow: WorkflowToRun, milliseconds: number, replaces?: boolean): Promise<boolean>
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number]

const IS_RUNNING = `ExecutionStatus = 'Running' and WorkflowType in ('${SIGNAL_WORKFLOW}', '${FLATTEN_WORKFLOW}')`

const WORKFLOWS_A_PAGE = 1_000
const FAR = '9999-01-01T00:00:00.000Z'

/** A run that moved to the ordinary queue starts at its move. */
const MAY_HAVE_MOVED = `(${searchAttributes.executeMode.name} = 'scheduled' and ${searchAttributes.status.name} = 'executed')`

const taskFailuresOf = ({ pendingWorkflowTask }: WorkflowExecutionDescription['raw']): number =>
  Math.max(0, (pendingWorkflowTask?.attempt ?? 1) - 1)

export const watchCalls = (calls: Calls, page = WORKFLOWS_A_PAGE): WatchGateway => ({
  ...inspections(calls),
  ...lists(calls, page),
  ...starts(calls),
})

function inspections({ client, bounded }: Calls): Pick<WatchGateway, 'inspect' | 'inspectRuns'> {
  async function describe(workflowId: string): Promise<RunningWorkflow | null> {
    const { status, raw } = await client.workflow.getHandle(workflowId).describe()
    if (status.name !== 'RUNNING') return null
    const [failing] = (raw.pendingActivities ?? []).filter(({ lastFailure }) => lastFailure)
    return {
      taskFailures: taskFailuresOf(raw),
      failingStep:
        failing === undefined
          ? null
          : { name: failing.activityType?.name ?? '', failure: await wordsOf(workflowId, failing) },
    }
  }

  async function wordsOf(workflowId: string, { activityId, lastFailure }: PendingActivity): Promise<string> {
    const { loadedDataConverter, namespace } = client.options
    try {
      const failure = await decodeOptionalFailureToOptionalError(loadedDataConverter, lastFailure, {
        type: 'activity',
        namespace,
        workflowId,
        activityId: activityId ?? '',
        isLocal: false,
      })
      return failure?.message ?? ''
    } catch {
      return 'its failure cannot be read'
    }
  }

  return {
    inspect: (workflowId, milliseconds) =>
      bounded(milliseconds, async () => {
        try {
          return await describe(workflowId)
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return null
          throw error
        }
      }),
    inspectRuns: (runIds, milliseconds) =>
      bounded(milliseconds, async () => {
        const query = `ExecutionStatus = 'Running' and RunId in (${quoted(runIds)})`
        const found = new Map<string, { workflowId: string; taskFailures: number }>()
        for await (const { workflowId, runId } of client.workflow.list({ query })) {
          const { raw } = await client.workflow.getHandle(workflowId, runId).describe()
          found.set(runId, { workflowId, taskFailures: taskFailuresOf(raw) })
        }
        return found
      }),
  }
}

const quoted = (ids: readonly string[]): string => ids.map((id) => `'${id}'`).join(', ')

function lists(
  { client, bounded }: Calls,
  page: number,
): Pick<WatchGateway, 'countRunning' | 'runningOf' | 'listRunning'> {
  async function runningBefore(startedBefore: string): Promise<WorkflowExecutionInfo[]> {
    const query = `${IS_RUNNING} and StartTime < '${startedBefore}'`
    const listed: WorkflowExecutionInfo[] = []
    for await (const each of client.workflow.list({ query, pageSize: page }))
      if (listed.push(each) === page) break
    return listed
  }

  return {
    countRunning: (startedBefore, milliseconds) =>
      bounded(milliseconds, async () => {
        const started = `(StartTime < '${startedBefore}' or ${MAY_HAVE_MOVED})`
        const { count } = await client.workflow.count(`${IS_RUNNING} and ${started}`)
        return count
      }),
    runningOf: (workflowIds, milliseconds) =>
      bounded(milliseconds, async () => {
        const query = `ExecutionStatus = 'Running' and WorkflowId in (${quoted(workflowIds)})`
        // A count is far cheaper than a list.
        const { count } = await client.workflow.count(query)
        if (count === workflowIds.length) return new Set(workflowIds)
        const found = new Set<string>()
        for await (const { workflowId } of client.workflow.list({ query, pageSize: page }))
          found.add(workflowId)
        return found
      }),
    async listRunning(milliseconds) {
      const found = new Map<string, string | null>()
      let before = FAR
      for (;;) {
        const listed = await bounded(milliseconds, () => runningBefore(before))
        const known = found.size
        for (const { workflowId, typedSearchAttributes } of listed)
          found.set(workflowId, typedSearchAttributes.get(searchAttributes.accountId) ?? null)
        if (listed.length < page || found.size === known) return found
        // Newest first, to the microsecond: equal milliseconds repeat.
        before = new Date(listed.at(-1)!.startTime.getTime() + 1).toISOString()
      }
    },
  }
}

const starts = ({ client, taskQueue, bounded }: Calls): Pick<WatchGateway, 'ensureRunning'> => ({
  ensureRunning(workflow, milliseconds, replaces = false) {
    const again = {
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: replaces ? 'TERMINATE_EXISTING' : 'FAIL',
    } as const
    const start = (): Promise<unknown> =>
      'terms' in workflow
        ? client.workflow.start<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
            ...laterStart(workflow.terms, workflow.status, taskQueue),
            ...again,
          })
        : client.workflow.start<typeof flattenWorkflow>(FLATTEN_WORKFLOW, {
            ...flattenStartOptions(workflow.flattenId, taskQueue),
            ...again,
          })
    return bounded(milliseconds, () => startedOnce(start()))
  },
})
