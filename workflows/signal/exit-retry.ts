import type { Activities, RecordExitTroubleInput } from '#activities/contract.ts'
import { compare } from '#domain/decimal.ts'
import { EXIT_TRIED_WITHIN, type ExitTrouble } from '#domain/exit.ts'
import { hasPlanNews } from './plan-news.ts'
import type { SignalRun } from './run.ts'
import { persistBriefly, persistStep, step, tryStep, type StepName, type StepResult } from '../steps/steps.ts'
import { waitUntil, type Deadline } from '../steps/waits.ts'
import { inMinutes, workflowNow } from '../steps/workflow-time.ts'

/** Minutes before the next attempt of a failed exit; the last value repeats. */
const LADDER = [0.1, 0.25, 1, 5, EXIT_TRIED_WITHIN]

/** Attempts never stop; after an acknowledgement they come at the longest interval. */
export async function reportTrouble(run: SignalRun, trouble: ExitTrouble): Promise<void> {
  const nextTry = {
    usual: inMinutes(LADDER[Math.min(run.exit.failures, LADDER.length - 1)]!),
    acknowledged: inMinutes(LADDER.at(-1)!),
  }
  const failed = { ...run.exit, failures: run.exit.failures + 1, notBefore: nextTry.usual }
  const { acknowledged } = await recordTrouble(run, trouble, workflowNow(), { nextTry, progress: failed })
  const notBefore = acknowledged ? nextTry.acknowledged : nextTry.usual
  run.exit = { ...failed, notBefore }
  run.waitFor(`another try of the exit (${inWords(trouble)})`, notBefore)
}

/** Minutes, for an instant of another clock. */
const LEAST_WAIT = LADDER[0]!

/** Alerts the owner of a reached stop, but not of a resting one. `opensAt`: by the broker's clock. */
export async function waitForOpening(run: SignalRun, opensAt: string, alert?: string): Promise<void> {
  const soonest = inMinutes(LEAST_WAIT)
  const notBefore = opensAt > soonest ? opensAt : soonest
  run.exit = { ...run.exit, notBefore }
  const { generation } = run.exit
  const opening = `the exchange opens at ${opensAt}`
  const trouble: ExitTrouble = {
    generation,
    kind: alert === undefined ? 'closed' : 'held',
    code: null,
    detail: alert === undefined ? opening : `${alert}: ${opening}`,
  }
  const nextTry = { usual: notBefore, acknowledged: notBefore }
  const told = { nextTry, progress: run.exit, ...(alert === undefined && { isQuiet: true as const }) }
  await recordTrouble(run, trouble, workflowNow(), told)
  run.waitFor('the exchange to open, for the order of the exit plan', notBefore)
}

/** Failed attempts of a timed exit before its exit plan goes back to the broker in the meantime. */
export const PLAN_IS_BACK_AFTER = LADDER.length - 1

export function recordTrouble(
  run: SignalRun,
  trouble: ExitTrouble,
  at = workflowNow(),
  then: Partial<Pick<RecordExitTroubleInput, 'nextTry' | 'isQuiet' | 'progress'>> = {},
): Promise<{ acknowledged: boolean }> {
  return step('recordExitTrouble', `Record that the exit is not out: ${trouble.kind}`, {
    signalId: run.terms.signalId,
    at,
    acknowledges: run.endedOrders,
    progress: run.exit,
    ...trouble,
    ...then,
  })
}

/** The broker does not cancel an order that gives way to an exit, and nothing else is sent meanwhile. */
export async function tellNotCancelled(run: SignalRun, clientOrderId: string, to: string): Promise<void> {
  const detail = `the broker has not cancelled ${clientOrderId}, which is to give way to ${to}`
  await recordTrouble(run, { generation: run.exit.generation, kind: 'held', code: null, detail })
}

/** Or for a cancel of the exit, or the message that it can be placed now. */
export async function waitForNextTry(run: SignalRun): Promise<void> {
  const { notBefore } = run.exit
  if (notBefore === null) throw new TypeError('the exit has nothing to wait for')
  const isCutShort = () => run.exitCancelledBy !== null || run.exitRetryAsked || hasPlanNews(run)
  await waitUntilOrFilledFurther(run, isCutShort, {
    at: notBefore,
    summary: `Try the exit of ${run.terms.symbol} again at ${notBefore}`,
  })
  run.exitRetryAsked = false
  run.exit = { ...run.exit, notBefore: null }
}

/** Acknowledges late fills of the entry, which the feed would report again at every comparison. */
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

/** Alerts the owner when the step is not done within seconds, and retries it as long as necessary. */
export async function stepOrAlarm<K extends StepName>(
  run: SignalRun,
  kind: 'unplanned' | 'held',
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  const first = await tryStep(name, summary, ...args)
  const second = first.completed ? first : await persistBriefly(name, summary, ...args)
  if (second.completed) return second.result
  // The second may end without an attempt, when the broker asks for a longer pause than it may take.
  const tried = second.failure === 'Timeout' && !first.completed ? first : second
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
