import { ORDER_SIDES, ORDER_STATUSES } from '#domain/order.ts'
import { z } from 'zod'
import { pagingAnswer } from '../paging.ts'

const price = () => z.number().nullable().describe('Dollars a share')
const timeInForce = z.enum(['DAY', 'GTC', 'OPG', 'CLS', 'IOC', 'FOK', 'GTD'])

/** An order as lists show it. */
export const orderAnswer = z
  .strictObject({
    id: z.uuid(),
    accountId: z.uuid(),
    brokerOrderId: z.string(),
    symbol: z.string(),
    side: z
      .enum(ORDER_SIDES)
      .describe(
        'BUY opens a long position and SELL closes it, SELL_SHORT opens a short one and BUY_TO_COVER closes it',
      ),
    orderType: z.enum(['MARKET', 'LIMIT', 'STOP', 'STOP_LIMIT']),
    quantity: z.number().describe('Shares'),
    filledQuantity: z.number().describe('Shares'),
    limitPrice: price(),
    avgFillPrice: price(),
    status: z.enum(ORDER_STATUSES),
    timeInForce,
    createdAt: z.iso.datetime(),
    filledAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Order' })

/** An order with all that is known of it. */
export const orderDetailAnswer = z
  .strictObject({
    ...orderAnswer.shape,
    stopPrice: price(),
    duration: timeInForce.describe('The time in force under its other name'),
    updatedAt: z.iso.datetime(),
    signalId: z.uuid().nullable(),
    role: z.enum(['entry', 'exit']).describe('What part of its signal it plays'),
    clientOrderId: z.string().describe('Our name of it at the broker'),
    extendedHours: z.boolean(),
    reason: z.string().nullable().describe("The broker's words for a rejection, expiry or cancel"),
    account: z.strictObject({ id: z.uuid(), name: z.string() }),
  })
  .meta({ id: 'OrderDetail' })

export const orderListAnswer = z.strictObject({ orders: z.array(orderAnswer), ...pagingAnswer })

export type OrderAnswer = z.output<typeof orderAnswer>
export type OrderDetailAnswer = z.output<typeof orderDetailAnswer>
