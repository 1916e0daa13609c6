import type { OrderReport } from '#domain/order.ts'
import { persistStep } from '../steps/steps.ts'
import type { Deadline } from '../steps/waits.ts'
import { inMinutes } from '../steps/workflow-time.ts'

/** Minutes after which the broker is asked again to cancel an order that has not ended; the last one repeats. */
const ASK_AGAIN = [1, 5, 15]

/**
 * Has the broker take the cancel that a person asked for, and writes down that they did. It is accepted, not done: a
 * fill may come first, and the feed tells of the end. Returns how the order stands then, if the broker tells.
 */
export async function askToCancel(
  { accountId, brokerOrderId, by }: { accountId: string; brokerOrderId: string; by: string },
  record: () => Promise<void>,
): Promise<OrderReport | null> {
  const [{ report }] = await Promise.all([
    persistStep('cancelOrder', `Cancel the order, as ${by} asked`, {
      accountId,
      brokerOrderId,
      onlyIfUnfilled: false,
    }),
    record(),
  ])
  return report
}

/** How long to wait for a cancel to take effect that the broker has been asked for so many times. */
export const cancelRetryDeadline = (asked: number): Deadline => ({
  at: inMinutes(ASK_AGAIN[Math.min(asked, ASK_AGAIN.length) - 1]!),
  summary: 'Wait for the cancel to take effect',
})
