import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow'
import type { OrderReport } from '#domain/order.ts'
import type { SignalInput } from './contract.ts'
import type { SignalRun } from './signal-run.ts'
import { millisecondsUntil } from './workflow-time.ts'

/** The clock that bounds a wait. `summary` names its timer for operators. */
export interface Deadline {
  /** UTC instant. */
  at: string
  summary: string
}

/**
 * Waits until something has come about, or a deadline has passed; tells whether it came about. A wait may last
 * for months: it costs no history, and when messages have made the history long, the run goes on with a fresh
 * one from here. Only for waits from which {@link SignalRun.carry} tells enough to go on.
 */
export async function untilOr(
  run: SignalRun,
  cameAbout: () => boolean,
  deadline: Deadline | null,
): Promise<boolean> {
  while (!cameAbout()) {
    const wake = () => cameAbout() || mayStartAfresh()
    const left = deadline === null ? null : millisecondsUntil(deadline.at)
    if (left === 0) return false
    const woken =
      left === null
        ? (await condition(wake), true)
        : await condition(wake, left, { summary: deadline!.summary })
    if (cameAbout()) return true
    if (!woken) return false
    await continueAsNew<(input: SignalInput) => Promise<unknown>>({ terms: run.terms, carried: run.carry() })
  }
  return true
}

const mayStartAfresh = (): boolean => workflowInfo().continueAsNewSuggested && allHandlersFinished()

/**
 * Waits for the end of an order, for as long as it takes. The news comes from the broker feed, whose slow poll
 * of every account finds what the stream has missed; a wait here costs neither history nor requests.
 */
export async function untilEnded(run: SignalRun, clientOrderId: string): Promise<OrderReport> {
  await condition(() => run.hasEnded(clientOrderId))
  return run.report(clientOrderId)!
}
