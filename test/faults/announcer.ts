/** In the place of `worker/feed/workflow-announcer.ts`: the same announcer, in which goes wrong what is planned. */
import type { Client } from '@temporalio/client'
import { parseClientOrderId } from '#domain/order/order.ts'
import type { Announcer } from '#worker/feed/order-reconciler.ts'
import { workflowAnnouncer as realAnnouncer } from '#worker/feed/workflow-announcer.ts'
import { Faults } from './fault-plan.ts'

export function workflowAnnouncer(client: Client, taskQueue: string): Announcer {
  const faults = Faults.ofThisProcess()
  const announcer = realAnnouncer(client, taskQueue)
  return {
    ...announcer,
    announce: (signalId, report) =>
      faults.around(
        `announcing the end of the ${parseClientOrderId(report.clientOrderId)?.role}`,
        report.symbol,
        () => announcer.announce(signalId, report),
      ),
    ensureRunning: (signal) =>
      faults.around('opening the signal again', signal.terms.symbol, () => announcer.ensureRunning(signal)),
  }
}
