/** In the place of `db/order/entry-facts.ts`, for the entries of signals: the same, with the bugs that are planted. */
import * as real from '#db/order/entry-facts.ts'
import { symbolOf } from '#test/support/activity-subject.ts'
import { BUGS, type Bug } from './bugs.ts'
import { plantedIn } from './plan.ts'

/** Signals whose facts are forgotten: a query that is sent with others cannot ask for their symbol. */
const forgetful = new Set<string>()

const asKnown = (facts: real.EntryFacts | null, signalId: string): real.EntryFacts | null =>
  facts && forgetful.has(signalId) ? { ...facts, risk: { ...facts.risk, workingQuantity: '0' } } : facts

export const entryFactsQuery: typeof real.entryFactsQuery = (signalId) => {
  const query = real.entryFactsQuery(signalId)
  return { ...query, read: (rows) => asKnown(query.read(rows), signalId) }
}

/** Comes before each query: a decision begins with it. */
export const readEntryFacts: typeof real.readEntryFacts = async (em, signalId) => {
  const facts = await real.readEntryFacts(em, signalId)
  const planted = plantedIn(await symbolOf(em, { signalId }))
  const bug: Bug = planted === null ? {} : BUGS[planted]
  if (bug.forgetsWorkingOrders) forgetful.add(signalId)
  return asKnown(facts, signalId)
}
