import { awaitFirstRound } from '#workflows/flatten/contract.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import { FLATTEN_WORKFLOW } from '#workflows/names.ts'
import { WithStartWorkflowOperation } from '@temporalio/client'
import { inAnswers } from './answers.ts'
import type { Calls } from './calls.ts'
import { flattenStartOptions } from './start-options.ts'

export interface FlattenGateway {
  beginFlattening(flattenId: string, milliseconds: number): Promise<unknown>
}

export const flattenCalls = ({ client, taskQueue, bounded }: Calls): FlattenGateway => ({
  beginFlattening: (flattenId, milliseconds) =>
    inAnswers(
      bounded(milliseconds, () =>
        client.workflow.executeUpdateWithStart(awaitFirstRound, {
          updateId: 'first-round',
          startWorkflowOperation: new WithStartWorkflowOperation<typeof flattenWorkflow>(FLATTEN_WORKFLOW, {
            ...flattenStartOptions(flattenId, taskQueue),
            workflowIdConflictPolicy: 'USE_EXISTING',
          }),
        }),
      ),
    ),
})
