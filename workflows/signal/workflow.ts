import { condition, allHandlersFinished } from '@temporalio/workflow'
import { SignalRun } from './run.ts'
import { step, workflowNow } from '../steps/steps.ts'
import type { SignalInput, SignalOutcome } from './contract.ts'
import { sendEntry, followEntryOrder } from './entry.ts'
import { runExit } from './exit.ts'
import { waitForStart } from './wait-for-start.ts'
import { answerMessages } from './messages.ts'

/** How far the signal has come, by the ledger: after a loss, a late fill, a restoration, or a long history. */
async function load(run: SignalRun): Promise<void> {
  const { signalId } = run.terms
  run.load(await step('loadSignal', 'Read how far the signal has come', { signalId, at: workflowNow() }))
  // Who withdraws a signal that nobody has begun must not have it sent.
  await condition(() => run.unjudged === 0)
}

/** Each part sets the next phase or ends the signal; every run but the first goes on from the ledger. */
export async function signalWorkflow({ terms, ...how }: SignalInput): Promise<SignalOutcome> {
  const run = new SignalRun(terms, how)
  answerMessages(run)

  if (run.phase === 'loading') await load(run)
  do {
    while (run.phase === 'waiting' || run.phase === 'checking')
      await (run.phase === 'waiting' ? waitForStart(run) : sendEntry(run))
    if (run.phase === 'working') await followEntryOrder(run)
    if (run.phase === 'exiting') await runExit(run)

    run.waitFor(null)
    await condition(allHandlersFinished)
    // A plan that came after the end goes on with the exit.
  } while (run.phase !== 'ended')
  return run.outcome
}
