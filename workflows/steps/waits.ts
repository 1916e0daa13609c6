import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow'
import { compare } from '#domain/decimal.ts'
import type { SignalRun } from '../signal/run.ts'
import { step } from './steps.ts'
import { millisecondsUntil } from './workflow-time.ts'

/** The clock that bounds a wait. `summary` names its timer for operators. */
export interface Deadline {
  /** UTC instant. */
  at: string
  summary: string
}

/** A story that may outlast one history. */
export interface LongRun {
  /** The argument with which a fresh history goes on from here. Only while no message is being handled. */
  continueAsNewInput(): object
}

/**
 * Waits until something has come about, or a deadline has passed; tells whether it came about. A wait may last
 * for months: it costs no history, and when messages have made the history long, the run goes on with a fresh
 * one from here. Only for waits from which {@link LongRun.continueAsNewInput} tells enough to go on.
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

/**
 * Waits like {@link waitUntil}, and meanwhile lets the ledger knows of fills of the entry that come late: until they do the
 * feed brings them again at every comparison.
 */
export async function waitUntilOrFilledFurther(
  run: SignalRun,
  isReached: () => boolean,
  deadline: Deadline | null,
): Promise<boolean> {
  for (;;) {
    const known = run.entry.filledQuantity
    const isFilledFurther = () => compare(run.entry.filledQuantity, known) > 0
    const came = await waitUntil(run, () => isReached() || isFilledFurther(), deadline)
    if (isReached() || !came) return isReached()
    await step('acknowledgeEnds', 'Take note of a late fill', {
      signalId: run.terms.signalId,
      acknowledges: run.endedOrders,
    })
  }
}

const mayContinueAsNew = (): boolean => workflowInfo().continueAsNewSuggested && allHandlersFinished()

/** Works until the interruption comes, and gives up the work then: null. */
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
