import type { TradingHalt } from '#db/risk/halts.ts'
import { riskLimits, type RiskSettings } from '#domain/risk-limits.ts'
import type { RiskUsage } from '#db/risk/usage.ts'
import { isPositive, larger } from '#domain/decimal.ts'
import { percentOf } from '#domain/performance.ts'
import { toJsonNumber } from '../http/presentation.ts'
import type { HaltAnswer, RiskLimitsAnswer, RiskSettingsAnswer, RiskUsageAnswer } from './answers.ts'

/** Limits in words and lists; every other one is an amount. */
const LIMITS_IN_WORDS = new Set(['duplicatePolicy', 'allowedSymbols', 'forbiddenSymbols', 'marketHours'])

const presentLimits = (limits: RiskSettings): Partial<RiskLimitsAnswer> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name,
      value === null || LIMITS_IN_WORDS.has(name) ? value : Number(value),
    ]),
  )

/** The risk limits of an account, with those that its owner has set. */
export const presentRiskSettings = (accountId: string, set: RiskSettings): RiskSettingsAnswer => ({
  accountId,
  limits: presentLimits(riskLimits(set)) as RiskLimitsAnswer,
  set: presentLimits(set),
})

/** How much of the limits of an account is used. */
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

/** A halt as those whom it binds see it. Which administrator set it is not theirs to know. */
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
