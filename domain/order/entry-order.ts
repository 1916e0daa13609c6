import { instantAfter } from '../time/instants.ts'
import { compare, isSame, type Decimal, isPositive, figure, shareCount, sharesOf } from '../money/decimal.ts'
import { SENT_BEFORE } from '../signal/advisory.ts'
import {
  entryIdFor,
  executionSide,
  orderAsSent,
  type OrderReport,
  type OrderShape,
  type OrderTerms,
  type OrderToSend,
  isReducing,
} from './order.ts'
import { ENTRY_SIDE, type Action, type Leg, type SignalTerms } from '../signal/signal.ts'

export const entryOrder = (terms: OrderTerms & Pick<SignalTerms, 'action'>, quantity: Decimal): OrderShape =>
  orderAsSent(terms, ENTRY_SIDE[terms.action], quantity)

export interface SizedEntry {
  quantity: Decimal
  leg?: Leg
  action?: Action
  limitPrice?: Decimal
  /** UTC, when the broker got it, if sent before. */
  sentAt?: string
  /** UTC, when the earlier signals had ended. */
  sequencedAt?: string
  /** UTC, the limit of an opening's wait. */
  sequencingUntil?: string
  /** UTC; for a close that our own cancels delayed. */
  sendBefore?: string
}

export const entryToSend = (terms: SignalTerms, sized: SizedEntry): OrderToSend => ({
  request: {
    clientOrderId: entryIdFor(terms.signalId),
    ...entryOrder(
      {
        ...terms,
        ...(sized.action && { action: sized.action }),
        ...sized.leg,
        limitPrice: sized.limitPrice ?? terms.limitPrice,
      },
      sized.quantity,
    ),
  },
  sendBefore: sized.sendBefore ?? entryToSendBefore(terms, sized),
  ...(sized.sentAt !== undefined && { sentAt: sized.sentAt }),
})

export const entryToSendBefore = (
  terms: Parameters<typeof postponed>[0],
  waited: Parameters<typeof postponed>[1],
): string | null => postponed(terms, waited) ?? terms.validUntil

/** A wait for earlier signals is no outage: the time to send begins after it. An opening does not outlive it. */
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
  const until = instantAfter(sequencedAt, window)
  return sequencingUntil !== undefined && sequencingUntil < until ? sequencingUntil : until
}

export type SentEntry = Pick<
  OrderReport,
  'symbol' | 'side' | 'orderType' | 'quantity' | 'limitPrice' | 'stopPrice'
> & {
  /** UTC, when the broker got it, if recorded. */
  sentAt?: string
}

export const isEntryOf = (
  terms: Pick<SignalTerms, 'symbol' | 'action' | 'target' | 'ask'>,
  order: OrderKind,
): boolean =>
  // A target's side is unknown before its decision.
  (terms.target !== undefined && order.symbol === terms.symbol) ||
  isSentAs({ ...terms, side: terms.ask?.side ?? ENTRY_SIDE[terms.action] }, order)

type OrderKind = Pick<OrderShape, 'symbol' | 'side'>

/** Symbol and side never change; brokers change types (stop to stop limit) and limits (by dividends). */
export const isSentAs = (asked: OrderKind, sent: OrderKind): boolean =>
  sent.symbol === asked.symbol &&
  // A broker may not distinguish a short sale.
  executionSide(sent.side) === executionSide(asked.side)

export interface EntryAsSent {
  outcome: 'ready'
  quantity: Decimal
  limitPrice?: Decimal
  sentAt?: string
  advisories: { code: string; message: string }[]
}

/** No second decision or sizing; an advisory reports differences from the signal. */
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

export const sentBefore = ({
  quantity,
  limitPrice,
}: Pick<SentEntry, 'quantity' | 'limitPrice'>): { code: string; message: string } => ({
  code: SENT_BEFORE,
  message: `Its order was sent before, for ${shareCount(quantity)}${limitPrice === null ? '' : ` at a limit of ${figure(limitPrice)}`}: it is adopted as it is`,
})

export const filledMessage = ({ side, filledQuantity, quantity, avgFillPrice }: OrderReport): string =>
  `The ${isReducing(side) ? 'closing order' : 'entry'} is filled: ${sharesOf(filledQuantity, quantity)} at ${figure(avgFillPrice ?? '0')}`

export const endedEarlyMessage = (order: OrderReport): string =>
  ended(order, `with ${sharesOf(order.filledQuantity, order.quantity)} filled`)

export const endedUnfilledMessage = (order: OrderReport): string => ended(order, 'without a fill')

export function orderEndedMessage({
  filledQuantity,
  quantity,
  avgFillPrice,
  status,
  reason,
}: OrderReport): string {
  const filled = isPositive(filledQuantity)
    ? `${sharesOf(filledQuantity, quantity)} filled at ${figure(avgFillPrice ?? '0')}`
    : 'nothing filled'
  return `The order has ended ${status}, ${filled}${reason === null ? '' : ` (${reason})`}`
}

const ended = ({ side, status, reason }: OrderReport, how: string): string =>
  `The ${isReducing(side) ? 'closing' : 'entry'} order ended ${status} ${how}${reason === null ? '' : ` (${reason})`}`

// Milliseconds, valid only in the order that `test/domain/order/entry-times.test.ts` checks: read it first.

// The start of a workflow (`api/temporal/`).

/** The limit of a start for which no request waits. */
export const START_DEADLINE = 5_000
/** After a death another worker takes over within this time. */
export const WORKFLOW_TASK_WITHIN = 5_000

// One attempt to check, send and record an order (`activities/attempt.ts`). A later step would run twice, because the
// workflow takes over.

/** From its beginning to the sending. */
export const SEND_WITHIN = 400
/** From its beginning to the start of the record of acceptance. */
export const RECORD_WITHIN = 1_100

// The send gate, and the look-up after it (`activities/order/throttle.ts`, `activities/order/submit.ts`).

/** From the gate's answer to the sending; an older answer may miss a kill switch. */
export const LEAVES_WITHIN = 2_000
/** A broker's look-up lags: after an unknown outcome an order may still appear. */
export const LOOKUP_LAG = 5_000

// Steps of the workflow (`workflows/steps/steps.ts`).

/** One try as a local activity, such as an attempt. */
export const QUICK_STEP = 1_500
/** All tries of a dispensable step. */
export const BRIEF_STEP = 4_000
/** One try as an ordinary activity: longer than a broker request, short enough to notice a crash. */
export const DURABLE_STEP = 8_000
