import type { Decimal } from '#domain/money/decimal.ts'

/** Alpaca's error: a status and `{code, message, ...details}`. Nothing has changed when it is thrown. */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly status: number
  readonly code: number
  readonly details: Readonly<Record<string, unknown>>
  constructor(
    status: number,
    code: number,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

export const rejectionBody = ({ code, message, details }: Rejection) => ({ code, message, ...details })

/** Alpaca's codes: the HTTP status followed by a kind. */
const MALFORMED_BODY = 40010000
const INVALID_PARAMETER = 40010001
const UNAUTHORIZED = 40110000
const FORBIDDEN = 40300000
const FORBIDDEN_BY_ACCOUNT = 40310000
const NOT_FOUND = 40410000
const UNPROCESSABLE = 42210000
const TOO_MANY_REQUESTS = 42910000
const NOT_IMPLEMENTED = 50110000

const COIN_PAIR = /^[A-Z0-9]{2,10}\/[A-Z]{3,5}$/
/** Contract such as AAPL260320C00250000: share, date, call or put, strike in thousandths of a dollar. */
const OPTION_CONTRACT = /^[A-Z.]{1,6}\d{6}[CP]\d{8}$/

export const reject = {
  malformedBody: () => new Rejection(400, MALFORMED_BODY, 'request body format is invalid'),
  bodyTooLarge: () => new Rejection(413, MALFORMED_BODY, 'request body is too large'),
  invalidParameter: (message: string) => new Rejection(422, INVALID_PARAMETER, message),
  unauthorized: () => new Rejection(401, UNAUTHORIZED, 'request is not authorized'),
  tooManyRequests: () => new Rejection(429, TOO_MANY_REQUESTS, 'too many requests.'),
  forbidden: (message: string) => new Rejection(403, FORBIDDEN_BY_ACCOUNT, message),
  withoutPrices: () => new Rejection(403, FORBIDDEN, 'forbidden.'),
  notImplemented: (message: string) => new Rejection(501, NOT_IMPLEMENTED, message),
  notFound: (message: string) => new Rejection(404, NOT_FOUND, message),
  unlisted: (symbol: string) => {
    if (COIN_PAIR.test(symbol))
      return new Rejection(422, INVALID_PARAMETER, 'crypto orders not allowed for account')
    if (OPTION_CONTRACT.test(symbol))
      return new Rejection(403, FORBIDDEN_BY_ACCOUNT, 'account not eligible to trade options')
    return new Rejection(422, UNPROCESSABLE, `asset "${symbol}" not found`)
  },
  unprocessable: (message: string) => new Rejection(422, UNPROCESSABLE, message),
  levelBeyondPrice: (message: string, basePrice: Decimal) =>
    new Rejection(422, UNPROCESSABLE, message, { base_price: basePrice }),
  notSentYet: () =>
    new Rejection(422, INVALID_PARAMETER, "unable to replace order, order isn't sent to exchange yet"),
  belowLeastValue: (least: Decimal) =>
    new Rejection(422, UNPROCESSABLE, `cost basis must be >= minimal amount of order ${least}`),
  insufficientBuyingPower: (buyingPower: Decimal, costBasis: Decimal) =>
    new Rejection(403, FORBIDDEN_BY_ACCOUNT, 'insufficient buying power', {
      buying_power: buyingPower,
      cost_basis: costBasis,
    }),
  insufficientQuantity: (
    symbol: string,
    requested: string,
    held: { existing: Decimal; available: Decimal; heldForOrders: Decimal; orderIds: string[] },
  ) =>
    new Rejection(
      403,
      FORBIDDEN_BY_ACCOUNT,
      `insufficient qty available for order (requested: ${requested}, available: ${held.available})`,
      {
        available: held.available,
        existing_qty: held.existing,
        held_for_orders: held.heldForOrders,
        ...(held.orderIds.length > 0 && { related_orders: held.orderIds }),
        symbol,
      },
    ),
  washTrade: (existingOrderId: string, reason: string) =>
    new Rejection(403, FORBIDDEN_BY_ACCOUNT, 'potential wash trade detected. use complex orders', {
      existing_order_id: existingOrderId,
      reject_reason: reason,
    }),
  accountMayNot: (message: string) => new Rejection(403, FORBIDDEN_BY_ACCOUNT, message),
}
