/** In the place of `activities/index.ts`: the same activities, with the bugs that are planted. */
import { orderAttempts, type AttemptedSteps } from '#activities/attempt.ts'
import type { Activities } from '#activities/contract.ts'
import type { ActivityDependencies } from '#activities/index.ts'
import { createActivities as createFaulty } from '#test/faults/activities.ts'
import { symbolOf, type ActivitySubject } from '#test/support/activity-subject.ts'
import { BUGS, type Bug } from './bugs.ts'
import { plantedIn } from './plan.ts'

export function createActivities(dependencies: ActivityDependencies): Activities {
  const real = createFaulty(dependencies)
  const entries = Object.entries<(...args: unknown[]) => Promise<unknown>>(real as never)
  const steps: Activities & AttemptedSteps = Object.fromEntries(
    entries.map(([name, activity]) => [
      name,
      async (...args: [ActivitySubject]) => {
        const planted = plantedIn(await symbolOf(dependencies.em, args[0]))
        // Bugs are planted into the steps that it is made of.
        if (name === 'decideEntry' && planted !== null)
          return { prepared: await steps.prepareEntry(args[0] as never) }
        const bug: Bug = planted === null ? {} : BUGS[planted]
        const instead = bug.activities?.(real)[name as keyof Activities] as typeof activity | undefined
        return (instead ?? activity)(...args)
      },
    ]),
  ) as never
  return { ...steps, ...orderAttempts(steps, dependencies) }
}
