import type { TradingHalt } from '#db/risk/halts.ts'
import { riskLimits, type RiskSettings } from '#domain/risk/limits.ts'
import type { RiskUsage } from '#db/risk/usage.ts'
import { isPositive, larger } from '#domain/money/decimal.ts'
import { percentOf } from '#domain/account/performance.ts'
import { toJsonNumber } from '../http/presentation.ts'
import type {
  HaltAnswer,
  RiskLimitsAnswer,
  RiskSettingsAnswer,
  RiskUsageAnswer,
} from '#contract/risk/shapes.ts'

/** All others are amounts. */
const LIMITS_IN_WORDS = new Set(['duplicatePolicy', 'allowedSymbols', 'forbiddenSymbols', 'marketHours'])

const presentLimits = (limits: RiskSettings): Partial<RiskLimitsAnswer> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name,
      value === null || LIMITS_IN_WORDS.has(name) ? value : Number(value),
    ]),
  )

export const presentRiskSettings = (accountId: string, set: RiskSettings): RiskSettingsAnswer => ({
  accountId,
  limits: presentLimits(riskLimits(set)) as RiskLimitsAnswer,
  set: presentLimits(set),
})

export const presentUsage = ({
  lossToday,
  dayStartEquity,
  mostShares,
  mostValue,
  ...counts
}: RiskUsage): RiskUsageAnswer['accounts'][number] => {
  const loss = lossToday === null ? null : larger(lossToday, '0')
  return {
    ...counts,
    lossToday: toJsonNumber(loss),
    lossTodayPercent:
      loss === null || dayStartEquity === null || !isPositive(dayStartEquity)
        ? null
        : toJsonNumber(percentOf(loss, dayStartEquity)),
    mostShares: mostShares && { ...mostShares, amount: toJsonNumber(mostShares.amount) },
    mostValue: mostValue && { ...mostValue, amount: toJsonNumber(mostValue.amount) },
  }
}

const isOperators = ({ scope }: TradingHalt): boolean => scope === 'global' || scope === 'operator'

export const presentHalt = (halt: TradingHalt): HaltAnswer => ({
  id: halt.id,
  scope: halt.scope,
  accountId: halt.accountId,
  level: halt.level,
  reason: halt.reason,
  setBy: isOperators(halt) ? 'operator' : halt.setBy,
  setAt: halt.setAt,
  liftedBy: halt.liftedBy !== null && isOperators(halt) ? 'operator' : halt.liftedBy,
  liftedAt: halt.liftedAt,
})
