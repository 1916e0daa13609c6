import type { Decimal } from './decimal.ts'
import type { DenialCode } from './denial.ts'

export const MARKET_HOURS_POLICIES = ['any', 'extended', 'regular'] as const
/**
 * When positions may be opened. any: whenever the broker takes the order. extended: on trading days from 04:00
 * to four hours after the close. regular: while the regular session is on, and for its opening auction.
 */
type MarketHoursPolicy = (typeof MARKET_HOURS_POLICIES)[number]

export const DUPLICATE_POLICIES = ['warn', 'deny'] as const
/** The treatment of an order that looks like a repetition: send it with an advisory, or do not send it. */
type DuplicatePolicy = (typeof DUPLICATE_POLICIES)[number]

/** The limits of the orders of one account. Null means no limit. */
export interface RiskLimits {
  /** Shares of one order. */
  maxOrderShares: Decimal | null
  /** Dollars of one order. */
  maxOrderValue: Decimal | null
  /** Shares of one symbol, orders that are still working included. */
  maxPositionShares: Decimal | null
  /** Dollars of one symbol, orders that are still working included. */
  maxPositionValue: Decimal | null
  /** Opening orders sent in one minute of the clock. */
  maxOrdersPerMinute: number | null
  /** Opening orders sent in one day of the exchange. */
  maxOrdersPerDay: number | null
  /** Dollars of equity lost since the day began; from there on nothing is opened. */
  maxDailyLoss: Decimal | null
  /** The same as percent of the equity with which the day began. */
  maxDailyLossPercent: Decimal | null
  /** How far a limit or stop price may lie from the last price, in percent of it. */
  priceCollarPercent: Decimal | null
  /**
   * How far the last price may have moved, in percent, since a signal began to wait for the person who approves it.
   */
  maxApprovalDriftPercent: Decimal | null
  /**
   * Dollars of one opening order above which it waits for a person to approve it, whoever sent it; 0 for every one. Null
   * asks nobody.
   */
  approvalAboveValue: Decimal | null
  /** An order equal to one of so many seconds before is taken for a repetition. */
  duplicateWindowSeconds: number | null
  duplicatePolicy: DuplicatePolicy
  /** Only these symbols may be opened; null allows all that are not forbidden. */
  allowedSymbols: string[] | null
  forbiddenSymbols: string[]
  marketHours: MarketHoursPolicy
}

/** The limits that an owner has set: those that are absent have their defaults. */
export type RiskSettings = Partial<RiskLimits>

/** Wide enough to bother nobody, narrow enough that a slipped decimal point is caught. */
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
  // Without a sourceId every request is a new order; a trader who sends without may ask for more.
  duplicatePolicy: 'warn',
  allowedSymbols: null,
  forbiddenSymbols: [],
  marketHours: 'any',
}

/** The limits that hold when an owner has set these; keys that no limit has are left out. */
export function riskLimits(settings: RiskSettings): RiskLimits {
  const known = Object.entries(settings).filter(
    ([key, value]) => Object.hasOwn(DEFAULT_RISK_LIMITS, key) && value !== undefined,
  )
  return { ...DEFAULT_RISK_LIMITS, ...Object.fromEntries(known) }
}

interface LimitDescription {
  meaning: string
  /** The code with which an order beyond the limit is refused; null for a setting that is part of another limit. */
  code: DenialCode | null
  /** Whether closing orders are held to it. Never where that could keep a trader in a position. */
  closing: 'exempt' | 'held'
}

/** The meaning of each limit, as `docs/risk.md` shows it. */
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
    meaning:
      'Dollars of one opening order above which it waits for a person to approve it, whoever sent it; 0 for every one',
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

/** Whether the account bounds how much of one symbol is held, which depends on what others have decided to open. */
export const limitsPosition = ({ maxPositionShares, maxPositionValue }: RiskLimits): boolean =>
  maxPositionShares !== null || maxPositionValue !== null
