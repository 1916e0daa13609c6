import { condition, setHandler } from '@temporalio/workflow'
import { answerOrderMessages } from '../order/messages.ts'
import { awaitPlacement, orderProgress } from './contract.ts'
import type { OrderRun } from './run.ts'

/** From the run's first moment on: a message may come before the main function runs. */
export function answerMessages(run: OrderRun): void {
  setHandler(
    awaitPlacement,
    async () => {
      await condition(() => run.hasOutcome)
      return run.placement
    },
    { description: 'Answers once the order is with the broker or known not to be placed' },
  )
  answerOrderMessages(run)
  setHandler(orderProgress, () => run.progress, { description: 'What the order waits for, in words' })
}
