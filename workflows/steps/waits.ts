import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
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
}

/**
 * Waits until the condition holds or the deadline has passed; true when the condition holds. A wait may last for months:
 * it adds no history events, and when messages have made the history long, the run continues as new from here. Only for
 * waits that can be resumed from {@link LongRun.continueAsNewInput}.
 */
export async function waitUntil(
  run: LongRun,
  isReached: () => boolean,
  deadline: Deadline | null,
): Promise<boolean> {
  while (!isReached()) {
    const wake = () => isReached() || mayContinueAsNew()
    const left = deadline === null ? null : millisecondsUntil(deadline.at)
    if (left === 0) return false
    const woken =
      left === null
        ? (await condition(wake), true)
        : await condition(wake, left, { summary: deadline!.summary })
    if (isReached()) return true
    if (!woken) return false
    await continueAsNew<(input: object) => Promise<unknown>>(run.continueAsNewInput())
  }
  return true
}

const mayContinueAsNew = (): boolean => workflowInfo().continueAsNewSuggested && allHandlersFinished()

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
