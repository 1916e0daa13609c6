import type { FlatByClose } from '../exit/flat-by-close.ts'
import { compare, type Decimal } from '../money/decimal.ts'
import { DUPLICATE_POLICIES, MARKET_HOURS_POLICIES, type RiskLimits } from './limits.ts'

export type Loosens<Value> = (before: Value, after: Value) => boolean

/** The compiler requires every new term. */
export type LoosensEach<Terms> = { [Name in keyof Terms]-?: Loosens<Terms[Name]> }

/** Tightening some terms does not offset loosening others. */
export const loosenedBy = <Terms extends object>(
  table: LoosensEach<Terms>,
  before: Terms,
  after: Terms,
): (keyof Terms)[] =>
  (Object.keys(table) as (keyof Terms)[]).filter((name) => table[name](before[name], after[name]))

export const never: Loosens<unknown> = () => false

export const becomes =
  <Value>(risky: NoInfer<Value>): Loosens<Value> =>
  (before, after) =>
    before !== risky && after === risky

export const flatLater: Loosens<FlatByClose | null> = (before, after) =>
  before !== null &&
  (after === null || after.minutes < before.minutes || (before.includeManual && !after.includeManual))

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
  // A shorter window finds fewer repetitions.
  duplicateWindowSeconds: (before, after) => before !== null && (after === null || after < before),
  duplicatePolicy: (before, after) => DUPLICATE_POLICIES.indexOf(after) < DUPLICATE_POLICIES.indexOf(before),
  allowedSymbols: (before, after) =>
    before !== null && (after === null || after.some((symbol) => !before.includes(symbol))),
  forbiddenSymbols: (before, after) => before.some((symbol) => !after.includes(symbol)),
  marketHours: (before, after) =>
    MARKET_HOURS_POLICIES.indexOf(after) < MARKET_HOURS_POLICIES.indexOf(before),
}
