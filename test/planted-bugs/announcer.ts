/** In the place of `worker/feed/workflow-announcer.ts`: the same announcer, with the bugs that are planted. */
import type { Client } from '@temporalio/client'
import type { OrderReport } from '#domain/order/order.ts'
import { workflowAnnouncer as faultyAnnouncer } from '#test/faults/announcer.ts'
import type { Announcer } from '#worker/feed/order-reconciler.ts'
import { BUGS, type Bug } from './bugs.ts'
import { plantedIn } from './plan.ts'

export function workflowAnnouncer(client: Client, taskQueue: string): Announcer {
  const real = faultyAnnouncer(client, taskQueue)
  const announcerOf = ({ symbol }: Pick<OrderReport, 'symbol'>): Announcer => {
    const planted = plantedIn(symbol)
    const bug: Bug = planted === null ? {} : BUGS[planted]
    return { ...real, ...bug.announcer?.(real) }
  }
  return {
    ...real,
    announce: (signalId, report) => announcerOf(report).announce(signalId, report),
    ensureRunning: (signal) => announcerOf(signal.terms).ensureRunning(signal),
  }
}
