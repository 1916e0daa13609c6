import type { OrderReport } from '#domain/order.ts'
import { persistStep } from '../steps/steps.ts'
import type { Deadline } from '../steps/waits.ts'
import { inMinutes } from '../steps/workflow-time.ts'

/** Minutes after which a cancel is requested again from the broker; the last value repeats. */
const ASK_AGAIN = [1, 5, 15]

/**
 * Sends a cancel request of a person to the broker and records it. The broker accepts the request, which does not end
 * the order yet: a fill may come first, and the feed reports the end. Returns the order as the broker reports it then,
 * null when it does not.
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

/** How long to wait for the effect of a cancel request, by the number of requests so far. */
export const cancelRetryDeadline = (asked: number): Deadline => ({
  at: inMinutes(ASK_AGAIN[Math.min(asked, ASK_AGAIN.length) - 1]!),
  summary: 'Wait for the cancel to take effect',
})
