import type { Decimal } from './decimal.ts'
import type { DenialCode } from './denial.ts'
import type { EntryTerms } from './entry-check.ts'
import type { OwnedShares } from './ownership.ts'
import {
  orderAsSent,
  parseClientOrderId,
  type OrderSide,
  type OrderTerms,
  type OrderToSend,
  type TimeInForce,
} from './order.ts'
import type { Action } from './signal.ts'

export const ASKED_SIDES = ['BUY', 'SELL'] as const
/** The side that a person asks for; the position decides whether that opens or closes. */
export type AskedSide = (typeof ASKED_SIDES)[number]

/** Times in force of manual orders: good till date is a field of signals only. */
export const MANUAL_TIMES_IN_FORCE = [
  'day',
  'gtc',
  'opg',
  'cls',
  'ioc',
  'fok',
] as const satisfies readonly TimeInForce[]

/** Everything about a manual order that decides what happens to it. Frozen when it is accepted. */
export interface ManualOrderTerms extends OrderTerms {
  orderId: string
  userId: string
  accountId: string
  side: AskedSide
  /** Shares. */
  quantity: Decimal
  /** The order is to close a position: with none left to close it is refused, and never opens one. */
  reducesOnly: boolean
  /** Signals whose shares it closes, and no others; absent for an order that closes whatever is held. */
  owners?: string[]
  /** UTC instants. */
  acceptedAt: string
  /** After this instant it is no longer sent: an old order is worse than none. */
  sendBefore: string
}

/** The effect of a manual order on the position that is held when it is about to be sent. */
export function actionOfManualOrder(
  { side, reducesOnly }: Pick<ManualOrderTerms, 'side' | 'reducesOnly'>,
  held: 'LONG' | 'SHORT' | null,
): Action {
  if (side === 'BUY') return held === 'SHORT' || reducesOnly ? 'closeShort' : 'openLong'
  return held === 'LONG' || reducesOnly ? 'closeLong' : 'openShort'
}

/** The order in the terms by which entries are judged. */
export const entryTermsOf = (terms: ManualOrderTerms, action: Action): EntryTerms => ({
  ...terms,
  action,
  quantityType: 'fixed',
  exit: null,
})

/** The Temporal workflow that carries a manual order. */
export const orderWorkflowIdFor = (orderId: string): string => `order-${orderId}`

const MANUAL_CLIENT_ORDER_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-h1$/

/** The client order id of a manual order: there is one for each, whatever happens to it. */
export const manualClientOrderId = (orderId: string): string => `${orderId}-h1`

/** The inverse of {@link manualClientOrderId}; null for any other order. */
export const manualOrderIdIn = (clientOrderId: string): string | null =>
  MANUAL_CLIENT_ORDER_ID.exec(clientOrderId)?.[1] ?? null

/** Whether the id has the form of a signal's order or of a manual order. */
export const isOurs = (clientOrderId: string): boolean =>
  parseClientOrderId(clientOrderId) !== null || manualOrderIdIn(clientOrderId) !== null

/** A manual order as it was decided. */
export const manualOrderToSend = (
  terms: ManualOrderTerms,
  {
    side,
    quantity,
    sentAt,
    sendBefore = terms.sendBefore,
  }: { side: OrderSide; quantity: Decimal; sentAt?: string; sendBefore?: string },
): OrderToSend => ({
  request: { clientOrderId: manualClientOrderId(terms.orderId), ...orderAsSent(terms, side, quantity) },
  sendBefore,
  ...(sentAt !== undefined && { sentAt }),
})

/**
 * What is decided about an order right before it is sent, from the position that is held then. ready: it may be sent,
 * with this side and for so many shares. denied: it may not.
 */
export type ManualOrderDecision =
  | {
      outcome: 'ready'
      side: OrderSide
      /** Shares. */
      quantity: Decimal
      /** When its broker got it, where it was sent before; UTC instant. */
      sentAt?: string
      advisories: { code: string; message: string }[]
      /** Whose shares the order is to take from the position that it closes. */
      takes?: OwnedShares[]
      /** Until when it may be sent, where our own cancels have made it late; UTC instant. */
      sendBefore?: string
    }
  | { outcome: 'denied'; code: DenialCode; detail: string }

/** Why a manual order was cancelled that somebody called off before it was sent, for its owner to read. */
export const cancelledDetail = (by: string): string => `Cancelled by ${by} before it was sent`
