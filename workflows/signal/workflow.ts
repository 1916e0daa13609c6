import { allHandlersFinished, condition } from '@temporalio/workflow'
import type { SignalInput, SignalOutcome } from './contract.ts'
import { load } from './load.ts'
import { sendEntry } from './entry.ts'
import { runExit } from './exit.ts'
import { waitForStart } from './wait-for-start.ts'
import { answerMessages } from './messages.ts'
import { SignalRun } from './run.ts'
import { followEntryOrder } from './follow-entry.ts'

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
