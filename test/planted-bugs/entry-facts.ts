/** In the place of `db/orders/entry-facts.ts`, for the entries of signals: the same, with the bugs that are planted. */
import * as real from '#db/orders/entry-facts.ts'
import { symbolOf } from '#test/support/activity-subject.ts'
import { BUGS, type Bug } from './bugs.ts'
import { plantedIn } from './plan.ts'

export { entryFactsQuery } from '#db/orders/entry-facts.ts'

export const readEntryFacts: typeof real.readEntryFacts = async (em, signalId) => {
  const facts = await real.readEntryFacts(em, signalId)
  const planted = plantedIn(await symbolOf(em, { signalId }))
  const bug: Bug = planted === null ? {} : BUGS[planted]
  return facts && bug.forgetsWorkingOrders
    ? { ...facts, risk: { ...facts.risk, workingQuantity: '0' } }
    : facts
}
