import type { Decimal } from './decimal.ts'
import type { DenialCode } from './denial.ts'
import type { EntryTerms } from './entry-check.ts'
import type { OwnedShares } from './ownership.ts'
import type { OrderSide, OrderTerms, TimeInForce } from './order.ts'
import type { Action } from './signal.ts'

export const ASKED_SIDES = ['BUY', 'SELL'] as const
/** The side that a person asks for; the position decides whether that opens or closes. */
export type AskedSide = (typeof ASKED_SIDES)[number]

/** Times in force of orders placed by hand: good till date is a field of signals only. */
export const HAND_TIMES_IN_FORCE = [
  'day',
  'gtc',
  'opg',
  'cls',
  'ioc',
  'fok',
] as const satisfies readonly TimeInForce[]

/** Everything about an order placed by hand that decides what happens to it. Frozen when it is accepted. */
export interface HandOrderTerms extends OrderTerms {
  orderId: string
  userId: string
  accountId: string
  side: AskedSide
  /** Shares. */
  quantity: Decimal
  /** It is to close a position: with none left to close it is refused, and never opens one. */
  reducesOnly: boolean
  /** UTC instants. */
  acceptedAt: string
  /** Past this instant it is no longer sent: an old order is worse than none. */
  staleAfter: string
}

/** What an order placed by hand does to the position that is held when it is about to be sent. */
export function actionByHand(
  { side, reducesOnly }: Pick<HandOrderTerms, 'side' | 'reducesOnly'>,
  held: 'LONG' | 'SHORT' | null,
): Action {
  if (side === 'BUY') return held === 'SHORT' || reducesOnly ? 'closeShort' : 'openLong'
  return held === 'LONG' || reducesOnly ? 'closeLong' : 'openShort'
}

/** The order in the terms by which entries are judged. */
export const entryTermsOf = (terms: HandOrderTerms, action: Action): EntryTerms => ({
  ...terms,
  action,
  quantityType: 'fixed',
  exit: null,
})

/** The Temporal workflow that carries an order placed by hand. */
export const orderWorkflowIdFor = (orderId: string): string => `order-${orderId}`

const CLIENT_ORDER_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-h1$/

/** The client order id of an order placed by hand: there is one for each, whatever happens to it. */
export const handClientOrderId = (orderId: string): string => `${orderId}-h1`

/** The inverse of {@link handClientOrderId}; null for any other order. */
export const handOrderIdIn = (clientOrderId: string): string | null =>
  CLIENT_ORDER_ID.exec(clientOrderId)?.[1] ?? null

/**
 * What is decided about an order right before it is sent, from the position that is held then. ready: it may be sent,
 * with this side and for so many shares. denied: it may not.
 */
export type HandDecision =
  | {
      outcome: 'ready'
      side: OrderSide
      /** Shares. */
      quantity: Decimal
      advisories: { code: string; message: string }[]
      /** Whose shares the order is to take from the position that it closes. */
      takes?: OwnedShares[]
    }
  | { outcome: 'denied'; code: DenialCode; detail: string }
