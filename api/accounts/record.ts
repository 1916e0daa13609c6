import type { ConnectedAccount } from '#db/accounts/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import type { AccountSummary } from '#db/accounts/summary.ts'
import { restrictionsOf } from '#domain/account-may.ts'
import { add, divideDown, isPositive, multiply, subtract, type Decimal } from '#domain/decimal.ts'
import { RATIO_PLACES } from '#domain/performance.ts'
import { toIsoInstant, isoInstantOfText, toJsonNumber } from '../http/presentation.ts'
import type { AccountAnswer, AccountDetailAnswer, AccountSummaryAnswer } from './answers.ts'

export const presentAccount = (account: Account): AccountAnswer => ({
  id: account.id,
  brokerId: account.brokerId,
  brokerAccountId: account.brokerAccountId,
  name: account.name,
  type: account.type,
  currency: account.currency,
  equity: toJsonNumber(account.equity),
  cashBalance: toJsonNumber(account.cashBalance),
  buyingPower: toJsonNumber(account.buyingPower),
  isActive: account.isActive,
  isDemo: account.isDemo,
  isPrimary: account.isPrimary,
  flatByClose: account.flatByClose ?? null,
  restrictions: restrictionsOf(account.permissions ?? null),
  lastSyncedAt: toIsoInstant(account.lastSyncedAt),
})

export const presentAccountDetail = ({ account, connection }: ConnectedAccount): AccountDetailAnswer => ({
  ...presentAccount(account),
  dayTradingBuyingPower: toJsonNumber(account.dayTradingBuyingPower),
  marketValue: toJsonNumber(account.marketValue),
  unrealisedPnl: toJsonNumber(account.unrealisedPnl),
  realisedPnl: toJsonNumber(account.realisedPnl),
  broker: { id: connection.id, brokerType: connection.brokerType, status: connection.status },
})

export function presentAccountSummary(summary: AccountSummary): AccountSummaryAnswer {
  const { equity, dayStartEquity, longValue, shortValue, broker } = summary
  const dayPnl = dayStartEquity === null ? null : subtract(equity, dayStartEquity)
  const gross = add(longValue, shortValue)
  return {
    accountId: summary.id,
    name: summary.name,
    currency: summary.currency,
    isDemo: summary.isDemo,
    isActive: summary.isActive,
    isPrimary: summary.isPrimary,
    equity: toJsonNumber(equity),
    cashBalance: toJsonNumber(summary.cashBalance),
    buyingPower: toJsonNumber(summary.buyingPower),
    dayTradingBuyingPower: toJsonNumber(summary.dayTradingBuyingPower),
    marketValue: toJsonNumber(summary.marketValue),
    dayPnl: toJsonNumber(dayPnl),
    dayPnlPercent: dayPnl === null ? null : percentOf(dayPnl, dayStartEquity!),
    unrealisedPnl: toJsonNumber(summary.unrealisedPnl),
    realisedPnl: toJsonNumber(summary.realisedPnl),
    openPositions: summary.openPositions,
    openOrders: summary.openOrders,
    exposure: {
      long: toJsonNumber(longValue),
      short: toJsonNumber(shortValue),
      gross: toJsonNumber(gross),
      net: toJsonNumber(subtract(longValue, shortValue)),
      grossPercent: percentOf(gross, equity),
    },
    broker: { ...broker, lastCheckedAt: isoInstantOfText(broker.lastCheckedAt) },
    halt: summary.halt,
    lastSyncedAt: isoInstantOfText(summary.lastSyncedAt),
  }
}

/** Null of nothing and of debts: a percentage of those says nothing. */
const percentOf = (part: Decimal, whole: Decimal): number | null =>
  isPositive(whole) ? toJsonNumber(divideDown(multiply(part, '100'), whole, RATIO_PLACES)) : null
