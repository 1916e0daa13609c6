/** In the place of `activities/index.ts`: the same activities, in which goes wrong what is planned. */
import type { Activities } from '#activities/contract.ts'
import { createActivities as createReal, type ActivityDependencies } from '#activities/index.ts'
import { parseClientOrderId } from '#domain/order.ts'
import { symbolOf, type ActivitySubject } from '#test/support/activity-subject.ts'
import { Faults } from './fault-plan.ts'

export function createActivities(dependencies: ActivityDependencies): Activities {
  const faults = Faults.ofThisProcess()
  const entries = Object.entries<(input: never) => Promise<unknown>>(createReal(dependencies) as never)
  return Object.fromEntries(
    entries.map(([name, activity]) => [
      name,
      async (input: ActivitySubject) => {
        const order = input.request ?? input.report
        const call = order ? `${name} of the ${roleOf(order.clientOrderId)}` : name
        if (!faults.concerns(call)) return activity(input as never)
        return faults.around(call, await symbolOf(dependencies.em, input), () => activity(input as never))
      },
    ]),
  ) as unknown as Activities
}

const roleOf = (clientOrderId: string): string => parseClientOrderId(clientOrderId)?.role ?? 'order'
