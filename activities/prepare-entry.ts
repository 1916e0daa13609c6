import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/database.ts'
import { readEntryFacts, type EntryFacts } from '#db/entry-facts.ts'
import { freeze } from '#db/frozen.ts'
import { decimalPlaces, type Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import { dependence } from '#domain/sequence.ts'
import { isOpening, type SignalTerms } from '#domain/signal.ts'
import { sizeEntry, type Sized, type SizingFacts } from '#domain/sizing.ts'
import type { PreparedEntry } from './contract.ts'

export interface PrepareEntryDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
}

/**
 * Decides, right before an entry is sent, whether it may be and how large it is. The first answer is kept and
 * given again: by the time a task is done over, the order of the first try may have changed the position, the
 * equity or the price that the size came from.
 */
export async function prepareEntry(
  { em, brokerFor }: PrepareEntryDependencies,
  terms: SignalTerms,
): Promise<PreparedEntry> {
  const facts = await readEntryFacts(em, terms.signalId)
  if (!facts) throw new Error(`there is no signal ${terms.signalId}`)
  if (facts.frozen !== null) return facts.frozen as PreparedEntry
  const decision = await decide(terms, facts, brokerFor)
  return decision.outcome === 'not_yet' ? decision : freeze(em, terms.signalId, 'entry', decision)
}

async function decide(
  terms: SignalTerms,
  facts: EntryFacts,
  brokerFor: (accountId: string) => Promise<Broker>,
): Promise<PreparedEntry> {
  const denied = denial(facts)
  if (denied) return { outcome: 'denied', ...denied }
  const blocking = predecessors(terms, facts)
  if (blocking.length > 0) return { outcome: 'not_yet', behind: blocking }
  const sized = await size(terms, brokerFor)
  if ('denied' in sized) return { outcome: 'denied', code: sized.denied, detail: sized.detail }
  return { outcome: 'ready', quantity: sized.quantity, advisories: sized.advisories }
}

/** What has changed since the signal was accepted and now forbids it. */
function denial(facts: EntryFacts): { code: DenialCode; detail: string } | null {
  if (!facts.accountIsActive)
    return { code: 'ACCOUNT_INACTIVE', detail: 'The account is not active any more' }
  if (facts.accountIsDemo !== (facts.tradingMode === 'PAPER'))
    return {
      code: 'MODE_MISMATCH',
      detail: `The mode is ${facts.tradingMode} and the account is ${facts.accountIsDemo ? 'a demo' : 'a live'} one`,
    }
  if (facts.strategyStatus === 'paused')
    return { code: 'STRATEGY_PAUSED', detail: 'The strategy of the signal is paused' }
  return null
}

/** Earlier signals that this one has to wait for, oldest first. */
function predecessors(terms: SignalTerms, { earlier }: EntryFacts): string[] {
  return earlier
    .filter((signal) => {
      const what = dependence(signal, terms)
      return what === 'ended' || (what === 'sent' && signal.status !== 'executed')
    })
    .map((signal) => signal.id)
}

async function size(terms: SignalTerms, brokerFor: (accountId: string) => Promise<Broker>): Promise<Sized> {
  return sizeEntry(terms, await sizingFacts(terms, await brokerFor(terms.accountId)))
}

/** Asks the broker for what the size depends on, and for nothing else. */
async function sizingFacts(terms: SignalTerms, broker: Broker): Promise<SizingFacts> {
  const byAmount = terms.quantityType !== 'fixed'
  const needsPrice = byAmount && terms.limitPrice === null && terms.stopPrice === null
  const needsAsset = byAmount || decimalPlaces(terms.quantity) > 0
  const [account, lastPrice, asset, closable] = await Promise.all([
    terms.quantityType === 'percentEquity' ? broker.getAccount() : null,
    needsPrice ? broker.getLastPrice(terms.symbol) : null,
    needsAsset ? broker.getAsset(terms.symbol) : null,
    isOpening(terms.action) ? '0' : closableQuantity(terms, broker),
  ])
  return {
    equity: account?.equity ?? '0',
    lastPrice,
    closableQuantity: closable,
    fractionable: asset?.fractionable ?? false,
  }
}

async function closableQuantity(terms: SignalTerms, broker: Broker): Promise<Decimal> {
  const position = await broker.getPosition(terms.symbol)
  const side = terms.action === 'closeLong' ? 'LONG' : 'SHORT'
  return position?.side === side ? position.availableQuantity : '0'
}
