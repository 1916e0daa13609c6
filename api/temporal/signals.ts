import { WORKFLOW_TASK_WITHIN, START_DEADLINE } from '#domain/entry-times.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import {
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
  WithStartWorkflowOperation,
} from '@temporalio/client'
import { workflowIdFor, type SignalTerms } from '#domain/signal.ts'
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
  type Approval,
  type Decline,
  type EntryAnswer,
  type ProtectionChange,
  type UpdateRejection,
  type SignalState,
  type ReplaceAnswer,
  type ReplaceRequest,
  type Withdrawal,
} from '#workflows/signal/contract.ts'
import { firstStart, laterStart } from '#workflows/signal/start-contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import type { UpdateDefinition } from '@temporalio/common'
import { randomUUID } from 'node:crypto'
import { inAnswers, type Calls } from './calls.ts'
import type { DenialCode } from '#domain/denial.ts'
import type { RuleFault } from '#domain/protection-change.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import { type CancelAnswer, type OrderCancel, cancelOrder } from '#workflows/order/contract.ts'

/** By a request. Whoever finds open work without a run may take the id again (`watch-gateway.ts`). */
const STARTED_ONCE = {
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  workflowTaskTimeout: WORKFLOW_TASK_WITHIN,
} as const

/** False where a workflow of that id runs, or has run and may not again. */
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
/** One per approval, however many people approve at once; another after a refusal. */
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

/** A message starts its workflow where none runs. */
export interface Recipient {
  signalId: string
  terms: SignalTerms
  status: SignalStatus
}

/** Starting is idempotent. Messages throw {@link UpdateRejected}, {@link WorkflowOver}, and {@link
 * GatewayUnavailable}: the ledger shows later whether the decision was taken. */
export interface SignalGateway {
  /** Throws {@link WorkflowOver} after the end: the ledger has the outcome. */
  startAndAwaitEntry(terms: SignalTerms, milliseconds: number): Promise<EntryAnswer>
  start(terms: SignalTerms, milliseconds?: number): Promise<void>

  /** Idempotent, but after `refusals` refused ones it is another. */
  approve(to: Recipient, approval: Approval, milliseconds: number, refusals: number): Promise<EntryAnswer>
  decline(to: Recipient, decline: Decline, milliseconds: number): Promise<SignalState>
  withdraw(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  cancelExit(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  changeProtection(to: Recipient, change: ProtectionChange, milliseconds: number): Promise<SignalState>
  retryExit(signalId: string, milliseconds: number): Promise<void>
  replace(to: Recipient, replaceRequest: ReplaceRequest, milliseconds: number): Promise<ReplaceAnswer>

  checkReachable(milliseconds: number): Promise<void>
  close(): Promise<void>
}

/** No answer in time: the start or message may have arrived; repeating it is harmless. */
export class GatewayUnavailable extends Error {
  override readonly name: string = 'GatewayUnavailable'
}

export class AnswerOverdue extends GatewayUnavailable {
  override readonly name = 'AnswerOverdue'
}

interface Why {
  code?: DenialCode | null
  faults?: readonly RuleFault[]
}

export class UpdateRejected extends Error {
  override readonly name = 'UpdateRejected'
  readonly rejection: UpdateRejection
  /** Set for WOULD_BE_REFUSED. */
  readonly denial: DenialCode | null
  /** Of a change of an exit plan. */
  readonly faults: readonly RuleFault[]
  constructor(rejection: UpdateRejection, message: string, { code = null, faults = [] }: Why = {}) {
    super(message)
    this.rejection = rejection
    this.denial = code
    this.faults = faults
  }
}

export class WorkflowOver extends Error {
  override readonly name = 'WorkflowOver'
}

/** Waits, idempotence and errors as in {@link SignalGateway}. */
export interface OrderGateway {
  /** Null when the workflow has taken it up and is not done in time: it goes on until the order has ended. */
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
