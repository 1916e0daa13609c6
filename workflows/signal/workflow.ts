import { allHandlersFinished, condition } from '@temporalio/workflow'
import type { SignalInput, SignalOutcome } from './contract.ts'
import { reopen } from './close.ts'
import { sendEntry } from './entry.ts'
import { runExit } from './exit.ts'
import { waitForStart } from './wait-for-start.ts'
import { answerMessages } from './messages.ts'
import { SignalRun } from './run.ts'
import { followEntryOrder } from './follow-entry.ts'

/** Each part sets the next phase or ends the signal; after continue-as-new the run resumes in its phase. */
export async function signalWorkflow({
  terms,
  resumeState,
  reopens,
  thenQueue,
}: SignalInput): Promise<SignalOutcome> {
  const run = new SignalRun(terms, { resumeState, thenQueue })
  if (reopens) run.phase = 'exiting'
  answerMessages(run)

  if (reopens) await reopen(run)
  while (run.phase === 'waiting' || run.phase === 'checking')
    await (run.phase === 'waiting' ? waitForStart(run) : sendEntry(run))
  if (run.phase === 'working') await followEntryOrder(run)
  if (run.phase === 'exiting') await runExit(run)

  run.waitFor(null)
  await condition(allHandlersFinished)
  return run.outcome
}
