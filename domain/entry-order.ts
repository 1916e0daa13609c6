import type { Decimal } from './decimal.ts'
import { clientOrderIdFor, orderAsSent, type OrderShape, type OrderTerms, type OrderToSend } from './order.ts'
import { ENTRY_SIDE, type SignalTerms } from './signal.ts'

/** The entry order that a signal asks its broker for, once its size is known; shares. */
export const entryOrder = (terms: OrderTerms & Pick<SignalTerms, 'action'>, quantity: Decimal): OrderShape =>
  orderAsSent(terms, ENTRY_SIDE[terms.action], quantity)

/** What a decision to send an entry says of the order. */
export interface SizedEntry {
  /** Shares. */
  quantity: Decimal
  /** UTC instant at which earlier signals had made way; absent when it had not to wait for any. */
  sequencedAt?: string
  /** UTC instant until which an opening was to wait for its turn at most. */
  sequencingUntil?: string
}

/** The entry order of a signal, as it was decided. */
export const entryToSend = (terms: SignalTerms, sized: SizedEntry): OrderToSend => ({
  request: {
    clientOrderId: clientOrderIdFor(terms.signalId, 'entry', 1),
    ...entryOrder(terms, sized.quantity),
  },
  sendBefore: postponed(terms, sized) ?? terms.validUntil,
})

/**
 * Waiting for its turn made it late, not an outage: it may be sent for as long from then on, but an opening not after it
 * was to have waited.
 */
function postponed(
  { acceptedAt, scheduledAt, dueAt, sendBefore, validUntil }: SignalTerms,
  { sequencedAt, sequencingUntil }: SizedEntry,
): string | null {
  if (sequencedAt === undefined || sendBefore === null || validUntil !== null) return sendBefore
  const window = Date.parse(sendBefore) - Date.parse(scheduledAt ?? dueAt ?? acceptedAt)
  const until = new Date(Date.parse(sequencedAt) + window).toISOString()
  return sequencingUntil !== undefined && sequencingUntil < until ? sequencingUntil : until
}
