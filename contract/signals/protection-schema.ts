import type { Decimal } from '#domain/decimal.ts'
import { PROTECTION_UNTIL, type Distance, type Level, type Protection } from '#domain/protection.ts'
import { changedPlan, NO_LEVELS } from '#domain/protection-change.ts'
import { isInTicks, notInTicks } from '#domain/price-tick.ts'
import { z } from 'zod'
import { decimalFrom0, oneOf, positiveDecimal, price } from '../values/values.ts'

const MOST_DOLLARS_A_SHARE = '10000000'
const BELOW_100 = '99.999999999'

const IN_TICKS = { error: ({ input }: { input?: unknown }) => notInTicks(input as Decimal) }

export const LEVEL = ['price', 'percent', 'amount'] as const
const DISTANCE = ['percent', 'amount'] as const

const justOneOf = (names: readonly string[]) =>
  [
    (value: object) => names.filter((name) => (value as Record<string, unknown>)[name] != null).length === 1,
    {
      error: `must have exactly one of ${names.join(', ')}`,
      when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
    },
  ] as const

const distanceFields = {
  percent: positiveDecimal(BELOW_100).nullish().describe('Percent of the price, below 100'),
  amount: positiveDecimal(MOST_DOLLARS_A_SHARE).nullish().describe('Dollars a share'),
}
const levelFields = {
  price: price().refine(isInTicks, IN_TICKS).nullish().describe('Dollars a share'),
  ...distanceFields,
}
const distance = () =>
  z
    .strictObject(distanceFields)
    .refine(...justOneOf(DISTANCE))
    .transform((fields) => given(fields) as Distance)

/** The one that is given, and what belongs to it. */
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))

export const protectionFields = {
  stop: z
    .strictObject({
      ...levelFields,
      limitOffset: decimalFrom0(MOST_DOLLARS_A_SHARE)
        .refine(isInTicks, IN_TICKS)
        .nullish()
        .describe(
          'Makes it a stop limit order, whose limit lies so many dollars a share behind the stop: it sells no lower, and may not fill',
        ),
    })
    .refine(...justOneOf(LEVEL))
    .transform((fields) => given(fields) as NonNullable<Protection['stop']>)
    .nullish()
    .describe('Closes the position at a loss: at a price, or so far from the average fill'),
  target: z
    .strictObject(levelFields)
    .refine(...justOneOf(LEVEL))
    .transform((fields) => given(fields) as Level)
    .nullish()
    .describe('Closes the position at a profit, by a limit: at a price, or so far from the average fill'),
  trail: z
    .strictObject({
      ...distanceFields,
      after: distance().nullish().describe('Once the profit has been so much'),
    })
    .refine(...justOneOf(DISTANCE))
    .transform((fields) => given(fields) as NonNullable<Protection['trail']>)
    .nullish()
    .describe('The stop follows the best price at this distance, and never goes back'),
  breakEven: distance()
    .nullish()
    .describe('Once the profit has been so much, the stop moves to the average fill, plus fees'),
  until: oneOf(PROTECTION_UNTIL)
    .nullish()
    .describe(
      'closed: as long as the position is open, which is the default; session: until the end of the session of the fill, or of the last change',
    ),
}

export const protection = () =>
  z.strictObject(protectionFields).transform((given) => changedPlan(null, given) ?? NO_LEVELS)
