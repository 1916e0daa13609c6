import type { Settings } from '#test/support/part.ts'
import { substituting } from '#test/support/substitutes.ts'
import { Faults, type FaultPlan } from './fault-plan.ts'

/** The calls of the worker that have an effect, and what makes them go wrong. */
const SUBSTITUTES = {
  'worker/worker.ts': {
    '#activities/index.ts': 'test/faults/activities.ts',
    '#brokers/registry.ts': 'test/faults/brokers.ts',
    './feed/workflow-announcer.ts': 'test/faults/announcer.ts',
  },
  'activities/order/throttle.ts': { '#db/order/throttle.ts': 'test/faults/throttle.ts' },
  'activities/index.ts': { '#db/order/decisions.ts': 'test/faults/decisions.ts' },
  'worker/feed/order-reconciler.ts': { '#db/order/reports.ts': 'test/faults/order-reports.ts' },
}

/** Settings with which the worker does what it always does, but for what is planned to go wrong. */
export const faultyWorker = (planFile: string, plan: FaultPlan): Settings => ({
  ...substituting(SUBSTITUTES),
  ...Faults.write(planFile, plan),
})
