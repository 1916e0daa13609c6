/** In the place of `db/order/decisions.ts`, for the activities: the same, with the bugs that are planted. */
import type { EntityManager } from '#db/engine/database.ts'
import * as real from '#db/order/decisions.ts'
import { symbolOf } from '#test/support/activity-subject.ts'
import { BUGS, type Bug } from './bugs.ts'
import { plantedIn } from './plan.ts'

export { assertNotStopped, decisionQuery } from '#db/order/decisions.ts'

async function forgets(em: EntityManager, signalId: string): Promise<boolean> {
  const planted = plantedIn(await symbolOf(em, { signalId }))
  const bug: Bug = planted === null ? {} : BUGS[planted]
  return bug.forgetsDecisions ?? false
}

export const readDecision: typeof real.readDecision = async (em, signalId, key) =>
  (await forgets(em, signalId)) ? null : real.readDecision(em, signalId, key)

export const decideOnce: typeof real.decideOnce = async (em, signalId, key, decision) =>
  (await forgets(em, signalId)) ? decision : real.decideOnce(em, signalId, key, decision)
