import { allHandlersFinished, condition } from '@temporalio/workflow'
import type { OrderInput, OrderOutcome } from './contract.ts'
import { answerOrderMessages } from './messages.ts'
import { place } from './place.ts'
import { OrderRun } from './run.ts'
import { followManualOrder } from './follow.ts'

/** The life of one order that a person placed: checked, sent, and followed until it has ended. */
export async function orderWorkflow({ terms, resumeState }: OrderInput): Promise<OrderOutcome> {
  const run = new OrderRun(terms, resumeState)
  answerOrderMessages(run)

  if (run.phase === 'checking') await place(run)
  if (run.phase === 'working') await followManualOrder(run)

  run.waitFor(null)
  await condition(allHandlersFinished)
  return run.outcome
}
