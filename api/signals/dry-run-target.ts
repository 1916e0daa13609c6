import type { Broker } from '#brokers/port.ts'
import type { LedgerFacts } from '#domain/entry-check.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { SymbolBook } from '#domain/symbol-book.ts'
import { atTargetDetail, crossingIn, legAhead, TARGET_OVERRULES, tradedForTarget } from '#domain/target.ts'
import type { Advisory } from './schema.ts'

/** What a signal with a target would trade now. */
export interface TargetAhead {
  /** As of the order that would be sent. */
  terms: SignalTerms
  /** That nothing would be traded, in words; null where something would. */
  atTarget: string | null
  advisories: Advisory[]
}

/** Looks ahead for a signal; one that says a step is as it is. Orders in flight are taken to fill. */
export async function termsAhead(
  broker: Broker,
  terms: SignalTerms,
  book: SymbolBook,
  { earlier }: Pick<LedgerFacts, 'earlier'>,
): Promise<TargetAhead> {
  const { symbol, target } = terms
  if (target === undefined) return { terms, atTarget: null, advisories: [] }
  const position = await broker.getPosition(symbol)
  const scene = { position, book, crossing: crossingIn(earlier), dueSince: book.asOf }
  const ahead = legAhead(target, scene)
  if (ahead === null) return { terms, atTarget: atTargetDetail(symbol, target), advisories: [] }
  const message = tradedForTarget(symbol, target, ahead.leg, ahead.from)
  return {
    terms: { ...terms, ...ahead.leg },
    atTarget: null,
    advisories: [{ code: TARGET_OVERRULES, message }],
  }
}
