import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { ParentClosePolicy, proxyActivities, sleep, startChild } from '@temporalio/workflow'
import type { FlattenActivities } from '#activities/contract.ts'
import { flattenWorkflowIdFor } from '#domain/position/flatten.ts'
import { millisecondsUntil } from '../steps/workflow-time.ts'
import type { FlatByCloseOutcome } from './contract.ts'
import { flattenWorkflow } from './workflow.ts'

const { beginFlatByClose } = proxyActivities<FlattenActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
})

/** Starts due flattenings, which outlive this workflow. */
export async function flatByCloseWorkflow(): Promise<FlatByCloseOutcome> {
  let begunSoFar = 0
  for (;;) {
    const { begun, next } = await beginFlatByClose.executeWithOptions(
      { summary: 'Look which sessions are about to end' },
      [],
    )
    await Promise.all(begun.map(start))
    begunSoFar += begun.length
    if (next === null) return { begun: begunSoFar }
    await sleep(Math.max(millisecondsUntil(next), 1), { summary: 'The time before a close' })
  }
}

async function start(flattenId: string): Promise<void> {
  try {
    await startChild(flattenWorkflow, {
      workflowId: flattenWorkflowIdFor(flattenId),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      args: [{ flattenId }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: 'Flat by the close',
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
