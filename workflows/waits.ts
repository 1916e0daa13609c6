import { condition } from '@temporalio/workflow'
import type { OrderReport } from '#domain/order.ts'
import type { SignalRun } from './signal-run.ts'
import { millisecondsUntil } from './workflow-time.ts'

/**
 * Waits for a UTC instant, or until something makes it worth looking again; not at all when the instant has passed.
 * `summary` names the timer for operators.
 *
 * @returns whether the wait was cut short
 */
export async function untilInstant(
  instant: string,
  summary: string,
  isWorthALook: () => boolean,
): Promise<boolean> {
  const wait = millisecondsUntil(instant)
  return wait > 0 && (await condition(isWorthALook, wait, { summary }))
}

/**
 * Waits for the end of an order, for as long as it takes. The news comes from the broker feed, whose slow poll
 * of every account finds what the stream has missed; a wait here costs neither history nor requests.
 */
export async function untilEnded(run: SignalRun, clientOrderId: string): Promise<OrderReport> {
  await condition(() => run.hasEnded(clientOrderId))
  return run.report(clientOrderId)!
}
