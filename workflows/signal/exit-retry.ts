import type { Activities, RecordExitTroubleInput } from '#activities/contract.ts'
import type { ExitTrouble } from '#domain/exit.ts'
import type { SignalRun } from './run.ts'
import { persistBriefly, persistStep, step, tryStep, type StepName, type StepResult } from '../steps/steps.ts'
import { waitUntilOrFilledFurther } from '../steps/waits.ts'
import { inMinutes, workflowNow } from '../steps/workflow-time.ts'

/** Minutes to wait before an exit that came to nothing is tried again; the last one repeats. */
const LADDER = [0.1, 0.25, 1, 5, 15]

/**
 * Alerts the owner that the exit which should be out is not, and sets the time of the next try. Once a person has
 * said that they know, the tries come at the longest distance, but they never stop.
 */
export async function reportTrouble(run: SignalRun, trouble: ExitTrouble): Promise<void> {
  const { exit } = run
  const nextTry = {
    usual: inMinutes(LADDER[Math.min(exit.failures, LADDER.length - 1)]!),
    acknowledged: inMinutes(LADDER.at(-1)!),
  }
  const { acknowledged } = await recordTrouble(run, trouble, workflowNow(), nextTry)
  exit.failures += 1
  exit.notBefore = acknowledged ? nextTry.acknowledged : nextTry.usual
  run.waitFor(`another try of the exit (${inWords(trouble)})`, exit.notBefore)
}

/** Writes down why the exit is not out, which alerts its owner. */
export function recordTrouble(
  run: SignalRun,
  trouble: ExitTrouble,
  at = workflowNow(),
  nextTry?: RecordExitTroubleInput['nextTry'],
): Promise<{ acknowledged: boolean }> {
  return step('recordExitTrouble', `Record that the exit is not out: ${trouble.kind}`, {
    signalId: run.terms.signalId,
    at,
    acknowledges: run.endedOrders,
    ...trouble,
    ...(nextTry && { nextTry }),
  })
}

/** Waits for the time of the next try, for a person who cancels the exit, or for word that it can be placed now. */
export async function waitForNextTry(run: SignalRun): Promise<void> {
  const { exit } = run
  if (exit.notBefore === null) throw new TypeError('the exit has nothing to wait for')
  await waitUntilOrFilledFurther(run, () => run.exitCancelledBy !== null || run.exitRetryAsked, {
    at: exit.notBefore,
    summary: `Try the exit of ${run.terms.symbol} again at ${exit.notBefore}`,
  })
  run.exitRetryAsked = false
  exit.notBefore = null
}

/**
 * Runs a step that the exit waits for. When it is not done within seconds the owner is alerted, and the step goes on
 * for as long as it takes.
 */
export async function stepOrAlarm<K extends StepName>(
  run: SignalRun,
  kind: 'unplanned' | 'held',
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  const first = await tryStep(name, summary, ...args)
  const tried = first.completed ? first : await persistBriefly(name, summary, ...args)
  if (tried.completed) return tried.result
  const rejectsKeys = tried.failure === 'BrokerCredentialsError'
  const trouble = {
    generation: run.exit.generation,
    kind,
    code: rejectsKeys ? 'BROKER_CREDENTIALS_INVALID' : null,
    detail: tried.cause,
  } as const
  await recordTrouble(run, trouble)
  run.waitFor(`what the exit depends on (${inWords(trouble)})`)
  return persistStep(name, summary, ...args)
}

const inWords = ({ code, detail }: Pick<ExitTrouble, 'code' | 'detail'>): string =>
  code === null ? detail : `${code}: ${detail}`
