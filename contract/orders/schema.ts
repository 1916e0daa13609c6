import { TIMES_IN_FORCE_BY_HAND, type OrderWish } from '#domain/by-hand.ts'
import { ASKED_SIDES } from '#domain/origin.ts'
import type { AnyOrderType, TimeInForce } from '#domain/order.ts'
import { z } from 'zod'
import { ApiError, fault, type Fault } from '../errors.ts'
import { allFaults, readFields, type Writer, type JsonObject } from '../values/fields.ts'
import { price, quantity, symbol, trueOrFalse, uuid, wordInAnyCase, NAMES_NOTHING } from '../values/values.ts'
import { namesNothing } from '../values/placeholders.ts'

export const ORDER_TYPES_OUT = {
  market: 'MARKET',
  limit: 'LIMIT',
  stop: 'STOP',
  stopLimit: 'STOP_LIMIT',
  oco: 'OCO',
  trailingStop: 'TRAILING_STOP',
} as const satisfies Record<AnyOrderType, string>
const ORDER_TYPES_IN = { MARKET: 'market', LIMIT: 'limit', STOP: 'stop', STOP_LIMIT: 'stopLimit' } as const

/** The rules that concern a field alone; specification 4.2. */
export const orderFields = {
  accountId: uuid(),
  symbol: symbol(),
  side: wordInAnyCase(ASKED_SIDES).describe(
    'BUY opens a long position or covers a short one, SELL closes a long position or opens a short one',
  ),
  orderType: wordInAnyCase(['MARKET', 'LIMIT', 'STOP', 'STOP_LIMIT']),
  quantity: quantity().describe('Shares'),
  limitPrice: price().describe('Dollars a share; for LIMIT and STOP_LIMIT').optional(),
  stopPrice: price().describe('Dollars a share; for STOP and STOP_LIMIT').optional(),
  timeInForce: wordInAnyCase(['DAY', 'GTC', 'OPG', 'CLS', 'IOC', 'FOK']).default('DAY'),
  extendedHours: trueOrFalse().default(false),
  reduceOnly: trueOrFalse()
    .describe('The order may close a position and never open one: with none left to close it is refused')
    .default(false),
  dryRun: trueOrFalse()
    .describe('Answer what would be sent, and what every rule says of it; nothing is stored or sent')
    .default(false),
}

/** Scripts and alerting services send it, as people do. */
export const ORDER_WRITER: Writer = { isTemplate: true }

export const closeFields = {
  quantity: quantity().describe('Shares; all that are held without it').optional(),
}

interface OrderRequest {
  wish: OrderWish
  dryRun: boolean
}

export function readOrderRequest(body: JsonObject): OrderRequest {
  const { values, faults } = readFields(orderFields, body, ORDER_WRITER)
  const all = allFaults(faults, [...priceFaults(values, faults)])
  if (all.length > 0) throw invalidOrder(all)
  // Without a fault every required field is there.
  const valid = values as z.output<z.ZodObject<typeof orderFields>>
  const wish: OrderWish = {
    accountId: valid.accountId,
    symbol: valid.symbol,
    side: valid.side,
    orderType: ORDER_TYPES_IN[valid.orderType],
    quantity: valid.quantity,
    limitPrice: valid.limitPrice ?? null,
    stopPrice: valid.stopPrice ?? null,
    timeInForce: TIMES_IN_FORCE_IN[valid.timeInForce],
    extendedHours: valid.extendedHours,
    reducesOnly: valid.reduceOnly,
  }
  return { wish, dryRun: valid.dryRun }
}

const TIMES_IN_FORCE_IN = Object.fromEntries(
  TIMES_IN_FORCE_BY_HAND.map((timeInForce) => [timeInForce.toUpperCase(), timeInForce]),
) as Record<Uppercase<(typeof TIMES_IN_FORCE_BY_HAND)[number]>, TimeInForce>

const invalidOrder = (details: Fault[]): ApiError =>
  new ApiError('INVALID_ORDER', { message: details.map(({ message }) => message).join('; '), details })

/** A price that would be left out of the order is refused: whoever sent it meant something by it. */
function* priceFaults(
  { orderType, limitPrice, stopPrice }: Partial<z.output<z.ZodObject<typeof orderFields>>>,
  faults: readonly Fault[],
): Generator<Fault> {
  if (orderType === undefined) return
  const isFaulty = (field: string) => faults.some(({ path }) => path[0] === field)
  const prices = { limitPrice, stopPrice }
  const needed = {
    limitPrice: orderType === 'LIMIT' || orderType === 'STOP_LIMIT',
    stopPrice: orderType === 'STOP' || orderType === 'STOP_LIMIT',
  }
  for (const field of ['limitPrice', 'stopPrice'] as const) {
    const given = prices[field] !== undefined || isFaulty(field)
    if (needed[field] && !given)
      yield fault([field], 'required', `${field} is required for orderType ${orderType}`)
    if (!needed[field] && given)
      yield fault([field], 'not_allowed', `${field} is not allowed for orderType ${orderType}: leave it out`)
  }
}

/** The key is good for ever, and for one request of its sender: a token, or a person over all sessions. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters, or be left out')
    .refine((key) => !namesNothing(key), NAMES_NOTHING)
    .describe(
      'Makes the request harmless to repeat: with the same key and the same request the same orders are answered, with status 200. It never expires. Each token has keys of its own, and so has a person',
    )
    .optional(),
})
