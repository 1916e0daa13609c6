import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { lastClosing, noteAction } from '#db/orders/by-hand.ts'
import { readEntryFacts, type EntryFacts } from '#db/orders/entry-facts.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { readGivingWay } from '#db/signals/exits.ts'
import { awaitedPosition, repetitionDenial } from '#domain/by-hand-guards.ts'
import { actionOfAsk, type ByHandTerms } from '#domain/by-hand.ts'
import { closeBefore } from '#domain/flat-by-close.ts'
import type { EntryDecision } from '#domain/entry-check.ts'
import { entryIdFor } from '#domain/order.ts'
import { isOpening } from '#domain/signal.ts'
import { outcomeUnknown } from '../failures.ts'
import { timeOf } from './opening.ts'

/**
 * What an order by hand does to the position that its broker shows, and the facts for that; or why it is denied.
 * Throws a retryable failure while the broker does not show what is held.
 */
export async function resolveAsk(
  { em, broker }: { em: EntityManager; broker: Broker },
  terms: ByHandTerms,
  facts: EntryFacts,
): Promise<{ terms: ByHandTerms; facts: EntryFacts } | Extract<EntryDecision, { outcome: 'denied' }>> {
  const { accountId, signalId, symbol } = terms
  const givingWay = await readGivingWay(em, { accountId, symbol }, entryIdFor(signalId))
  const before = closeBefore(timeOf(terms, facts), givingWay)
  if (before !== null && facts.asOf > before)
    return { outcome: 'denied', code: 'STALE', detail: `It could not be sent before ${before}` }
  const position = await broker.getPosition(symbol)
  const resolved = { ...terms, action: actionOfAsk(terms.ask, position?.side ?? null) }
  if (isOpening(resolved.action)) {
    const book = await readSymbolBook(em, accountId, symbol)
    const awaited = awaitedPosition(book, terms, position)
    if (awaited !== null) throw outcomeUnknown(awaited)
    // An addition to a shown position is no reversal.
    const closedAt = position === null ? await lastClosing(em, resolved) : null
    const denied = repetitionDenial(book, terms, resolved.action, closedAt)
    if (denied !== null) return denied
  }
  if (facts.action === resolved.action) return { terms: resolved, facts }
  await noteAction(em, resolved)
  const present = await readEntryFacts(em, signalId)
  if (present === null) throw new Error(`there is no signal ${signalId}`)
  return { terms: resolved, facts: present }
}
