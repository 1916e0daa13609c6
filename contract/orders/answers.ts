import { ORDER_SIDES, ORDER_STATUSES } from '#domain/order.ts'
import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'
import { workflowAnswer } from '../envelopes.ts'
import { signalEventAnswer } from '../signals/answers.ts'
import { dryRunAnswer } from '../signals/dry-run-answers.ts'
import { distanceAnswer } from '../signals/protection-answers.ts'

const price = () => z.number().nullable().describe('Dollars a share')
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
    limitPrice: price(),
    stopPrice: price(),
    stopLimitPrice: price().describe(
      'Limit of the stop of an OCO, in dollars a share; null where it trades at market',
    ),
    trail: distanceAnswer().nullable().describe('How far a TRAILING_STOP follows behind the price'),
    avgFillPrice: price(),
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
    .describe('Of the account for this asset, as the broker tells it; null when it tells none'),
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
  avgFillPrice: price(),
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
      'cancelled: it has ended with that; asked: the broker has not confirmed it yet, and it may fill until it does; over: it had ended otherwise before; failed: the cancel is not known to have been taken up, so that it works on',
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
