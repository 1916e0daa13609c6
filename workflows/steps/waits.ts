import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow'
import { millisecondsUntil } from './workflow-time.ts'

export interface Deadline {
  at: string
  summary: string
}

export interface LongRun {
  /** Only while no message is being handled. */
  continueAsNewInput(): object
  /** Where the run goes on after its next long wait; null for its own queue. */
  readonly nextQueue: string | null
}

/**
 * Milliseconds of a wait before the move to another queue. Shorter waits stay; and the task that leaves does
 * nothing else, because Temporal refuses to continue as new while a message is on its way, and repeats the whole
 * task.
 */
const BEFORE_MOVING = 5_000

/**
 * True when the condition holds. A wait may last for months: it adds no history events, and continues as new
 * when the history is long, or after {@link BEFORE_MOVING} in another queue. Only for waits that resume from
 * {@link LongRun.continueAsNewInput}.
 */
export async function waitUntil(
  run: LongRun,
  isReached: () => boolean,
  deadline: Deadline | null,
): Promise<boolean> {
  while (!isReached()) {
    const wake = () => isReached() || (workflowInfo().continueAsNewSuggested && allHandlersFinished())
    const left = deadline === null ? null : millisecondsUntil(deadline.at)
    if (left === 0) return false
    const { nextQueue } = run
    const isToMove = nextQueue !== null && (left === null || left > BEFORE_MOVING)
    const woken = isToMove
      ? await condition(wake, BEFORE_MOVING, { summary: `Go on in the task queue ${nextQueue}` })
      : left === null
        ? (await condition(wake), true)
        : await condition(wake, left, { summary: deadline!.summary })
    if (isReached()) return true
    if (!woken && !isToMove) return false
    await condition(() => isReached() || allHandlersFinished())
    if (isReached()) return true
    await makeContinueAsNewFunc<(input: object) => Promise<unknown>>(
      nextQueue === null ? {} : { taskQueue: nextQueue },
    )(run.continueAsNewInput())
  }
  return true
}

export async function runUnlessInterrupted<T>(
  interruption: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T | null> {
  let isInterrupted = false
  const scope = new CancellationScope()
  const watch = new CancellationScope()
  const watching = watch.run(async () => {
    await interruption()
    isInterrupted = true
    scope.cancel()
  })
  try {
    return await scope.run(work)
  } catch (error) {
    if (isCancellation(error) && isInterrupted) return null
    throw error
  } finally {
    watch.cancel()
    await watching.catch((error: unknown) => {
      if (!isCancellation(error)) throw error
    })
  }
}
