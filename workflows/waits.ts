import { condition, sleep } from '@temporalio/workflow'
import type { OrderReport } from '#domain/order.ts'
import type { SignalRun } from './signal-run.ts'
import { millisecondsUntil } from './workflow-time.ts'

/** Waits for a UTC instant; not at all when it has passed. `summary` names the timer for operators. */
export async function untilInstant(instant: string, summary: string): Promise<void> {
  const wait = millisecondsUntil(instant)
  if (wait > 0) await sleep(wait, { summary })
}

/**
 * Waits for the end of an order, for as long as it takes. The news comes from the broker feed, whose slow poll
 * of every account finds what the stream has missed; a wait here costs neither history nor requests.
 */
export async function untilEnded(run: SignalRun, clientOrderId: string): Promise<OrderReport> {
  await condition(() => run.hasEnded(clientOrderId))
  return run.report(clientOrderId)!
}
