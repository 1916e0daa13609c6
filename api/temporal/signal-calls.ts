import { START_DEADLINE } from '#domain/entry-times.ts'
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
} from '#workflows/signal/contract.ts'
import { firstStart, laterStart } from '#workflows/signal/start-contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { WithStartWorkflowOperation } from '@temporalio/client'
import type { UpdateDefinition } from '@temporalio/common'
import { randomUUID } from 'node:crypto'
import { inAnswers } from './answers.ts'
import type { Calls } from './calls.ts'
import type { Recipient, SignalGateway } from './signals.ts'
import { startedOnce } from './start-options.ts'

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
