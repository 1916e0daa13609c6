import type { Decimal } from '#domain/money/decimal.ts'
import { PROTECTION_UNTIL, type Distance, type Level, type Protection } from '#domain/exit/protection.ts'
import { changedLevels, NO_LEVELS } from '#domain/exit/protection-check.ts'
import { isInTicks, notInTicks } from '#domain/money/price-tick.ts'
import { z } from 'zod'
import {
  decimalFrom0,
  oneOf,
  positiveDecimal,
  price,
  identifyingText,
  MAX_QUANTITY,
  quantity,
  signedDecimal,
  symbol,
  trueOrFalse,
  uuid,
  wholeNumber,
} from '../values/values.ts'
import {
  EXIT_ORDER_TYPES,
  EXIT_TIMES_IN_FORCE,
  EXIT_TRIGGERS,
  TRIGGER,
  type TriggerField,
} from '#domain/exit/exit.ts'
import { MANAGES } from '#domain/signal/manages.ts'
import { ORDER_TYPES, TIMES_IN_FORCE } from '#domain/order/order.ts'
import { ACTIONS, EXECUTE_MODES, QUANTITY_TYPES } from '#domain/signal/signal.ts'
import { metadata } from '../values/metadata.ts'
import { clockTime, instantOrLocalTime, localTime, utcInstant, zone } from '../values/instants.ts'

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
          'Makes it a stop limit order. The limit is this distance in dollars a share behind the stop: it sells no lower, and may not fill',
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

const protection = () =>
  z.strictObject(protectionFields).transform((given) => changedLevels(null, given) ?? NO_LEVELS)

const triggersWith = (field: TriggerField): string =>
  EXIT_TRIGGERS.filter((trigger) => TRIGGER[trigger].field === field).join(' and ')

/** Rules for single fields; specification 2.1 and 2.2. */
export const signalFields = {
  symbol: symbol().describe(
    'The share, such as AAPL: 1 to 20 characters, upper-cased. BRK-B, BRK/B and NYSE:BRK.B are BRK.B, with an advisory',
  ),
  action: oneOf(ACTIONS).describe(
    'openLong buys, closeLong sells what is held, openShort sells short, closeShort buys back. A closing action never ' +
      'turns a position around: its quantity is cut to what is held',
  ),
  accountId: uuid().describe('The account that trades'),
  quantity: quantity().describe('Shares, percent or dollars, as quantityType says'),
  executeMode: oneOf(EXECUTE_MODES).describe(
    'immediate sends the order now, scheduled at scheduledProcessAt, pending when a person lets it go',
  ),

  scheduledProcessAt: localTime()
    .optional()
    .describe(
      'When the order is sent: a local time in timezone, ahead of now. Required with scheduled, and only then',
    ),
  timezone: zone()
    .optional()
    .describe(
      'The IANA zone of scheduledProcessAt, validUntil and an expiresAt without Z. Required with the first two',
    ),
  validUntil: instantOrLocalTime()
    .optional()
    .describe(
      'The signal expires then, unless its order has been sent: with Z or an offset, or local in timezone; ahead of now ' +
        'and after scheduledProcessAt',
    ),
  strategyId: uuid().optional().describe('The strategy that it is counted under'),
  quantityType: oneOf(QUANTITY_TYPES)
    .default('fixed')
    .describe(
      "fixed: shares. percentEquity: percent of the account's equity when the order is sent. dollarAmount: dollars. The " +
        'last two are divided by the limit price, or else the last price, and rounded down. riskPercent and riskDollars: what ' +
        'is lost if the stop of protection is reached, in percent of equity or dollars; divided by the distance to the stop, ' +
        'and bounded by the buying power. percentPosition: of closing actions, percent of what is held, in whole shares; 100 ' +
        'is all of it',
    ),
  targetPosition: signedDecimal(MAX_QUANTITY)
    .optional()
    .describe(
      'The position that is wanted: shares, below 0 for a short one, 0 for none. It overrules action and quantity: what ' +
        'is missing is bought or sold when the order is sent, so the same target twice trades once. From one side to the ' +
        'other the position is closed first, and another signal opens the new one. With quantityType fixed, orderType ' +
        'market or limit and timeInForce day, gtc, ioc or fok',
    ),
  manages: oneOf(MANAGES)
    .optional()
    .describe(
      'Which shares targetPosition or a closing action is about. own: those that signals of the same strategyId have opened, ' +
        'without one those of the same hook, else those of senders with neither. position: all that the account holds of the ' +
        'symbol. own unless said otherwise with targetPosition, position with a closing action',
    ),
  targetAt: utcInstant()
    .optional()
    .describe(
      'When you meant targetPosition: with Z or an offset, at most 5 minutes ahead. A target that comes after a newer one of the ' +
        'same account and symbol trades nothing and ends as TARGET_SUPERSEDED. Of equal instants, and without it, the last to ' +
        'come counts',
    ),
  orderType: oneOf(ORDER_TYPES).default('market').describe('What kind of order the entry is'),
  limitPrice: price()
    .optional()
    .describe('Dollars a share. Required with limit and stopLimit, refused otherwise'),
  stopPrice: price()
    .optional()
    .describe('Dollars a share. Required with stop and stopLimit, refused otherwise'),
  timeInForce: oneOf(TIMES_IN_FORCE)
    .default('day')
    .describe(
      'day and gtc rest, ioc and fok do not, opg and cls belong to the opening and the closing auction, gtd rests until ' +
        'expiresAt',
    ),
  expiresAt: instantOrLocalTime()
    .optional()
    .describe(
      'When a gtd order ends, at most 90 days ahead: with Z or an offset, or local in timezone. Only with gtd',
    ),
  extendedHours: trueOrFalse().default(false).describe('Trade before and after the session too'),
  sourceId: identifyingText(255)
    .optional()
    .describe(
      'Your own name of the signal. On one account a living signal holds it: sent again, that signal is returned and ' +
        'nothing new happens. Rejected, cancelled and failed signals set it free',
    ),
  replaceExisting: trueOrFalse()
    .default(false)
    .describe('Take the place of the signal that holds the sourceId, unless some of its order has filled'),
  metadata: metadata()
    .optional()
    .describe(
      'Data of your own, stored and shown with the signal, at most 16 KiB of JSON. Values under names of secrets (password, token, apiKey) are not kept',
    ),
  dryRun: trueOrFalse().default(false).describe('Show what would happen, and do nothing'),

  exitTriggerType: oneOf([...EXIT_TRIGGERS, 'timed'])
    .optional()
    .describe(
      `When the exit is sent: ${EXIT_TRIGGERS.map((trigger) => TRIGGER[trigger].choice.toLowerCase()).join(', ')}. Left out, ` +
        'there is no exit. Not for closing actions. timed is the earlier form',
    ),
  exitTriggerMinutes: wholeNumber(0, 60)
    .optional()
    .describe(
      `Required with ${triggersWith('exitTriggerMinutes')}; ${EXIT_TRIGGERS.flatMap((trigger) => {
        const least = TRIGGER[trigger].leastForAuction
        return least === null ? [] : `with ${trigger} and moc at least ${least}`
      }).join(', ')}`,
    ),
  exitTriggerTime: clockTime()
    .optional()
    .describe(`HH:MM in the broker's zone. Required with ${triggersWith('exitTriggerTime')}`),
  exitTriggerValue: wholeNumber(0, 1_440)
    .optional()
    .describe('The earlier form: minutes after the entry. Required with timed'),
  exitOrderType: oneOf(EXIT_ORDER_TYPES)
    .optional()
    .describe(
      'market unless said otherwise; moc is a market order for the closing auction. timed takes market and limit',
    ),
  exitLimitPrice: price()
    .optional()
    .describe('Dollars a share. Required with limit and stopLimit, refused otherwise'),
  exitStopPrice: price()
    .optional()
    .describe('Dollars a share. Required with stop and stopLimit, refused otherwise'),
  exitTimeInForce: oneOf(EXIT_TIMES_IN_FORCE)
    .optional()
    .describe('day unless said otherwise; moc is always cls'),

  protection: protection()
    .optional()
    .describe(
      'How the position is protected for as long as it is open, from its average fill on: a stop and a target, a stop that ' +
        'follows the price, one that moves to the entry. What its broker can keep lies there. Beside an exit, whichever comes ' +
        'first closes. Not for closing actions',
    ),
}

export type SignalFields = z.output<z.ZodObject<typeof signalFields>>
export type SignalField = keyof SignalFields
