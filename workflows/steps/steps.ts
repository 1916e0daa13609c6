import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow'
import type { Activities, Tried } from '#activities/contract.ts'
import { BRIEF_STEP, DURABLE_STEP, QUICK_STEP } from '#domain/entry-times.ts'
import { failureOfType } from '#domain/step-failure.ts'

/**
 * Every effect is tried once as a local activity: one event, no round trip to the server. An ordinary activity
 * follows, which retries and is visible to operators. Every step is safe to repeat, so a crash in between does
 * no harm.
 */
const quick = proxyLocalActivities<Activities>({
  startToCloseTimeout: QUICK_STEP,
  retry: { maximumAttempts: 1 },
})
const durable = proxyActivities<Activities>({
  startToCloseTimeout: DURABLE_STEP,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' },
})

/** The time of an exit may be known again at any moment, and the exit has to leave within seconds of that. */
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
  (name === 'planExit' ? plannedSoon : durable)[name] as unknown as Callable<K>

const PAUSE_AFTER_STRANGERS = '2 seconds'

export async function tryStep<K extends StepName>(
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

/** Also for steps that a message asked for: with a local activity the message could be lost when Temporal stops. */
export async function persistStep<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  for (;;) {
    try {
      return await durably(name).executeWithOptions({ summary }, args)
    } catch (error) {
      if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error
      // No failure of ours ends the retries, so this answer did not come from one of our workers. It says
      // nothing about the step, which is safe to repeat.
      await sleep(PAUSE_AFTER_STRANGERS, { summary: `Pause before the next attempt: ${summary}` })
    }
  }
}

export async function step<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  const tried = await tryStep(name, summary, ...args)
  return tried.completed ? tried.result : persistStep(name, summary, ...args)
}

/** For a few seconds at most: the caller can go on without the answer. */
export async function persistBriefly<K extends StepName>(
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
  // The time ran out between two attempts: the failure of the last attempt counts.
  while (cause instanceof TimeoutFailure && cause.cause instanceof TemporalFailure) cause = cause.cause
  if (!(cause instanceof ApplicationFailure))
    return { completed: false, cause: 'there was no answer in time', failure: 'Timeout' }
  return { completed: false, cause: cause.message, failure: failureOfType(cause.type) }
}
