import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow'
import { millisecondsUntil } from './workflow-time.ts'

/** The end of a wait. `summary` names its timer for operators. */
export interface Deadline {
  /** UTC instant. */
  at: string
  summary: string
}

/** A run that may continue as new. */
export interface LongRun {
  /** The argument for continue-as-new. Only while no message is being handled. */
  continueAsNewInput(): object
  /** The task queue in which the run is to go on from its next wait that is not short; null where that is its own. */
  readonly nextQueue: string | null
}

/**
 * Milliseconds that a run waits before it goes on in another queue. What ends sooner is spared the way; and the task that leaves
 * has done nothing else: Temporal refuses to continue as new while a message is on its way, and has the whole task done again.
 */
const BEFORE_MOVING = 5_000

/**
 * Waits until the condition holds or the deadline has passed; true when the condition holds. A wait may last for months:
 * it adds no history events, and when messages have made the history long it continues as new from here, as it does after
 * {@link BEFORE_MOVING} where the run belongs into another queue by now. Only for waits that can be resumed from
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

/** Runs the work until it is done or interrupted; null when it was interrupted, and cancels the work then. */
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
