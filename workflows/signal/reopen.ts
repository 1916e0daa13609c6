import { workflowInfo } from '@temporalio/workflow'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/**
 * Reopens a signal that had ended: its entry has been filled further, and these shares need an exit too. Resumes from the
 * state that the ledger kept at the last end. Only one run may resume from it; any other run ends at once.
 */
export async function reopen(run: SignalRun): Promise<void> {
  const kept = await step('reopenSignal', 'Take the signal up again: it was filled after its end', {
    signalId: run.terms.signalId,
    at: workflowNow(),
    // Continue-as-new changes the run id, but only after this step.
    by: workflowInfo().runId,
  })
  if (kept === null) run.phase = 'ended'
  else run.reopen(kept)
}
