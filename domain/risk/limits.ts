import type { Decimal } from '../money/decimal.ts'
import type { DenialCode } from './denial.ts'

export const MARKET_HOURS_POLICIES = ['any', 'extended', 'regular'] as const
/** extended: 04:00 to four hours after the close. regular: the session and its opening auction. */
type MarketHoursPolicy = (typeof MARKET_HOURS_POLICIES)[number]

export const DUPLICATE_POLICIES = ['warn', 'deny'] as const
type DuplicatePolicy = (typeof DUPLICATE_POLICIES)[number]

/** Null means no limit. */
export interface RiskLimits {
  maxOrderShares: Decimal | null
  maxOrderValue: Decimal | null
  maxPositionShares: Decimal | null
  maxPositionValue: Decimal | null
  maxOrdersPerMinute: number | null
  maxOrdersPerDay: number | null
  maxDailyLoss: Decimal | null
  maxDailyLossPercent: Decimal | null
  priceCollarPercent: Decimal | null
  maxApprovalDriftPercent: Decimal | null
  approvalAboveValue: Decimal | null
  duplicateWindowSeconds: number | null
  duplicatePolicy: DuplicatePolicy
  allowedSymbols: string[] | null
  forbiddenSymbols: string[]
  marketHours: MarketHoursPolicy
}

export type RiskSettings = Partial<RiskLimits>

/** Wide enough for trading, narrow enough for a slipped decimal point. */
export const DEFAULT_RISK_LIMITS: RiskLimits = {
  maxOrderShares: '100000',
  maxOrderValue: '1000000',
  maxPositionShares: '500000',
  maxPositionValue: '5000000',
  maxOrdersPerMinute: 600,
  maxOrdersPerDay: 10_000,
  maxDailyLoss: null,
  maxDailyLossPercent: '20',
  priceCollarPercent: '50',
  maxApprovalDriftPercent: '5',
  approvalAboveValue: null,
  duplicateWindowSeconds: 2,
  // Without a sourceId every request is a new order.
  duplicatePolicy: 'warn',
  allowedSymbols: null,
  forbiddenSymbols: [],
  marketHours: 'any',
}

export function riskLimits(settings: RiskSettings): RiskLimits {
  const known = Object.entries(settings).filter(
    ([key, value]) => Object.hasOwn(DEFAULT_RISK_LIMITS, key) && value !== undefined,
  )
  return { ...DEFAULT_RISK_LIMITS, ...Object.fromEntries(known) }
}

interface LimitDescription {
  meaning: string
  code: DenialCode | null
  /** Checked only if that cannot keep a trader in a position. */
  closing: 'exempt' | 'held'
}

/** Rows of `docs/guide/risk.md`. */
export const RISK_LIMIT_DESCRIPTIONS = {
  maxOrderShares: { meaning: 'Shares of one order', code: 'ORDER_TOO_LARGE', closing: 'exempt' },
  maxOrderValue: { meaning: 'Dollars of one order', code: 'ORDER_TOO_LARGE', closing: 'exempt' },
  maxPositionShares: {
    meaning: 'Shares of one symbol, with the orders that still work',
    code: 'POSITION_TOO_LARGE',
    closing: 'exempt',
  },
  maxPositionValue: {
    meaning: 'Dollars of one symbol, with the orders that still work',
    code: 'POSITION_TOO_LARGE',
    closing: 'exempt',
  },
  maxOrdersPerMinute: {
    meaning: 'Opening orders in one minute of the clock',
    code: 'ORDER_RATE_EXCEEDED',
    closing: 'exempt',
  },
  maxOrdersPerDay: {
    meaning: 'Opening orders in one day of the exchange',
    code: 'ORDER_RATE_EXCEEDED',
    closing: 'exempt',
  },
  maxDailyLoss: {
    meaning: 'Dollars of equity lost since the day began',
    code: 'DAILY_LOSS_REACHED',
    closing: 'exempt',
  },
  maxDailyLossPercent: {
    meaning: 'Percent of equity lost since the day began',
    code: 'DAILY_LOSS_REACHED',
    closing: 'exempt',
  },
  priceCollarPercent: {
    meaning: 'Percent between a limit or stop price and the last price',
    code: 'PRICE_OUTSIDE_COLLAR',
    closing: 'held',
  },
  maxApprovalDriftPercent: {
    meaning: 'Percent that the price has moved when a waiting signal is approved',
    code: 'PRICE_DRIFTED',
    closing: 'exempt',
  },
  approvalAboveValue: {
    meaning: 'Dollars of one opening order above which it needs approval, from any sender; 0 for every one',
    code: 'APPROVAL_REQUIRED',
    closing: 'exempt',
  },
  duplicateWindowSeconds: {
    meaning: 'Seconds within which an equal order is taken for a repetition',
    code: 'DUPLICATE_SUSPECTED',
    closing: 'held',
  },
  duplicatePolicy: {
    meaning: 'What is done about it: `warn` sends it with an advisory, `deny` does not send it',
    code: null,
    closing: 'held',
  },
  allowedSymbols: {
    meaning: 'The symbols that may be opened; without the list all of them',
    code: 'SYMBOL_NOT_ALLOWED',
    closing: 'exempt',
  },
  forbiddenSymbols: {
    meaning: 'Symbols that may not be opened',
    code: 'SYMBOL_NOT_ALLOWED',
    closing: 'exempt',
  },
  marketHours: {
    meaning: 'When positions may be opened: `any`, `extended` or `regular` hours',
    code: 'OUTSIDE_MARKET_HOURS',
    closing: 'exempt',
  },
} as const satisfies Record<keyof RiskLimits, LimitDescription>
