import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  workflowInfo,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow'
import type { Activities, Tried } from '#activities/contract.ts'
import { BRIEF_STEP, DURABLE_STEP, QUICK_STEP } from '#domain/order/entry-order.ts'
import { failureOfType } from '#domain/async/step-failure.ts'
import { millisecondsUntil } from './workflow-time.ts'

export interface Deadline {
  at: string
  summary: string
}

export interface LongRun {
  /** To be called only while no message is being handled. */
  continueAsNewInput(): object
  /** Queue after the next long wait; null for its own. */
  readonly nextQueue: string | null
}

/**
 * Milliseconds of a wait before the move to another queue. The task that moves does nothing else, because Temporal
 * refuses to continue as new while a message is on its way.
 */
const BEFORE_MOVING = 5_000

/**
 * True when the condition holds. The wait continues as new when the history is long, or after {@link BEFORE_MOVING} in
 * another queue; so only for waits that resume from {@link LongRun.continueAsNewInput}.
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

/**
 * Every effect is tried once as a local activity (one event), then as an ordinary activity, which retries and is
 * visible to operators. Every step is safe to repeat, so a crash in between does no harm.
 */
const quick = proxyLocalActivities<Activities>({
  startToCloseTimeout: QUICK_STEP,
  retry: { maximumAttempts: 1 },
})
const durable = proxyActivities<Activities>({
  startToCloseTimeout: DURABLE_STEP,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' },
})

/** An exit must leave within seconds of its time being known. */
const plannedSoon = proxyActivities<Activities>({
  startToCloseTimeout: DURABLE_STEP,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '3 seconds' },
})

export type StepName = keyof Activities
export type StepResult<K extends StepName> = Awaited<ReturnType<Activities[K]>>

/** TypeScript cannot follow a generic name through the SDK's union. */
interface Callable<K extends StepName> {
  executeWithOptions(
    options: { summary: string; scheduleToCloseTimeout?: number },
    args: Parameters<Activities[K]>,
  ): Promise<StepResult<K>>
}
const quickly = <K extends StepName>(name: K) => quick[name] as unknown as Callable<K>
const durably = <K extends StepName>(name: K) =>
  (name === 'scheduleExit' ? plannedSoon : durable)[name] as unknown as Callable<K>

const PAUSE_AFTER_STRANGERS = '2 seconds'

export async function runLocal<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<Tried<StepResult<K>>> {
  try {
    return { completed: true, result: await quickly(name).executeWithOptions({ summary }, args) }
  } catch (error) {
    return incompleteAfter(error)
  }
}

/** Also for steps that a message requested: a local activity could lose the message. */
export async function runDurable<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  for (;;) {
    try {
      return await durably(name).executeWithOptions({ summary }, args)
    } catch (error) {
      if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error
      // This failure is not from our workers, and says nothing about the step.
      await sleep(PAUSE_AFTER_STRANGERS, { summary: `Pause before the next attempt: ${summary}` })
    }
  }
}

export async function step<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  const tried = await runLocal(name, summary, ...args)
  return tried.completed ? tried.result : runDurable(name, summary, ...args)
}

/** Tries for a few seconds at most. */
export async function runBounded<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<Tried<StepResult<K>>> {
  try {
    const options = { summary, scheduleToCloseTimeout: BRIEF_STEP }
    return { completed: true, result: await durably(name).executeWithOptions(options, args) }
  } catch (error) {
    return incompleteAfter(error)
  }
}

/** Rethrows any error that is not an activity failure. */
function incompleteAfter(error: unknown): Extract<Tried<unknown>, { completed: false }> {
  if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error
  // The SDK (1.24) wraps the failure of an ordinary activity, but not that of a local one.
  let cause: Error | undefined = error instanceof ActivityFailure ? error.cause : error
  // The time ran out between attempts: the last one's failure counts.
  while (cause instanceof TimeoutFailure && cause.cause instanceof TemporalFailure) cause = cause.cause
  if (!(cause instanceof ApplicationFailure))
    return { completed: false, cause: 'there was no answer in time', failure: 'Timeout' }
  return { completed: false, cause: cause.message, failure: failureOfType(cause.type) }
}
