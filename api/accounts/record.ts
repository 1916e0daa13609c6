import type { ConnectedAccount } from '#db/accounts/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import type { AccountSummary } from '#db/accounts/summary.ts'
import { add, divideDown, isPositive, multiply, subtract, type Decimal } from '#domain/decimal.ts'
import { instantOut, instantTextOut, numberOut } from '../http/presentation.ts'
import type { AccountAnswer, AccountDetailAnswer, AccountSummaryAnswer } from './answers.ts'

/** An account as lists show it; amounts in its currency. */
export const presentAccount = (account: Account): AccountAnswer => ({
  id: account.id,
  brokerId: account.brokerId,
  brokerAccountId: account.brokerAccountId,
  name: account.name,
  type: account.type,
  currency: account.currency,
  equity: numberOut(account.equity),
  cashBalance: numberOut(account.cashBalance),
  buyingPower: numberOut(account.buyingPower),
  isActive: account.isActive,
  isDemo: account.isDemo,
  isPrimary: account.isPrimary,
  lastSyncedAt: instantOut(account.lastSyncedAt),
})

/** An account with all that is known of it; of its connection nothing that could be a secret. */
export const presentAccountDetail = ({ account, connection }: ConnectedAccount): AccountDetailAnswer => ({
  ...presentAccount(account),
  dayTradingBuyingPower: numberOut(account.dayTradingBuyingPower),
  marketValue: numberOut(account.marketValue),
  unrealisedPnl: numberOut(account.unrealisedPnl),
  realisedPnl: numberOut(account.realisedPnl),
  broker: { id: connection.id, brokerType: connection.brokerType, status: connection.status },
})

/** An account at a glance. */
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
    equity: numberOut(equity),
    cashBalance: numberOut(summary.cashBalance),
    buyingPower: numberOut(summary.buyingPower),
    dayTradingBuyingPower: numberOut(summary.dayTradingBuyingPower),
    marketValue: numberOut(summary.marketValue),
    dayPnl: numberOut(dayPnl),
    dayPnlPercent: dayPnl === null ? null : percentOf(dayPnl, dayStartEquity!),
    unrealisedPnl: numberOut(summary.unrealisedPnl),
    realisedPnl: numberOut(summary.realisedPnl),
    openPositions: summary.openPositions,
    openOrders: summary.openOrders,
    exposure: {
      long: numberOut(longValue),
      short: numberOut(shortValue),
      gross: numberOut(gross),
      net: numberOut(subtract(longValue, shortValue)),
      grossPercent: percentOf(gross, equity),
    },
    broker: { ...broker, lastCheckedAt: instantTextOut(broker.lastCheckedAt) },
    halt: summary.halt,
    lastSyncedAt: instantTextOut(summary.lastSyncedAt),
  }
}

/** Decimals kept of a percentage. */
const PERCENT_PLACES = 4

/** Null of nothing and of debts: a percentage of those says nothing. */
const percentOf = (part: Decimal, whole: Decimal): number | null =>
  isPositive(whole) ? numberOut(divideDown(multiply(part, '100'), whole, PERCENT_PLACES)) : null
