import type { Broker } from '#brokers/port.ts'
import type { LedgerFacts } from '#domain/entry-check.ts'
import { withLeg, type SignalTerms } from '#domain/signal.ts'
import type { SymbolBook } from '#domain/symbol-book.ts'
import { differenceToSender, POSITION_DIFFERS } from '#domain/sender-holds.ts'
import {
  openedAcross,
  crossingIn,
  lookAhead,
  supersededDetail,
  tradedForTarget,
  type NewerTarget,
} from '#domain/target.ts'
import type { Prospect } from './prospect.ts'
import type { Advisory } from './schema.ts'

export interface TargetAhead {
  terms: SignalTerms
  without: Extract<Prospect, { outcome: 'nothing' } | { outcome: 'denied' }> | null
  follows: ReturnType<typeof openedAcross>
  advisories: Advisory[]
}

export async function termsAhead(
  broker: Broker,
  terms: SignalTerms,
  book: SymbolBook,
  newer: NewerTarget | null,
  { earlier }: Pick<LedgerFacts, 'earlier'>,
): Promise<TargetAhead> {
  const { symbol, target } = terms
  if (target === undefined) return { terms, without: null, follows: null, advisories: [] }
  if (newer !== null) {
    const detail = supersededDetail(symbol, target, newer)
    return { terms, without: { outcome: 'nothing', detail }, follows: null, advisories: [] }
  }
  const position = await broker.getPosition(symbol)
  const scene = { position, book, crossing: crossingIn(earlier), dueSince: book.asOf }
  const ahead = lookAhead({ ...terms, target }, scene)
  const { senderHolds } = target
  const difference = senderHolds ? differenceToSender(symbol, senderHolds, ahead.held) : null
  const advisories = difference === null ? [] : [{ code: POSITION_DIFFERS, message: difference }]
  switch (ahead.what) {
    case 'nothing':
      return { terms, without: { outcome: 'nothing', detail: ahead.detail }, follows: null, advisories }
    case 'refused':
      return {
        terms,
        without: { outcome: 'denied', code: ahead.code, detail: ahead.detail },
        follows: null,
        advisories,
      }
    case 'order':
      return {
        terms: withLeg(terms, ahead.leg),
        without: null,
        follows: openedAcross(ahead.leg),
        advisories: [tradedForTarget(symbol, target, ahead.leg, ahead.held), ...advisories],
      }
  }
}
