import { allHandlersFinished, condition } from '@temporalio/workflow'
import type { SignalInput, SignalOutcome } from './contract.ts'
import { enter } from './entry.ts'
import { leave } from './exit.ts'
import { hold } from './wait-for-start.ts'
import { answerMessages } from './messages.ts'
import { reopen } from './reopen.ts'
import { SignalRun } from './run.ts'
import { work } from './follow-entry.ts'

/**
 * The life of one trading signal. Each part leads to the next by setting the phase, or ends the story; a run that
 * takes over from an earlier one begins where that left off.
 */
export async function signalWorkflow({ terms, carried, reopens }: SignalInput): Promise<SignalOutcome> {
  const run = new SignalRun(terms, carried)
  if (reopens) run.phase = 'leaving'
  answerMessages(run)

  if (reopens) await reopen(run)
  if (run.phase === 'waiting') await hold(run)
  if (run.phase === 'entering') await enter(run)
  if (run.phase === 'working') await work(run)
  if (run.phase === 'leaving' || run.phase === 'exiting') await leave(run)

  run.waitFor(null)
  await condition(allHandlersFinished)
  return run.outcome
}
