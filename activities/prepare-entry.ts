import { BrokerCredentialsError, type Broker } from '#brokers/port.ts'
import { readEntryMarket } from '#brokers/entry-market.ts'
import type { EntityManager } from '#db/database.ts'
import { readEntryFacts, type EntryFacts } from '#db/entry-facts.ts'
import { assertNotStopped, freeze } from '#db/frozen.ts'
import {
  checkStanding,
  denialOf,
  judgeEntry,
  marketNeeds,
  predecessors,
  type EntryMarket,
} from '#domain/entry-check.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { PreparedEntry } from './contract.ts'
import type { SessionCalendar } from './plan-exit.ts'

export interface PrepareEntryDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  /** The operator lets real money be traded. */
  liveTrading: boolean
  /** The account's keys were refused; read them anew next time. */
  keysRefused(accountId: string): void
  calendar: SessionCalendar
  /** Milliseconds since the epoch. */
  now(): number
}

/**
 * Decides, right before an entry is sent, whether it may be and how large it is. The first answer is kept and
 * given again: by the time a task is done over, the order of the first try may have changed the position, the
 * equity or the price that the size came from. Once the signal is stopped there is no answer any more, even for a
 * try that was given up for dead meanwhile: throws StoppedFirst.
 */
export async function prepareEntry(
  deps: PrepareEntryDependencies,
  terms: SignalTerms,
): Promise<PreparedEntry> {
  const facts = await readEntryFacts(deps.em, terms.signalId)
  if (!facts) throw new Error(`there is no signal ${terms.signalId}`)
  assertNotStopped(facts.frozen, terms.signalId)
  if (facts.frozen !== null) return facts.frozen as PreparedEntry
  const decision = await decide(deps, terms, facts)
  return decision.outcome === 'not_yet' ? decision : freeze(deps.em, terms.signalId, 'entry', decision)
}

async function decide(
  deps: PrepareEntryDependencies,
  terms: SignalTerms,
  facts: EntryFacts,
): Promise<PreparedEntry> {
  const standing = { ...facts, liveTrading: deps.liveTrading }
  const denied = denialOf(checkStanding(standing))
  if (denied) return denied
  const behind = predecessors(terms, facts)
  if (behind.length > 0) return { outcome: 'not_yet', behind }
  let market: EntryMarket
  try {
    market = await askBroker(deps, terms, facts)
  } catch (error) {
    if (!(error instanceof BrokerCredentialsError)) throw error
    // Asking again cannot help, and nothing has been sent.
    deps.keysRefused(terms.accountId)
    return { outcome: 'denied', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message }
  }
  return judgeEntry(terms, standing, market).decision
}

async function askBroker(
  { brokerFor, calendar, now }: PrepareEntryDependencies,
  terms: SignalTerms,
  facts: EntryFacts,
): Promise<EntryMarket> {
  const at = now()
  return readEntryMarket(await brokerFor(terms.accountId), terms, marketNeeds(terms, facts), {
    sessions: () => calendar.sessionsFrom(terms.accountId, new Date(at).toISOString()),
    now: at,
  })
}
