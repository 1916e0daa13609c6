import type { RecordClosedInput } from '#activities/contract.ts'
import type { SignalRun } from './signal-run.ts'
import { step } from './steps.ts'
import { workflowNow } from './workflow-time.ts'

/** Ends a signal whose entry order was accepted. A message that comes from now on is too late. */
export async function close(
  run: SignalRun,
  how: Omit<RecordClosedInput, 'signalId' | 'at' | 'settles'>,
): Promise<void> {
  run.phase = 'ended'
  await step('recordClosed', 'Record the end', {
    signalId: run.terms.signalId,
    at: workflowNow(),
    settles: run.endedOrders,
    ...how,
  })
  if (how.rejected) run.become('rejected', { reason: 'BROKER_ERROR', detail: how.message })
}
