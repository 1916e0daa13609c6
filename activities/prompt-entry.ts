import { BrokerCredentialsError } from '#brokers/port.ts'
import { inTwoMessages } from '#db/engine/batched-transaction.ts'
import { decisionQuery } from '#db/orders/decisions.ts'
import { entryFactsQuery, type EntryFacts } from '#db/orders/entry-facts.ts'
import { symbolLockQuery } from '#db/orders/symbol-lock.ts'
import { isBeyondCap, registrationQuery } from '#db/orders/throttle.ts'
import {
  checkEligibility,
  denialOf,
  judgeEntry,
  marketNeeds,
  predecessors,
  type MarketNeeds,
} from '#domain/entry-check.ts'
import type { OrderCaps } from '#domain/order-caps.ts'
import { UNBOUNDED } from '#domain/token-bounds.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import { isOpening, type SignalTerms } from '#domain/signal.ts'
import type { PreparedEntry } from './contract.ts'
import type { AskedMarket, EarlyMarkets } from './early-market.ts'
import { askBroker, type PrepareEntryDependencies } from './prepare-entry.ts'
import { startStopwatch } from './stopwatch.ts'
import type { LetOut } from './throttle.ts'

/** An entry that may be sent, and how the throttle let its order out; null where it is to be asked. */
export interface PromptEntry {
  prepared: Extract<PreparedEntry, { outcome: 'ready' }>
  letOut: LetOut | null
}

export interface PromptEntryDependencies extends PrepareEntryDependencies {
  caps: OrderCaps
  early: EarlyMarkets
}

/**
 * Asks the broker what an entry that opens a position needs by the limits that its account had last. Null of any other
 * entry, and where those limits are not known.
 */
export function askByLastLimits(
  deps: Omit<PromptEntryDependencies, 'early'>,
  terms: SignalTerms,
): AskedMarket | null {
  const limits = deps.limits.lastOf(terms.accountId)
  if (limits === null || !isOpening(terms.action) || terms.target !== undefined) return null
  const needs = marketNeeds(terms, {
    limits,
    risk: { priceBeforeApproval: null, isApproved: false },
    // Most tokens have none; an entry that a bound asks a price for is left to prepareEntry.
    bounds: UNBOUNDED,
  })
  const ask = async () => askBroker(deps, await deps.brokerFor(terms.accountId), terms, needs)
  return { needs, market: ask() }
}

/**
 * The usual entry by the fewest steps: one that opens a position, waits for nobody and is neither denied nor held. It is decided, and
 * its order let out, in one transaction of two messages, where `prepareEntry` and the throttle take eight. What the broker
 * has to be asked is known from the limits that its account had last, and is asked before, or was while the workflow was
 * started.
 *
 * Null for any other entry; nothing is decided then, and `prepareEntry` looks at it.
 */
export async function promptEntry(
  deps: PromptEntryDependencies,
  terms: SignalTerms,
): Promise<PromptEntry | null> {
  const { accountId, signalId } = terms
  const asked = deps.early.take(signalId) ?? askByLastLimits(deps, terms)
  if (asked === null) return null
  try {
    const market = await asked.market
    return await inTwoMessages(
      deps.em,
      [symbolLockQuery(accountId, terms.symbol), entryFactsQuery(signalId)],
      async ([, facts], transaction) => {
        if (facts === null || !isUsual(deps, terms, facts, asked.needs)) {
          deps.limits.forget(accountId)
          return null
        }
        const { decision } = judgeEntry(terms, { ...facts, liveTrading: deps.liveTrading }, market)
        if (decision.outcome !== 'ready') return null
        const order = {
          accountId,
          clientOrderId: clientOrderIdFor(signalId, 'entry', 1),
          quantity: decision.quantity,
          reducing: false,
        }
        const since = startStopwatch(() => deps.now())
        const [prepared, registration] = await transaction.commit(
          decisionQuery(signalId, 'entry', decision),
          registrationQuery(order, deps.caps),
        )
        if (registration.verdict !== 'allowed') return { prepared, letOut: null }
        return { prepared, letOut: { what: 'letOut', passes: registration, since, decidedAt: null } }
      },
    )
  } catch (error) {
    if (isBeyondCap(error) || error instanceof BrokerCredentialsError) return null
    throw error
  }
}

/** Nothing is decided or sent yet, nothing forbids the entry or has to come first, and all is known of the market that it needs. */
function isUsual(
  { liveTrading }: PromptEntryDependencies,
  terms: SignalTerms,
  facts: EntryFacts,
  asked: MarketNeeds,
): boolean {
  const needed = Object.entries(marketNeeds(terms, facts)) as [keyof MarketNeeds, boolean][]
  return (
    facts.end === null &&
    facts.entryDecision === null &&
    facts.sent === null &&
    facts.sequencingUntil === null &&
    facts.risk.halt === null &&
    denialOf(checkEligibility(terms, { ...facts, liveTrading })) === null &&
    predecessors(terms, facts).length === 0 &&
    needed.every(([need, isNeeded]) => asked[need] || !isNeeded)
  )
}
