import { HALT_LEVELS, type HaltLevel } from '#domain/halt.ts'
import { z } from 'zod'
import { lineOfText, oneOf, wholeNumber, decimalFrom0, positiveDecimal, symbol } from '../values/values.ts'
import { DUPLICATE_POLICIES, MARKET_HOURS_POLICIES, type RiskSettings } from '#domain/risk-limits.ts'

export const haltRequest = {
  level: oneOf(HALT_LEVELS),
  reason: lineOfText(200).nullable().default(null).describe('May be given later, with the same level'),
}

export interface HaltRequest {
  level: HaltLevel
  reason: string | null
}

export const haltListQuery = z.strictObject({ limit: wholeNumber(1, 500).default(50) })

/** Shares or dollars; as much as the database columns hold. */
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
