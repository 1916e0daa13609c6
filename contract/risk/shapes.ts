import { HALT_LEVELS, type HaltLevel, HALT_SCOPES } from '#domain/risk/halt.ts'
import { z } from 'zod'
import { lineOfText, oneOf, wholeNumber, decimalFrom0, positiveDecimal, symbol } from '../values/values.ts'
import {
  DUPLICATE_POLICIES,
  MARKET_HOURS_POLICIES,
  type RiskSettings,
  RISK_LIMIT_DESCRIPTIONS,
  type RiskLimits,
} from '#domain/risk/limits.ts'

export const haltRequest = {
  level: oneOf(HALT_LEVELS),
  reason: lineOfText(200).nullable().default(null).describe('May be given later, with the same level'),
}

export interface HaltRequest {
  level: HaltLevel
  reason: string | null
}

export const haltListQuery = z.strictObject({ limit: wholeNumber(1, 500).default(50) })

/** Shares or dollars; the database's maximum. */
const MAX_SIZE_LIMIT = '100000000000'
const MAX_ORDERS_LIMIT = 1_000_000
const MAX_WINDOW_SECONDS = 86_400
const MAX_SYMBOLS_LISTED = 1_000

const orNone = <S extends z.ZodType>(limit: S) => limit.nullable().optional()
const symbols = () =>
  z
    .array(symbol(), { error: 'must be a list of symbols' })
    .max(MAX_SYMBOLS_LISTED, `must name at most ${MAX_SYMBOLS_LISTED} symbols`)

export const riskLimitsRequest = {
  maxOrderShares: orNone(positiveDecimal(MAX_SIZE_LIMIT)),
  maxOrderValue: orNone(positiveDecimal(MAX_SIZE_LIMIT)),
  maxPositionShares: orNone(positiveDecimal(MAX_SIZE_LIMIT)),
  maxPositionValue: orNone(positiveDecimal(MAX_SIZE_LIMIT)),
  maxOrdersPerMinute: orNone(wholeNumber(0, MAX_ORDERS_LIMIT)),
  maxOrdersPerDay: orNone(wholeNumber(0, MAX_ORDERS_LIMIT)),
  maxDailyLoss: orNone(positiveDecimal(MAX_SIZE_LIMIT)),
  maxDailyLossPercent: orNone(positiveDecimal('100')),
  priceCollarPercent: orNone(positiveDecimal('1000')),
  maxApprovalDriftPercent: orNone(positiveDecimal('1000')),
  approvalAboveValue: orNone(decimalFrom0(MAX_SIZE_LIMIT)),
  duplicateWindowSeconds: orNone(wholeNumber(1, MAX_WINDOW_SECONDS)),
  duplicatePolicy: oneOf(DUPLICATE_POLICIES).optional(),
  allowedSymbols: orNone(symbols()),
  forbiddenSymbols: symbols().optional(),
  marketHours: oneOf(MARKET_HOURS_POLICIES).optional(),
} satisfies Record<keyof RiskSettings, z.ZodType>

const limit = (name: keyof RiskLimits) =>
  z.number().nullable().describe(`${RISK_LIMIT_DESCRIPTIONS[name].meaning}; null means no limit`)

const limitsShape = {
  maxOrderShares: limit('maxOrderShares'),
  maxOrderValue: limit('maxOrderValue'),
  maxPositionShares: limit('maxPositionShares'),
  maxPositionValue: limit('maxPositionValue'),
  maxOrdersPerMinute: limit('maxOrdersPerMinute'),
  maxOrdersPerDay: limit('maxOrdersPerDay'),
  maxDailyLoss: limit('maxDailyLoss'),
  maxDailyLossPercent: limit('maxDailyLossPercent'),
  priceCollarPercent: limit('priceCollarPercent'),
  maxApprovalDriftPercent: limit('maxApprovalDriftPercent'),
  approvalAboveValue: limit('approvalAboveValue'),
  duplicateWindowSeconds: limit('duplicateWindowSeconds'),
  duplicatePolicy: z.enum(DUPLICATE_POLICIES),
  allowedSymbols: z.array(z.string()).nullable(),
  forbiddenSymbols: z.array(z.string()),
  marketHours: z.enum(MARKET_HOURS_POLICIES),
} satisfies Record<keyof RiskLimits, z.ZodType>

export const riskSettingsAnswer = z
  .strictObject({
    accountId: z.uuid(),
    limits: z.strictObject(limitsShape).describe('What holds for the next order'),
    set: z.strictObject(limitsShape).partial().describe('What was set; the others have their defaults'),
  })
  .meta({ id: 'RiskSettings' })

const heldMost = (unit: string) =>
  z.strictObject({ symbol: z.string(), amount: z.number().describe(unit) }).nullable()

export const riskUsageAnswer = z.strictObject({
  accounts: z.array(
    z.strictObject({
      accountId: z.uuid(),
      ordersThisMinute: z.int().describe('Opening orders of this minute of the clock'),
      ordersToday: z.int().describe('Opening orders of this day of the exchange'),
      lossToday: z
        .number()
        .nullable()
        .describe(
          'Dollars of equity lost since the day began, 0 without a loss; null where its beginning is not known',
        ),
      lossTodayPercent: z.number().nullable().describe('Of the equity with which the day began'),
      mostShares: heldMost('Shares').describe(
        'The position with the most shares, without orders that still work',
      ),
      mostValue: heldMost('Dollars').describe(
        'The position that is worth most, without orders that still work',
      ),
    }),
  ),
})

export const haltAnswer = z
  .strictObject({
    id: z.string(),
    scope: z.enum(HALT_SCOPES),
    accountId: z.uuid().nullable(),
    level: z.enum(HALT_LEVELS),
    reason: z.string().nullable(),
    setBy: z.string(),
    setAt: z.iso.datetime(),
    liftedBy: z.string().nullable(),
    liftedAt: z.iso.datetime().nullable().describe('Null while it is active'),
  })
  .meta({ id: 'Halt' })

export const riskSettingsListAnswer = z.strictObject({ accounts: z.array(riskSettingsAnswer) })
export const haltDetailAnswer = z.strictObject({ halt: haltAnswer })
export const haltListAnswer = z.strictObject({ halts: z.array(haltAnswer) })

export type RiskUsageAnswer = z.output<typeof riskUsageAnswer>
export type RiskSettingsAnswer = z.output<typeof riskSettingsAnswer>
export type RiskLimitsAnswer = RiskSettingsAnswer['limits']
export type HaltAnswer = z.output<typeof haltAnswer>
