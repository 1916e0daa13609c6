import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import type { answerAtOnce } from './worker.ts'

const local = proxyLocalActivities<{ answerAtOnce: typeof answerAtOnce }>({
  startToCloseTimeout: '1500 milliseconds',
})

/** The least cost of a durable answer: one local activity, and an update that waits for it. */
export async function floorWorkflow(): Promise<void> {
  const answered = local.answerAtOnce()
  setHandler(defineUpdate<string>('awaitAnswer'), () => answered)
  await answered
  await condition(allHandlersFinished)
}
