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
export type AskedSide = (typeof ASKED_SIDES)[number]

/** gtd is a field of signals only. */
export const MANUAL_TIMES_IN_FORCE = [
  'day',
  'gtc',
  'opg',
  'cls',
  'ioc',
  'fok',
] as const satisfies readonly TimeInForce[]

export interface ManualOrderTerms extends OrderTerms {
  orderId: string
  userId: string
  accountId: string
  side: AskedSide
  quantity: Decimal
  /** With nothing left to close it is denied, and never opens. */
  reducesOnly: boolean
  owners?: string[]
  acceptedAt: string
  /** An old order is worse than none. */
  sendBefore: string
}

export function actionOfManualOrder(
  { side, reducesOnly }: Pick<ManualOrderTerms, 'side' | 'reducesOnly'>,
  held: 'LONG' | 'SHORT' | null,
): Action {
  if (side === 'BUY') return held === 'SHORT' || reducesOnly ? 'closeShort' : 'openLong'
  return held === 'LONG' || reducesOnly ? 'closeLong' : 'openShort'
}

export const entryTermsOf = (terms: ManualOrderTerms, action: Action): EntryTerms => ({
  ...terms,
  action,
  quantityType: 'fixed',
  exit: null,
})

export const orderWorkflowIdFor = (orderId: string): string => `order-${orderId}`

const MANUAL_CLIENT_ORDER_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-h1$/

export const manualClientOrderId = (orderId: string): string => `${orderId}-h1`

export const manualOrderIdIn = (clientOrderId: string): string | null =>
  MANUAL_CLIENT_ORDER_ID.exec(clientOrderId)?.[1] ?? null

export const isOurs = (clientOrderId: string): boolean =>
  parseClientOrderId(clientOrderId) !== null || manualOrderIdIn(clientOrderId) !== null

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

export type ManualOrderDecision =
  | {
      outcome: 'ready'
      side: OrderSide
      quantity: Decimal
      sentAt?: string
      advisories: { code: string; message: string }[]
      takes?: OwnedShares[]
      /** Where our own cancels have made it late; UTC instant. */
      sendBefore?: string
    }
  | { outcome: 'denied'; code: DenialCode; detail: string }

export const cancelledDetail = (by: string): string => `Cancelled by ${by} before it was sent`
