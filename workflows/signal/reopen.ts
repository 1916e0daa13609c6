import { workflowInfo } from '@temporalio/workflow'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/**
 * Opens a signal again that had ended: its entry has been filled further, and these shares need their exit too. Goes
 * on from what the ledger kept at the last end, whoever asked and however often; if that has been taken up
 * already, nothing is left to do.
 */
export async function reopen(run: SignalRun): Promise<void> {
  const kept = await step('reopenSignal', 'Take the signal up again: it was filled after its end', {
    signalId: run.terms.signalId,
    at: workflowNow(),
    // An earlier history of the same run goes on under another id, but only after this step.
    by: workflowInfo().runId,
  })
  if (kept === null) run.phase = 'ended'
  else run.reopen(kept)
}
