import { TIMES_IN_FORCE_BY_HAND, type OrderRequestByHand } from '#domain/signal/by-hand.ts'
import { ASKED_SIDES } from '#domain/signal/origin.ts'
import {
  type AnyOrderType,
  type TimeInForce,
  ORDER_STATUSES,
  WORKING_STATUSES,
  type OrderStatus,
  ORDER_SIDES,
} from '#domain/order/order.ts'
import { z } from 'zod'
import { ApiError, fault, type Fault } from '../errors.ts'
import { allFaults, readFields, type Writer, type JsonObject } from '../values/fields.ts'
import {
  price,
  quantity,
  symbol,
  trueOrFalse,
  uuid,
  wordInAnyCase,
  NAMES_NOTHING,
  oneOf,
  symbols,
  wholeNumber,
} from '../values/values.ts'
import { namesNothing } from '../values/secrets.ts'
import { paging, period, checkPeriod, pagingAnswer } from '../values/query.ts'
import { workflowAnswer } from '../envelopes.ts'
import { signalEventAnswer } from '../signal/answers.ts'
import { dryRunAnswer } from '../signal/dry-run.ts'
import { distanceAnswer } from '../exit/answers.ts'

export const ORDER_TYPES_OUT = {
  market: 'MARKET',
  limit: 'LIMIT',
  stop: 'STOP',
  stopLimit: 'STOP_LIMIT',
  oco: 'OCO',
  trailingStop: 'TRAILING_STOP',
} as const satisfies Record<AnyOrderType, string>
const ORDER_TYPES_IN = { MARKET: 'market', LIMIT: 'limit', STOP: 'stop', STOP_LIMIT: 'stopLimit' } as const

/** Rules for single fields; specification 4.2. */
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

export const ORDER_WRITER: Writer = { isTemplate: true }

export const closeFields = {
  quantity: quantity().describe('Shares; all that are held without it').optional(),
}

interface OrderRequest {
  orderRequest: OrderRequestByHand
  dryRun: boolean
}

export function readOrderRequest(body: JsonObject): OrderRequest {
  const { values, faults } = readFields(orderFields, body, ORDER_WRITER)
  const all = allFaults(faults, [...priceFaults(values, faults)])
  if (all.length > 0) throw invalidOrder(all)
  // Without a fault every required field is set.
  const valid = values as z.output<z.ZodObject<typeof orderFields>>
  const orderRequest: OrderRequestByHand = {
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
  return { orderRequest, dryRun: valid.dryRun }
}

const TIMES_IN_FORCE_IN = Object.fromEntries(
  TIMES_IN_FORCE_BY_HAND.map((timeInForce) => [timeInForce.toUpperCase(), timeInForce]),
) as Record<Uppercase<(typeof TIMES_IN_FORCE_BY_HAND)[number]>, TimeInForce>

const invalidOrder = (details: Fault[]): ApiError =>
  new ApiError('INVALID_ORDER', { message: details.map(({ message }) => message).join('; '), details })

/** A superfluous price is refused: its sender meant something. */
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

/** The key is permanent, for one request of a token, or of a person over all sessions. */
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

export const STATUS_FILTERS = {
  OPEN: WORKING_STATUSES,
  PENDING: ['PENDING'],
  PARTIALLY_FILLED: ['PARTIALLY_FILLED'],
  FILLED: ['FILLED'],
  CANCELLED: ['CANCELLED'],
  REJECTED: ['REJECTED'],
  EXPIRED: ['EXPIRED'],
} as const satisfies Record<OrderStatus, readonly OrderStatus[]>

export const SOURCE_FILTERS = { signal: ['entry', 'exit'], manual: ['manual'] } as const

export const orderListQuery = z
  .strictObject({
    accountId: uuid().optional(),
    status: oneOf(ORDER_STATUSES)
      .describe('OPEN finds every order that still works: PENDING and PARTIALLY_FILLED ones too')
      .optional(),
    symbol: symbols().optional(),
    signalId: uuid().optional(),
    source: oneOf(['signal', 'manual']).optional(),
    ...period,
    ...paging,
  })
  .check(checkPeriod)

export const orderEventsQuery = z.strictObject({ ...paging, limit: wholeNumber(1, 500).default(500) })

export const CANCELLED_AT_ONCE = 200

const priceOrNone = () => z.number().nullable().describe('Dollars a share')
const timeInForce = z.enum(['DAY', 'GTC', 'OPG', 'CLS', 'IOC', 'FOK', 'GTD'])

export const orderAnswer = z
  .strictObject({
    id: z.uuid(),
    accountId: z.uuid(),
    brokerOrderId: z.string().nullable().describe('Null until the broker has accepted the order'),
    symbol: z.string(),
    side: z
      .enum(ORDER_SIDES)
      .describe(
        'BUY opens a long position and SELL closes it, SELL_SHORT opens a short one and BUY_TO_COVER closes it',
      ),
    orderType: z.enum(['MARKET', 'LIMIT', 'STOP', 'STOP_LIMIT', 'OCO', 'TRAILING_STOP']),
    quantity: z.number().describe('Shares'),
    filledQuantity: z.number().describe('Shares'),
    limitPrice: priceOrNone(),
    stopPrice: priceOrNone(),
    stopLimitPrice: priceOrNone().describe(
      'Limit of the stop of an OCO, in dollars a share; null where it trades at market',
    ),
    trail: distanceAnswer().nullable().describe('How far a TRAILING_STOP follows behind the price'),
    avgFillPrice: priceOrNone(),
    status: z.enum(ORDER_STATUSES),
    timeInForce,
    expiresAt: z.iso.datetime().nullable().describe('Until when it is good (GTD)'),
    createdAt: z.iso.datetime(),
    filledAt: z.iso.datetime().nullable(),
    signalId: z.uuid().nullable(),
    role: z
      .enum(['entry', 'exit', 'manual'])
      .describe('What part of its signal it plays; `manual` for a manual order'),
  })
  .meta({ id: 'Order' })

export const orderDetailAnswer = z
  .strictObject({
    ...orderAnswer.shape,
    duration: timeInForce.describe('The time in force under its other name'),
    updatedAt: z.iso.datetime(),
    clientOrderId: z.string().describe('Our name of it at the broker'),
    extendedHours: z.boolean(),
    reason: z
      .string()
      .nullable()
      .describe("The broker's words for a rejection, expiry or cancel; ours with a code where we refused it"),
    account: z.strictObject({ id: z.uuid(), name: z.string() }),
    workflow: workflowAnswer
      .nullable()
      .describe('What carries it through in Temporal; null for an order that was not placed by this service'),
  })
  .meta({ id: 'OrderDetail' })

export const orderListAnswer = z.strictObject({ orders: z.array(orderAnswer), ...pagingAnswer })

export type OrderAnswer = z.output<typeof orderAnswer>
export type OrderDetailAnswer = z.output<typeof orderDetailAnswer>

const requestId = z.uuid()

export const placedAnswer = z
  .strictObject({
    id: z.uuid(),
    brokerOrderId: z.string().nullable().describe('Null until the broker has accepted the order'),
    status: z.enum(ORDER_STATUSES),
    message: z.string().describe('What has become of it so far, for people'),
  })
  .meta({ id: 'PlacedOrder' })

export const placementAnswer = z.strictObject({ success: z.literal(true), order: placedAnswer, requestId })

export const orderDryRunAnswer = z.strictObject({
  ...dryRunAnswer.shape,
  cost: z
    .number()
    .nullable()
    .describe(
      'Dollars that the whole order takes or brings, at its price or at the price that the market gives',
    ),
  buyingPower: z
    .number()
    .nullable()
    .describe('Of the account for this asset, as the broker reports it; null when it reports none'),
  position: z
    .strictObject({ before: z.number(), after: z.number().nullable() })
    .describe('Shares, below 0 for a short position: now, and once all has filled'),
  checkedAt: z.iso.datetime(),
})

export const rejectedAnswer = z
  .strictObject({
    error: z.string().describe('The code of the refusal: one of the denial codes'),
    message: z.string(),
    order: placedAnswer,
    requestId,
  })
  .meta({ id: 'RejectedOrder' })

export const orderStatusAnswer = z.strictObject({
  orderId: z.uuid(),
  status: z.enum(ORDER_STATUSES),
  filledQuantity: z.number().describe('Shares'),
  remainingQuantity: z.number().describe('Shares that may still fill; 0 when the order has ended'),
  avgFillPrice: priceOrNone(),
  updatedAt: z.iso.datetime(),
  requestId,
})

export const orderEventsAnswer = z.strictObject({ events: z.array(signalEventAnswer), ...pagingAnswer })

export const cancellationAnswer = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  orderId: z.uuid(),
  requestId,
})

const cancelledLineAnswer = z.strictObject({
  orderId: z.uuid(),
  symbol: z.string(),
  outcome: z
    .enum(['cancelled', 'asked', 'over', 'failed'])
    .describe(
      'cancelled: the cancel has ended the order; asked: the broker has not confirmed the cancel yet, and the order may fill until it does; over: the order had ended otherwise before; failed: the service does not know whether the cancel was accepted, so the order works on',
    ),
  error: z.string().nullable().describe('The code where it is over or failed'),
  message: z.string(),
})

export const cancelAllAnswer = z.strictObject({
  success: z.boolean().describe('None failed, and none is left'),
  orders: z.array(cancelledLineAnswer).describe('One for each order that worked, the newest first'),
  left: z.int().describe('Working orders beyond those; ask again for them'),
  requestId,
})

export type CancelAllAnswer = z.output<typeof cancelAllAnswer>
export type OrderDryRunAnswer = z.output<typeof orderDryRunAnswer>
export type PlacedAnswer = z.output<typeof placedAnswer>
export type RejectedAnswer = z.output<typeof rejectedAnswer>
export type OrderStatusAnswer = z.output<typeof orderStatusAnswer>
export type CancellationAnswer = z.output<typeof cancellationAnswer>
