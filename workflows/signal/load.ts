import { condition } from '@temporalio/workflow'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** How far the signal has come, by the ledger: after a loss, a late fill, a restoration, or a long history. */
export async function load(run: SignalRun): Promise<void> {
  const { signalId } = run.terms
  run.load(await step('loadSignal', 'Read how far the signal has come', { signalId, at: workflowNow() }))
  // Who withdraws a signal that nobody has begun must not have it sent.
  await condition(() => run.unjudged === 0)
}
