import { WORKFLOW_TASK_WITHIN, START_DEADLINE } from '#domain/order/entry-order.ts'
import { flattenWorkflowIdFor } from '#domain/position/flatten.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import {
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
  WithStartWorkflowOperation,
} from '@temporalio/client'
import { workflowIdFor, type SignalTerms } from '#domain/signal/signal.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import {
  approveSignal,
  awaitEntry,
  cancelExit,
  changeProtection,
  declineSignal,
  replaceSignal,
  retryExit,
  withdrawSignal,
} from '#workflows/signal/contract.ts'
import { firstStart, laterStart } from '#workflows/signal/start-contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import type { UpdateDefinition } from '@temporalio/common'
import { randomUUID } from 'node:crypto'
import { inAnswers, type Calls, GatewayUnavailable, type Recipient, type SignalGateway } from './calls.ts'
import { type CancelAnswer, type OrderCancel, cancelOrder } from '#workflows/order/contract.ts'

/** Recovery of open work may reuse the id (`watch-gateway.ts`). */
const STARTED_ONCE = {
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  workflowTaskTimeout: WORKFLOW_TASK_WITHIN,
} as const

/** False where a workflow of that id runs, or must not run again. */
export const startedOnce = async (started: Promise<unknown>): Promise<boolean> => {
  try {
    await started
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    throw error
  }
}

export const flattenStartOptions = (
  flattenId: string,
  taskQueue: string,
): WorkflowStartOptions<typeof flattenWorkflow> => ({
  ...STARTED_ONCE,
  workflowId: flattenWorkflowIdFor(flattenId),
  args: [{ flattenId }],
  taskQueue,
  staticSummary: 'Close everything',
})

const ENTRY_UPDATE_ID = 'entry'
/** Equal for concurrent approvers; another id after a denial. */
const approvalUpdateId = (refusals: number): string =>
  refusals === 0 ? 'approve' : `approve-${refusals + 1}`

export function signalCalls({
  client,
  taskQueue,
  bounded,
}: Calls): Omit<SignalGateway, 'checkReachable' | 'close'> {
  const startOperation = (terms: SignalTerms) =>
    new WithStartWorkflowOperation<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
      ...firstStart(terms, taskQueue),
      workflowIdConflictPolicy: 'USE_EXISTING',
    })

  const asks =
    <Answer, Question>(update: UpdateDefinition<Answer, [Question]>, updateId?: string) =>
    ({ terms, status }: Recipient, question: Question, milliseconds: number): Promise<Answer> => {
      const start = {
        ...laterStart(terms, status, taskQueue),
        workflowIdConflictPolicy: 'USE_EXISTING',
      } as const
      const options: { updateId: string; args: [Question] } = {
        updateId: updateId ?? randomUUID(),
        args: [question],
      }
      return inAnswers(
        bounded(milliseconds, () =>
          client.workflow.executeUpdateWithStart(update, {
            ...options,
            startWorkflowOperation: new WithStartWorkflowOperation<typeof signalWorkflow>(
              SIGNAL_WORKFLOW,
              start,
            ),
          }),
        ),
      )
    }

  return {
    startAndAwaitEntry: (terms, milliseconds) =>
      inAnswers(
        bounded(milliseconds, () =>
          client.workflow.executeUpdateWithStart(awaitEntry, {
            updateId: ENTRY_UPDATE_ID,
            startWorkflowOperation: startOperation(terms),
          }),
        ),
      ),
    start: (terms, milliseconds = START_DEADLINE) =>
      bounded(milliseconds, async () => {
        await startedOnce(
          client.workflow.start<typeof signalWorkflow>(SIGNAL_WORKFLOW, firstStart(terms, taskQueue)),
        )
      }),
    approve: (to, approval, milliseconds, refusals) =>
      asks(approveSignal, approvalUpdateId(refusals))(to, approval, milliseconds),
    decline: asks(declineSignal),
    withdraw: asks(withdrawSignal),
    cancelExit: asks(cancelExit),
    changeProtection: asks(changeProtection),
    replace: asks(replaceSignal),
    retryExit: (signalId, milliseconds) =>
      inAnswers(
        bounded(milliseconds, () => client.workflow.getHandle(workflowIdFor(signalId)).signal(retryExit)),
      ),
  }
}

/** Waits, idempotence and errors as in {@link SignalGateway}. */
export interface OrderGateway {
  /** Null without a timely outcome: the workflow goes on until the order has ended. */
  cancelOrder(to: Recipient, cancel: OrderCancel, milliseconds: number): Promise<CancelAnswer | null>
}

export function orderCalls({ client, taskQueue, bounded }: Calls): OrderGateway {
  async function cancel(
    { terms, status }: Recipient,
    order: OrderCancel,
    milliseconds: number,
  ): Promise<CancelAnswer | null> {
    const end = performance.now() + milliseconds
    const update = await bounded(milliseconds, () =>
      client.workflow.startUpdateWithStart(cancelOrder, {
        updateId: randomUUID(),
        waitForStage: 'ACCEPTED',
        args: [order],
        startWorkflowOperation: new WithStartWorkflowOperation<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
          ...laterStart(terms, status, taskQueue),
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      }),
    )
    try {
      return await bounded(end - performance.now(), () => update.result())
    } catch (error) {
      if (error instanceof GatewayUnavailable) return null
      throw error
    }
  }

  return { cancelOrder: (...asked) => inAnswers(cancel(...asked)) }
}
