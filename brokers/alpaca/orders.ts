import { decimal, isDecimal, compare, isPositive } from '#domain/money/decimal.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import { busyUntil } from '../retry-after.ts'
import {
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
} from '../port.ts'
import type { HttpAnswer } from '../http.ts'
import { wireError, type WireError, type WireOrder, type AlpacaStatus } from './wire.ts'
import type { OrderReport, OrderRequest, OrderSide, AnyOrderType, OrderStatus } from '#domain/order/order.ts'
import type { Distance } from '#domain/exit/protection.ts'

/** Mostly below a dollar: no order can close such a rest. */
const isTooSmall = ({ message }: WireError): boolean => /cost basis must be >=/i.test(message)

/** The first fitting row decides; fields come before words. */
const FORBIDDEN_FOR: readonly { code: DenialCode; fits: (error: WireError) => boolean }[] = [
  { code: 'ORDER_TOO_SMALL', fits: isTooSmall },
  { code: 'INVALID_ORDER', fits: (e) => 'held_for_orders' in e || /insufficient qty/i.test(e.message) },
  {
    code: 'INSUFFICIENT_FUNDS',
    fits: (e) => 'buying_power' in e || /buying power|insufficient (balance|funds|cash)/i.test(e.message),
  },
  { code: 'OPPOSITE_ORDER', fits: (e) => e.existing_order_id !== undefined || /wash trade/i.test(e.message) },
  // A blocked account, day trading protection, or a halt.
  { code: 'BROKER_ERROR', fits: () => true },
]

/** Codes 4031xxxx are a trading rule's refusal; any other 403 may mean rejected keys. */
const isTradingCode = (code: number | undefined): boolean =>
  code !== undefined && Math.floor(code / 10_000) === 4031

const ALPACA_NOT_FOUND = 40_410_000

/** Only a refusal in Alpaca's own words means that nothing was placed; every other answer is unknown. */
export function submissionError(answer: HttpAnswer): Error {
  const general = generalError(answer, 'submission')
  const error = readError(answer)
  if (general || !error) return general ?? unusable(answer, 'submission')
  switch (answer.status) {
    case 403: {
      const { code } = FORBIDDEN_FOR.find(({ fits }) => fits(error))!
      return new BrokerRejection(code, wordsOf(error), answer.status, {
        opposing: error.existing_order_id ?? null,
        funds: code === 'INSUFFICIENT_FUNDS' ? fundsOf(error) : null,
      })
    }
    case 400:
    case 404:
    case 409:
    case 422:
      return /client_order_id/i.test(error.message) && /unique/i.test(error.message)
        ? new DuplicateClientOrderId(wordsOf(error))
        : new BrokerRejection(
            isTooSmall(error) ? 'ORDER_TOO_SMALL' : 'INVALID_ORDER',
            wordsOf(error),
            answer.status,
            {
              isAgainstPosition: /position intent mismatch/i.test(error.message),
            },
          )
    default:
      return unusable(answer, 'submission')
  }
}

/** Never a rejection: a refused look-up says nothing about the order. */
export const requestError = (answer: HttpAnswer, what: string): Error =>
  generalError(answer, what) ?? unusable(answer, what)

function generalError(answer: HttpAnswer, what: string): Error | null {
  if (answer.status === 429) return busyUntil(answer.headers)
  const error = readError(answer)
  if (answer.status === 401 || (answer.status === 403 && error && !isTradingCode(error.code))) {
    // The account decides in the end, see `keys.ts`.
    return new BrokerCredentialsError(`Wrong key or secret (${what}: ${answer.status})`, {
      what,
      httpStatus: answer.status,
      words: error && wordsOf(error),
    })
  }
  return null
}

function unusable(answer: HttpAnswer, what: string): BrokerOutcomeUnknown {
  const error = readError(answer)
  const words = error ? ` ${wordsOf(error)}` : ''
  return new BrokerOutcomeUnknown(`The broker gave no usable answer (${what}: ${answer.status}${words})`)
}

/** Alpaca's own code decides: a wrong address is a 404 as well. */
export const isNotFound = (answer: HttpAnswer): boolean =>
  answer.status === 404 && readError(answer)?.code === ALPACA_NOT_FOUND

export const isRuledOut = (answer: HttpAnswer): boolean =>
  answer.status === 422 || (answer.status === 403 && isTradingCode(readError(answer)?.code))

function readError(answer: HttpAnswer): WireError | null {
  try {
    return wireError.safeParse(JSON.parse(answer.body)).data ?? null
  } catch {
    return null
  }
}

const wordsOf = (error: WireError): string =>
  error.reject_reason ? `${error.message} (${error.reject_reason})` : error.message

const fundsOf = ({ buying_power: available, cost_basis: needed }: WireError): BrokerRejection['funds'] =>
  isDecimal(available) && isDecimal(needed)
    ? { needed: decimal(needed), available: decimal(available) }
    : null

type WireState = Pick<WireOrder, 'status' | 'qty' | 'filled_qty' | 'time_in_force' | 'cancel_requested_at'>

const working = ({ filled_qty }: WireState): OrderStatus =>
  isPositive(filled_qty) ? 'PARTIALLY_FILLED' : 'OPEN'

/**
 * Alpaca's "canceled" covers two ends. In FIX 4.4 (tag 39, value C) an order that its time in force ended is Expired,
 * except ioc and fok remainders. Alpaca reports resting orders as "expired" itself; the remainder of an auction is
 * EXPIRED unless a cancel was requested. CANCELLED outranks EXPIRED when reports are merged.
 */
const canceled = ({ time_in_force, cancel_requested_at }: WireState): OrderStatus =>
  (time_in_force === 'opg' || time_in_force === 'cls') && !cancel_requested_at ? 'EXPIRED' : 'CANCELLED'

const STATUS: Record<Exclude<AlpacaStatus, 'replaced'>, OrderStatus | ((order: WireState) => OrderStatus)> = {
  accepted: 'PENDING',
  pending_new: 'PENDING',
  accepted_for_bidding: 'PENDING',
  held: 'PENDING',
  new: working,
  partially_filled: 'PARTIALLY_FILLED',
  pending_cancel: working,
  pending_replace: working,
  stopped: working,
  suspended: working,
  // The order trades on the next day.
  done_for_day: working,
  calculated: (order) => (compare(order.filled_qty, order.qty) >= 0 ? 'FILLED' : working(order)),
  filled: 'FILLED',
  expired: 'EXPIRED',
  rejected: 'REJECTED',
  canceled,
}

/** Throws {@link BrokerOutcomeUnknown} for a replaced order: its successor's status counts. */
export function orderStatus(order: WireState): OrderStatus {
  if (order.status === 'replaced') throw new BrokerOutcomeUnknown('An order was replaced by an unnamed other')
  const status = STATUS[order.status]
  return typeof status === 'function' ? status(order) : status
}

const SIDE_TO_WIRE = {
  BUY: { side: 'buy', position_intent: 'buy_to_open' },
  SELL: { side: 'sell', position_intent: 'sell_to_close' },
  SELL_SHORT: { side: 'sell', position_intent: 'sell_to_open' },
  BUY_TO_COVER: { side: 'buy', position_intent: 'buy_to_close' },
} as const satisfies Record<OrderSide, Pick<WireOrder, 'side' | 'position_intent'>>

/** Without an intent an opening buy or a closing sale is assumed. */
const SIDE_FROM_WIRE = {
  buy_to_open: 'BUY',
  sell_to_close: 'SELL',
  sell_to_open: 'SELL_SHORT',
  buy_to_close: 'BUY_TO_COVER',
  buy: 'BUY',
  sell: 'SELL',
} as const satisfies Record<string, OrderSide>

const TYPE_TO_WIRE = {
  market: 'market',
  limit: 'limit',
  stop: 'stop',
  stopLimit: 'stop_limit',
  oco: 'limit',
  trailingStop: 'trailing_stop',
} as const satisfies Record<AnyOrderType, string>

const TYPE_FROM_WIRE = {
  market: 'market',
  limit: 'limit',
  stop: 'stop',
  stop_limit: 'stopLimit',
  trailing_stop: 'trailingStop',
} as const satisfies Record<WireOrder['type'], AnyOrderType>

/** The intent makes Alpaca reject a flip of the position. Throws a TypeError for gtd, which the workflow emulates. */
export function submissionBody(request: OrderRequest): string {
  if (request.timeInForce === 'gtd') throw new TypeError('Alpaca has no gtd: send gtc and cancel it in time')
  return JSON.stringify({
    client_order_id: request.clientOrderId,
    symbol: request.symbol,
    qty: request.quantity,
    type: TYPE_TO_WIRE[request.orderType],
    time_in_force: request.timeInForce,
    ...(request.orderType === 'oco' ? pairOf(request) : pricesOf(request)),
    extended_hours: request.extendedHours || undefined,
    ...SIDE_TO_WIRE[request.side],
  })
}

const pricesOf = ({ limitPrice, stopPrice, trail }: OrderRequest) => ({
  limit_price: limitPrice ?? undefined,
  stop_price: stopPrice ?? undefined,
  ...(trail && ('percent' in trail ? { trail_percent: trail.percent } : { trail_price: trail.amount })),
})

const pairOf = ({ limitPrice, stopPrice, stopLimitPrice }: OrderRequest) => ({
  order_class: 'oco',
  take_profit: { limit_price: limitPrice },
  stop_loss: { stop_price: stopPrice, limit_price: stopLimitPrice ?? undefined },
})

export interface Origin {
  clientOrderId: string
  submittedAt: string
}

export const ownOrigin = (order: WireOrder): Origin => ({
  clientOrderId: order.client_order_id,
  submittedAt: order.submitted_at ?? order.created_at,
})

export const orderReport = (order: WireOrder, origin = ownOrigin(order)): OrderReport => ({
  brokerOrderId: order.id,
  clientOrderId: origin.clientOrderId,
  symbol: order.symbol,
  side: SIDE_FROM_WIRE[order.position_intent ?? order.side],
  quantity: order.qty,
  orderType: TYPE_FROM_WIRE[order.type],
  limitPrice: order.limit_price,
  stopPrice: order.type === 'trailing_stop' ? null : order.stop_price,
  ...(order.type === 'trailing_stop' && { trail: trailOf(order) }),
  timeInForce: order.time_in_force,
  extendedHours: order.extended_hours,
  status: orderStatus(order),
  filledQuantity: order.filled_qty,
  avgFillPrice: order.filled_avg_price,
  reason: order.reject_reason ?? null,
  submittedAt: origin.submittedAt,
  filledAt: order.filled_at,
  endedAt: endOf(order),
  ...(order.updated_at && { changedAt: order.updated_at }),
})

function trailOf({ id, trail_percent: percent, trail_price: amount }: WireOrder): Distance {
  if (percent) return { percent }
  if (amount) return { amount }
  throw new BrokerOutcomeUnknown(`The broker's trailing stop ${id} has no trail`)
}

/** Alpaca gives each kind of end its own field. */
export function endOf(order: WireOrder): string | null {
  const { canceled_at, expired_at, failed_at, filled_at, status } = order
  return canceled_at ?? expired_at ?? failed_at ?? (status === 'filled' ? filled_at : null)
}
