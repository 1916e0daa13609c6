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
import { recordWaitForTurn } from '#db/turns.ts'
import { TURN_PATIENCE } from '#domain/sequence.ts'
import { isOpening, type SignalTerms } from '#domain/signal.ts'
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
 * equity or the price that the size came from. A signal that has to wait for earlier ones is told until when. Once the signal is stopped there is no answer any more, even for a
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
  if (decision.outcome !== 'not_yet') return freeze(deps.em, terms.signalId, 'entry', decision)
  return { ...decision, until: await recordWaitForTurn(deps.em, terms.signalId, decision) }
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
  const hasWaitedEnough = facts.turnUntil !== null && deps.now() >= Date.parse(facts.turnUntil)
  if (behind.length > 0 && !hasWaitedEnough)
    return { outcome: 'not_yet', behind, until: facts.turnUntil ?? lastTurn(terms, deps.now()) }
  // A close goes by what is held: one that is lost must not keep a position open for ever.
  if (behind.length > 0 && isOpening(terms.action))
    return {
      outcome: 'denied',
      code: 'TURN_NOT_REACHED',
      detail: `Earlier signals had not ended by ${facts.turnUntil}: ${behind.join(', ')}`,
    }
  let market: EntryMarket
  try {
    market = await askBroker(deps, terms, facts)
  } catch (error) {
    if (!(error instanceof BrokerCredentialsError)) throw error
    // Asking again cannot help, and nothing has been sent.
    deps.keysRefused(terms.accountId)
    return { outcome: 'denied', code: 'BROKER_CREDENTIALS_INVALID', detail: error.message }
  }
  const { decision } = judgeEntry(terms, standing, market)
  if (decision.outcome === 'denied' || facts.turnUntil === null) return decision
  return { ...decision, turnCameAt: new Date(deps.now()).toISOString() }
}

/** Until when a signal that begins to wait for its turn does so at most. */
function lastTurn({ action, validUntil }: SignalTerms, now: number): string {
  const until = new Date(now + TURN_PATIENCE[isOpening(action) ? 'opening' : 'closing']).toISOString()
  if (validUntil === null) return until
  return isOpening(action) || validUntil < until ? validUntil : until
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
