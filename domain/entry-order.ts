import { compare, type Decimal } from './decimal.ts'
import { SENT_BEFORE } from './advisory.ts'
import { figure, shareCount } from './figures.ts'
import {
  clientOrderIdFor,
  executionSide,
  orderAsSent,
  type OrderReport,
  type OrderShape,
  type OrderTerms,
  type OrderToSend,
} from './order.ts'
import { ENTRY_SIDE, type Leg, type SignalTerms } from './signal.ts'

/** The entry order that a signal asks its broker for, once its size is known; shares. */
export const entryOrder = (terms: OrderTerms & Pick<SignalTerms, 'action'>, quantity: Decimal): OrderShape =>
  orderAsSent(terms, ENTRY_SIDE[terms.action], quantity)

/** The terms of the order in a decision to send an entry. */
export interface SizedEntry {
  /** Shares. */
  quantity: Decimal
  /** The part of a target that the order trades. */
  leg?: Leg
  /** Dollars a share; absent where the limit is that of the signal. */
  limitPrice?: Decimal
  /** When its broker got the order, where it was sent before; UTC instant. */
  sentAt?: string
  /** UTC instant at which earlier signals had made way; absent when it had not to wait for any. */
  sequencedAt?: string
  /** UTC instant until which an opening was to wait for its turn at most. */
  sequencingUntil?: string
  /** Until when it may be sent, of a close that our own cancels have made late; UTC instant. */
  sendBefore?: string
}

/** The entry order of a signal, as it was decided. */
export const entryToSend = (terms: SignalTerms, sized: SizedEntry): OrderToSend => ({
  request: {
    clientOrderId: clientOrderIdFor(terms.signalId, 'entry', 1),
    ...entryOrder(
      { ...terms, ...sized.leg, limitPrice: sized.limitPrice ?? terms.limitPrice },
      sized.quantity,
    ),
  },
  sendBefore: sized.sendBefore ?? entryToSendBefore(terms, sized),
  ...(sized.sentAt !== undefined && { sentAt: sized.sentAt }),
})

/** After which instant the entry is not sent any more; null for one that is never too old. */
export const entryToSendBefore = (
  terms: Parameters<typeof postponed>[0],
  waited: Parameters<typeof postponed>[1],
): string | null => postponed(terms, waited) ?? terms.validUntil

/**
 * Waiting for its turn made it late, not an outage: it may be sent for as long from then on, but an opening not after it
 * was to have waited.
 */
function postponed(
  {
    acceptedAt,
    scheduledAt,
    dueAt,
    sendBefore,
    validUntil,
  }: Pick<SignalTerms, 'acceptedAt' | 'scheduledAt' | 'dueAt' | 'sendBefore' | 'validUntil'>,
  { sequencedAt, sequencingUntil }: Pick<SizedEntry, 'sequencedAt' | 'sequencingUntil'>,
): string | null {
  if (sequencedAt === undefined || sendBefore === null || validUntil !== null) return sendBefore
  const window = Date.parse(sendBefore) - Date.parse(scheduledAt ?? dueAt ?? acceptedAt)
  const until = new Date(Date.parse(sequencedAt) + window).toISOString()
  return sequencingUntil !== undefined && sequencingUntil < until ? sequencingUntil : until
}

/** An order that was sent for an entry, as far as it tells whose it is and how it was asked for. */
export type SentEntry = Pick<
  OrderReport,
  'symbol' | 'side' | 'orderType' | 'quantity' | 'limitPrice' | 'stopPrice'
> & {
  /** When its broker got it, where the ledger says so; UTC instant. */
  sentAt?: string
}

/** Whether an order with the client order id of the signal's entry is that entry. */
export const isEntryOf = (
  terms: Pick<SignalTerms, 'symbol' | 'action' | 'target'>,
  order: OrderKind,
): boolean =>
  // The side of the order for a target is not known before it is decided.
  (terms.target !== undefined && order.symbol === terms.symbol) ||
  isSentAs({ ...terms, side: ENTRY_SIDE[terms.action] }, order)

/** The terms that every try of an order under one client order id has in common. */
type OrderKind = Pick<OrderShape, 'symbol' | 'side'>

/**
 * Whether an order under the client order id of another is that one. Nobody guesses such an id, and symbol and side never
 * change; brokers do change the rest: they turn stop orders into stop limit orders, and lower limits by dividends.
 */
export const isSentAs = (asked: OrderKind, sent: OrderKind): boolean =>
  sent.symbol === asked.symbol &&
  // A broker may not tell a short sale from a sale.
  executionSide(sent.side) === executionSide(asked.side)

/** The decision that an order amounts to which was sent, and whose own decision is lost. */
export interface EntryAsSent {
  outcome: 'ready'
  quantity: Decimal
  limitPrice?: Decimal
  sentAt?: string
  advisories: { code: string; message: string }[]
}

/**
 * An order that exists is the decision on its entry: nothing is judged or sized anew. Its owner is told where it is another one
 * than the signal asks for by now.
 */
export function entryAsSent(
  terms: Pick<SignalTerms, 'quantity' | 'quantityType' | 'limitPrice'>,
  { quantity, limitPrice, sentAt }: Pick<SentEntry, 'quantity' | 'limitPrice' | 'sentAt'>,
): EntryAsSent {
  const hasItsLimit = isSame(limitPrice, terms.limitPrice)
  const isAsAsked = hasItsLimit && terms.quantityType === 'fixed' && compare(quantity, terms.quantity) === 0
  return {
    outcome: 'ready',
    quantity,
    ...(!hasItsLimit && limitPrice !== null && { limitPrice }),
    ...(sentAt !== undefined && { sentAt }),
    advisories: isAsAsked ? [] : [sentBefore({ quantity, limitPrice })],
  }
}

/** The advisory of an order that was sent before its decision, and cannot be changed any more. */
export const sentBefore = ({
  quantity,
  limitPrice,
}: Pick<SentEntry, 'quantity' | 'limitPrice'>): { code: string; message: string } => ({
  code: SENT_BEFORE,
  message: `Its order was sent before, for ${shareCount(quantity)}${limitPrice === null ? '' : ` at a limit of ${figure(limitPrice)}`}: it is taken up as it is`,
})

const isSame = (a: Decimal | null, b: Decimal | null): boolean =>
  a === null || b === null ? a === b : compare(a, b) === 0
