import { LEVEL_NAMES, PROTECTION_UNTIL } from '#domain/exit/protection.ts'
import { z } from 'zod'

const price = () => z.number().describe('Dollars a share')
const distance = {
  percent: z.number().exactOptional().describe('Percent of the price'),
  amount: z.number().exactOptional().describe('Dollars a share'),
}
export const distanceAnswer = () => z.strictObject(distance)
const level = { price: z.number().exactOptional().describe('Dollars a share'), ...distance }

export const protectionAnswer = z
  .strictObject({
    stop: z
      .strictObject({
        ...level,
        limitOffset: z
          .number()
          .exactOptional()
          .describe('Dollars a share from the stop to its limit; without it, it sells at market'),
      })
      .nullable(),
    target: z.strictObject(level).nullable(),
    trail: z
      .strictObject({
        ...distance,
        after: distanceAnswer().exactOptional().describe('The profit from which on the stop follows'),
      })
      .nullable(),
    breakEven: distanceAnswer().nullable().describe('The profit at which the stop moves to the entry'),
    until: z.enum(PROTECTION_UNTIL),
  })
  .meta({ id: 'Protection' })

export const levelsAnswer = z
  .strictObject({
    side: z.enum(['LONG', 'SHORT']),
    quantity: z.number().describe('Shares of the entry that its exits have not closed'),
    average: price(),
    best: price().describe('The best price since the entry'),
    stop: z
      .strictObject({ price: price(), by: z.enum(['stop', 'trail', 'breakEven']) })
      .nullable()
      .describe('The present price of the stop, and the level that sets it; null where none counts yet'),
    target: price().nullable(),
    trailing: z.boolean().describe('The stop follows the price by now'),
    breakEven: z.boolean().describe('The stop has moved to the entry by now'),
    atBroker: z
      .strictObject({
        orderId: z.uuid(),
        orderType: z.enum(['limit', 'stop', 'stopLimit', 'oco', 'trailingStop']),
        quantity: z.number().describe('Shares that it may still fill'),
        stopPrice: price().nullable(),
        limitPrice: price().nullable(),
        timeInForce: z.enum(['day', 'gtc']),
      })
      .nullable()
      .describe('The order for these levels that works at the broker, whether this service runs or not'),
    keptHere: z
      .array(z.enum(LEVEL_NAMES))
      .describe('Parts that the broker does not keep: they need this service, and fresh prices'),
    price: z
      .strictObject({ price: price(), at: z.iso.datetime() })
      .nullable()
      .describe('The last price that was believed; null before one was needed'),
    risk: z
      .number()
      .nullable()
      .describe(
        'Dollars lost if the stop as it is now closes all; below 0 for a profit. Null without a stop',
      ),
    worksInExtendedHours: z.literal(false).describe('Stops work in regular sessions only'),
  })
  .meta({ id: 'ProtectionPlan' })

export type ProtectionAnswer = z.output<typeof protectionAnswer>
export type LevelsAnswer = z.output<typeof levelsAnswer>
