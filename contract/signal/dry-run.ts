import { z } from 'zod'
import { ORDER_SIDES, ORDER_TYPES, PROTECTIVE_ORDER_TYPES, TIMES_IN_FORCE } from '#domain/order/order.ts'
import { requestIdAnswer } from '../envelopes.ts'
import { quoteAnswer } from '../market.ts'
import { advisoryAnswer, instant, price } from './answers.ts'

const verdictAnswer = z.strictObject({
  rule: z.string(),
  outcome: z.enum(['passed', 'warned', 'held', 'skipped', 'denied']),
  message: z.string().describe('In words, with figures'),
  code: z.string().exactOptional().describe('The reason with which the signal would be refused'),
})

export const dryRunAnswer = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  dryRun: z.strictObject({
    outcome: z
      .enum(['ready', 'held', 'denied', 'existing', 'nothing', 'waits'])
      .describe(
        'held: it would wait for a person to approve it; existing: a signal holds the sourceId, and would be answered instead; nothing: what it wants is held already, or it has nothing to do; waits: something has to come first, and it is decided then',
      ),
    code: z
      .string()
      .nullable()
      .describe('With which the signal would be refused; null where it would not be'),
    signalId: z
      .uuid()
      .nullable()
      .describe('The signal that would be answered instead; null where there is none'),
    order: z
      .strictObject({
        clientOrderId: z.string(),
        symbol: z.string(),
        side: z.enum(ORDER_SIDES),
        quantity: z.number().describe('Shares'),
        orderType: z.enum([...ORDER_TYPES, ...PROTECTIVE_ORDER_TYPES]),
        limitPrice: price(),
        stopPrice: price(),
        timeInForce: z.enum(TIMES_IN_FORCE),
        extendedHours: z.boolean(),
      })
      .nullable()
      .describe('What would be sent; null when no size can be worked out'),
    follows: z
      .strictObject({
        side: z.enum(ORDER_SIDES),
        quantity: z.number().nullable().describe('Shares; null where it is sized when it is sent'),
        limitPrice: price(),
        stopPrice: price(),
      })
      .nullable()
      .describe(
        'Of a target on the other side: what another signal opens once this order has filled, with the exit and the protection; null for none',
      ),
    scheduledAt: instant()
      .nullable()
      .describe('When the order would be sent by its schedule; null where that is at once'),
    session: z
      .strictObject({ isOpen: z.boolean(), nextOpen: instant(), nextClose: instant() })
      .describe('At the moment at which the order would be sent'),
    exitAt: instant()
      .nullable()
      .describe('When the exit would be sent if the entry were filled at once; null without an exit'),
    exitReason: z.string().nullable(),
    waitsFor: z.array(z.uuid()).describe('Earlier signals whose turn comes first'),
    verdicts: z.array(verdictAnswer).describe('What every rule says'),
  }),
  advisories: z.array(advisoryAnswer).exactOptional(),
  requestId: requestIdAnswer,
})

export const signalCheckAnswer = z.strictObject({
  dryRun: dryRunAnswer.shape.dryRun,
  message: z.string(),
  advisories: z.array(advisoryAnswer),
  heldPrice: price().describe('Dollars a share when the signal began to wait'),
  quote: quoteAnswer.nullable().describe('Null when the broker reports no price'),
  driftPercent: z.number().nullable().describe('The last trade from heldPrice; above 0 where it is dearer'),
  driftLimitPercent: z.number().nullable().describe('How far it may lie from there; null for no limit'),
  limitDistancePercent: z
    .number()
    .nullable()
    .describe('The limit from the last trade; above 0 where it is dearer'),
  cost: z
    .number()
    .nullable()
    .describe('Dollars that the whole order takes or brings, at its price or what the market gives'),
  followingCost: z
    .number()
    .nullable()
    .describe(
      'The same of the order that follows on the other side; null where none does, or its shares are not known',
    ),
  buyingPower: z
    .number()
    .describe('Of the account for this asset, as the broker reports it, without what open orders hold'),
  position: z
    .strictObject({ before: z.number(), after: z.number().nullable() })
    .describe(
      'Shares, below 0 for a short position: as last synced, and once all has filled, what follows as well',
    ),
  notice: z
    .strictObject({
      devices: z.int().describe('Devices of its owner that receive a notification of the signal'),
      reached: z.int().describe('Devices whose push service has accepted the message'),
      unreachedSince: instant().nullable().describe('Since when it is known that none was reached'),
    })
    .nullable()
    .describe('The notification that the signal waits; null where no device receives one'),
  checkedAt: instant(),
})

export type DryRunAnswer = z.output<typeof dryRunAnswer>
export type SignalCheckAnswer = z.output<typeof signalCheckAnswer>
