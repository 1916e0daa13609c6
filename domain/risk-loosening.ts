import { compare, type Decimal } from './decimal.ts'
import { loosenedBy, type Loosens, type LoosensEach } from './loosening.ts'
import { DUPLICATE_POLICIES, MARKET_HOURS_POLICIES, type RiskLimits } from './risk-limits.ts'

export const loosenedLimits = (before: RiskLimits, after: RiskLimits): (keyof RiskLimits)[] =>
  loosenedBy(LOOSENS, before, after)

/** A greater number allows more; null is no limit. */
const greater: Loosens<Decimal | number | null> = (before, after) =>
  before !== null && (after === null || compare(`${after}`, `${before}`) > 0)

const LOOSENS: LoosensEach<RiskLimits> = {
  maxOrderShares: greater,
  maxOrderValue: greater,
  maxPositionShares: greater,
  maxPositionValue: greater,
  maxOrdersPerMinute: greater,
  maxOrdersPerDay: greater,
  maxDailyLoss: greater,
  maxDailyLossPercent: greater,
  priceCollarPercent: greater,
  maxApprovalDriftPercent: greater,
  approvalAboveValue: greater,
  // A shorter window takes fewer orders for repetitions.
  duplicateWindowSeconds: (before, after) => before !== null && (after === null || after < before),
  duplicatePolicy: (before, after) => DUPLICATE_POLICIES.indexOf(after) < DUPLICATE_POLICIES.indexOf(before),
  allowedSymbols: (before, after) =>
    before !== null && (after === null || after.some((symbol) => !before.includes(symbol))),
  forbiddenSymbols: (before, after) => before.some((symbol) => !after.includes(symbol)),
  marketHours: (before, after) =>
    MARKET_HOURS_POLICIES.indexOf(after) < MARKET_HOURS_POLICIES.indexOf(before),
}
