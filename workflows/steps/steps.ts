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
import type { Activities } from '#activities/contract.ts'

/**
 * Every effect is tried once on the spot, as a local activity, which costs one event and no round trip to the
 * server. Whatever that does not settle falls to an ordinary activity, which retries for as long as it takes
 * and which operators can watch. Both run the same code, so a worker's death in between repeats a step
 * that may be repeated.
 */
const quick = proxyLocalActivities<Activities>({
  startToCloseTimeout: '1500 milliseconds',
  retry: { maximumAttempts: 1 },
})
const durable = proxyActivities<Activities>({
  // Longer than a broker request may take, short enough that a dead worker is soon noticed.
  startToCloseTimeout: '8 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' },
})

export type StepName = keyof Activities
export type StepResult<K extends StepName> = Awaited<ReturnType<Activities[K]>>

/** A proxied activity, once its name is known: TypeScript cannot follow a generic name through the SDK's union. */
interface Callable<K extends StepName> {
  executeWithOptions(
    options: { summary: string; scheduleToCloseTimeout?: string },
    args: Parameters<Activities[K]>,
  ): Promise<StepResult<K>>
}
const quickly = <K extends StepName>(name: K) => quick[name] as unknown as Callable<K>
const durably = <K extends StepName>(name: K) => durable[name] as unknown as Callable<K>

const PAUSE_AFTER_STRANGERS = '2 seconds'

/** What became of a quick try: its result, or why there is none yet. */
export type Tried<T> = { completed: true; result: T } | { completed: false; cause: string; failure: string }

/** Tries a step once, on the spot. */
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

/**
 * Runs a step for as long as it takes. Also for whatever a message has asked for: the message is in the history with
 * the step, whereas a step on the spot may have happened and its message be lost, when Temporal stops in between.
 */
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
      // No failure of ours ends the retries: somebody else has answered in the place of a worker. That tells nothing of
      // what became of the step, which is safe to repeat.
      await sleep(PAUSE_AFTER_STRANGERS, { summary: `Before it is tried again: ${summary}` })
    }
  }
}

/** Runs a step: on the spot if that settles it, for as long as it takes otherwise. */
export async function step<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  const tried = await tryStep(name, summary, ...args)
  return tried.completed ? tried.result : persistStep(name, summary, ...args)
}

/** Runs a step for a few seconds: for somebody who waits for the answer and can do without it. */
export async function persistBriefly<K extends StepName>(
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<Tried<StepResult<K>>> {
  try {
    const options = { summary, scheduleToCloseTimeout: '4 seconds' }
    return { completed: true, result: await durably(name).executeWithOptions(options, args) }
  } catch (error) {
    return incompleteAfter(error)
  }
}

/** What a failed try tells; anything that is not an activity's failure is thrown on. */
function incompleteAfter(error: unknown): { completed: false; cause: string; failure: string } {
  if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error
  // A local activity's own failure comes bare, that of an ordinary one wrapped (SDK 1.24).
  let cause: Error | undefined = error instanceof ActivityFailure ? error.cause : error
  // Time ran out between two tries: what counts is what became of the last one.
  if (cause instanceof TimeoutFailure && cause.cause instanceof ApplicationFailure) cause = cause.cause
  return {
    completed: false,
    cause: cause?.message ?? error.message,
    failure: cause instanceof ApplicationFailure ? (cause.type ?? 'Error') : 'Timeout',
  }
}

/** Failures after which it is certain that nothing was sent: the broker asks for a pause, or a halt stands. */
const NOTHING_SENT: ReadonlySet<string> = new Set(['BrokerBusy', 'Halted'])
export const mayHaveSent = (failure: string): boolean => !NOTHING_SENT.has(failure)
