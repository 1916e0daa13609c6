import { condition } from '@temporalio/workflow'
import type { Activities, RecordExitTroubleInput, Stopping } from '#activities/contract.ts'
import { afterFailure, longestWait } from '#domain/exit/progress.ts'
import { DENIALS } from '#domain/risk/denial.ts'
import type { ExitReason, ExitTrouble } from '#domain/exit/exit.ts'
import { runBounded, runDurable, step, runLocal, type StepName, type StepResult } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { SignalRun } from '../signal/run.ts'

/** Tries never stop; after an acknowledged alert they use the longest interval. */
export async function reportTrouble(run: SignalRun, reason: ExitReason, trouble: ExitTrouble): Promise<void> {
  const now = workflowNow()
  // The order itself was rejected: no message changes that.
  const isRefused = trouble.kind === 'ended' || (trouble.code !== null && !DENIALS[trouble.code].canChange)
  const why = isRefused ? 'refused' : 'obstacle'
  const detail = `another try of the exit (${inWords(trouble)})`
  run.exit = afterFailure(run.exit, reason, { why, now, detail })
  const wait = run.exit.waits[reason]!
  const nextTry = { usual: wait.until, acknowledged: longestWait(now) }
  const { acknowledged } = await recordTrouble(run, trouble, { reason, nextTry })
  if (!acknowledged || run.exit.waits[reason] !== wait) return
  run.exit.waits = { ...run.exit.waits, [reason]: { ...wait, until: nextTry.acknowledged } }
}

export function recordTrouble(
  run: SignalRun,
  trouble: ExitTrouble,
  then: Partial<Pick<RecordExitTroubleInput, 'nextTry' | 'isQuiet' | 'reason'>> = {},
  at = workflowNow(),
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

/** Alerts that the broker does not cancel an order for an exit. */
export async function notifyNotCancelled(
  run: SignalRun,
  clientOrderId: string,
  to: ExitReason,
): Promise<void> {
  const detail = `the broker has not cancelled ${clientOrderId}, which ${run.nextExitId(to)} must replace`
  const { generation } = run.exit
  await recordTrouble(run, { generation, kind: 'held', code: null, detail }, { reason: to })
}

/** Leaves the position to the person; too_late where the ledger has sized an exit already. */
export async function cancelExitFor(run: SignalRun, by: string): Promise<Stopping> {
  while (run.isExitChanging) await condition(() => !run.isExitChanging)
  run.exitCancels += 1
  const stopping = await runDurable('recordExitCancelled', `Record that ${by} cancelled the exit`, {
    signalId: run.terms.signalId,
    at: workflowNow(),
    by,
    generation: run.exit.generation,
  })
  run.exitCancels -= 1
  if (stopping === 'stopped') run.exit = { ...run.exit, cancelledBy: run.exit.cancelledBy ?? by }
  return stopping
}

/** Alerts the owner when a step is not done within seconds, and retries it. */
export async function stepOrAlarm<K extends StepName>(
  run: SignalRun,
  {
    kind,
    reason,
    later,
  }: { kind: 'unplanned' | 'held'; reason: ExitReason; later?: Parameters<Activities[K]> },
  name: K,
  summary: string,
  ...args: Parameters<Activities[K]>
): Promise<StepResult<K>> {
  const again = later ?? args
  const first = await runLocal(name, summary, ...args)
  const second = first.completed ? first : await runBounded(name, summary, ...again)
  if (second.completed) return second.result
  // The second may end without an attempt.
  const tried = second.failure === 'Timeout' && !first.completed ? first : second
  const rejectsKeys = tried.failure === 'BrokerCredentialsError'
  const trouble = {
    generation: run.exit.generation,
    kind,
    code: rejectsKeys ? 'BROKER_CREDENTIALS_INVALID' : null,
    detail: tried.cause,
  } as const
  await recordTrouble(run, trouble, { reason })
  run.waitFor(`what the exit depends on (${inWords(trouble)})`)
  return runDurable(name, summary, ...again)
}

const inWords = ({ code, detail }: Pick<ExitTrouble, 'code' | 'detail'>): string =>
  code === null ? detail : `${code}: ${detail}`
