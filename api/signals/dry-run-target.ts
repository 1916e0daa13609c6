import type { Broker } from '#brokers/port.ts'
import type { LedgerFacts } from '#domain/entry-check.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { SymbolBook } from '#domain/symbol-book.ts'
import {
  atTargetDetail,
  crossingIn,
  legAhead,
  supersededDetail,
  TARGET_OVERRULES,
  tradedForTarget,
  type NewerTarget,
} from '#domain/target.ts'
import type { Advisory } from './schema.ts'

/** The trade of a signal with a target, as of now. */
export interface TargetAhead {
  /** As of the order that would be sent. */
  terms: SignalTerms
  /** That nothing would be traded, in words; null where something would. */
  nothing: string | null
  advisories: Advisory[]
}

/** Looks ahead for a signal; one that says a step is as it is. Orders in flight are taken to fill. */
export async function termsAhead(
  broker: Broker,
  terms: SignalTerms,
  book: SymbolBook,
  newer: NewerTarget | null,
  { earlier }: Pick<LedgerFacts, 'earlier'>,
): Promise<TargetAhead> {
  const { symbol, target } = terms
  if (target === undefined) return { terms, nothing: null, advisories: [] }
  if (newer !== null) return { terms, nothing: supersededDetail(symbol, target, newer), advisories: [] }
  const position = await broker.getPosition(symbol)
  const scene = { position, book, crossing: crossingIn(earlier), dueSince: book.asOf }
  const ahead = legAhead(target, scene)
  if (ahead === null) return { terms, nothing: atTargetDetail(symbol, target), advisories: [] }
  const message = tradedForTarget(symbol, target, ahead.leg, ahead.from)
  return {
    terms: { ...terms, ...ahead.leg },
    nothing: null,
    advisories: [{ code: TARGET_OVERRULES, message }],
  }
}
