/** In the place of `activities/index.ts`: the same activities, in which goes wrong what is planned. */
import { activityInfo } from '@temporalio/activity'
import { orderAttempts, type AttemptedSteps } from '#activities/attempt.ts'
import type { Activities } from '#activities/contract.ts'
import { createActivities as createReal, type ActivityDependencies } from '#activities/index.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { symbolOf, type ActivitySubject } from '#test/support/activity-subject.ts'
import { Faults } from './fault-plan.ts'

export function createActivities(dependencies: ActivityDependencies): Activities {
  const faults = Faults.ofThisProcess()
  const real = createReal(dependencies)
  const entries = Object.entries<(...args: unknown[]) => Promise<unknown>>(real as never)
  const steps: Activities & AttemptedSteps = Object.fromEntries(
    entries.map(([name, activity]) => [
      name,
      async (...args: [ActivitySubject]) => {
        const [input] = args
        // It would do the work of the step that is to go wrong.
        if (name === 'decideEntry' && STEPS_BY_THEMSELVES.some((call) => faults.concerns(call))) {
          const symbol = await symbolOf(dependencies.em, input)
          if (STEPS_BY_THEMSELVES.some((call) => faults.isPlanned(call, symbol)))
            return { prepared: await steps.prepareEntry(input as never) }
        }
        const order = input.request ?? input.report
        const call = order ? `${name} of the ${roleOf(order.clientOrderId)}` : name
        if (!faults.concerns(call)) return activity(...args)
        // That step is told the account alone.
        const about = name === 'sessionEnd' ? { signalId: signalCarried() } : input
        return faults.around(call, await symbolOf(dependencies.em, about), () => activity(...args))
      },
    ]),
  ) as never
  return { ...steps, ...orderAttempts(steps, dependencies) }
}

/** Steps of the entry that are done together where nothing is to go wrong with one of them. */
const STEPS_BY_THEMSELVES = ['prepareEntry', 'the gate of the entry']

const signalCarried = (): string =>
  activityInfo().workflowExecution!.workflowId.replace(workflowIdFor(''), '')

const roleOf = (clientOrderId: string): string => parseClientOrderId(clientOrderId)!.role
