import type { SignalDefinition } from '@temporalio/common'
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { inTrace, SpanKind } from '#tracing/spans.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import { orderChanged } from '#workflows/order/contract.ts'
import { exitCalendarChanged, exitNews, retryExit, earlierSignalChanged } from '#workflows/signal/contract.ts'
import { laterStart } from '#workflows/signal/start-contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import type { ExitAnnouncer } from './exit-retrigger.ts'
import type { Announcer } from './order-reconciler.ts'

export function workflowAnnouncer(
  client: Client,
  taskQueue: string,
): Announcer & ExitAnnouncer & { earlierSignalChanged(signalId: string): Promise<void> } {
  const unlessOver = async (message: Promise<void>): Promise<boolean> => {
    try {
      await message
      return true
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false
      throw error
    }
  }
  const handleOf = (signalId: string) => client.workflow.getHandle(workflowIdFor(signalId))
  const telling = <T>(about: string, what: string, tell: () => Promise<T>): Promise<T> =>
    inTrace(about, { name: `Temporal ${what}`, kind: SpanKind.PRODUCER }, tell)
  const announce: Announcer['announce'] = (order, report) =>
    telling(order.signalId, 'order changed', () =>
      unlessOver(handleOf(order.signalId).signal(orderChanged, report)),
    )
  const tell = async <Args extends unknown[]>(
    signalId: string,
    what: string,
    message: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> =>
    void (await telling(signalId, what, () => unlessOver(handleOf(signalId).signal(message, ...args))))
  return {
    announce,

    // One start of two is enough: the run loads the ledger.
    ensureRunning: ({ terms, status }) =>
      telling(terms.signalId, 'ensure running', async () => {
        try {
          await client.workflow.start<typeof signalWorkflow>(
            SIGNAL_WORKFLOW,
            laterStart(terms, status, taskQueue),
          )
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
        }
      }),

    earlierSignalChanged: (signalId) => tell(signalId, 'earlier signal changed', earlierSignalChanged),
    exitCalendarChanged: (signalId) => tell(signalId, 'exit calendar changed', exitCalendarChanged),
    retryExit: (signalId) => tell(signalId, 'retry exit', retryExit),
    exitNews: (signalId) => tell(signalId, 'exit news', exitNews),
  }
}
