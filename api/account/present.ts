import type { ConnectedAccount } from '#db/account/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import type { AccountSummary } from '#db/account/summary.ts'
import { restrictionsOf } from '#domain/risk/permissions.ts'
import { add, divideDown, isPositive, multiply, subtract, type Decimal } from '#domain/money/decimal.ts'
import { RATIO_PLACES } from '#domain/account/performance.ts'
import { isoInstantOfText, presentAs, toJsonNumber } from '../http/presentation.ts'
import {
  accountAnswer,
  accountDetailAnswer,
  type AccountAnswer,
  type AccountDetailAnswer,
  type AccountSummaryAnswer,
  type AccountSyncAnswer,
  type AccountSyncsAnswer,
} from '#contract/account/shapes.ts'
import type { AccountSync } from './commands.ts'

const ofAccount = (account: Account) => ({
  flatByClose: account.flatByClose ?? null,
  restrictions: restrictionsOf(account.permissions ?? null),
})

export const presentAccount = (account: Account): AccountAnswer =>
  presentAs(accountAnswer, account, ofAccount(account))

export const presentAccountDetail = ({ account, connection }: ConnectedAccount): AccountDetailAnswer =>
  presentAs(accountDetailAnswer, account, {
    ...ofAccount(account),
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

/** Null for zero and debts. */
const percentOf = (part: Decimal, whole: Decimal): number | null =>
  isPositive(whole) ? toJsonNumber(divideDown(multiply(part, '100'), whole, RATIO_PLACES)) : null

export const presentSync = ({ syncedAt }: AccountSync): AccountSyncAnswer => ({
  success: true,
  message: syncedAt === null ? 'The sync is still running' : 'The account is synced',
  syncedAt,
})

export const presentSyncs = (syncs: readonly AccountSync[]): AccountSyncsAnswer => ({
  success: syncs.every(({ failure }) => failure === null),
  message: describeSyncs(syncs),
  accounts: syncs.map(({ accountId, syncedAt, failure }) => ({
    accountId,
    success: failure === null,
    syncedAt,
    ...(failure && { error: failure.code, message: failure.message }),
  })),
})

function describeSyncs(syncs: readonly AccountSync[]): string {
  if (syncs.length === 0) return 'No account is connected'
  const failed = syncs.filter(({ failure }) => failure !== null).length
  const done = syncs.filter(({ syncedAt }) => syncedAt !== null).length
  const running = syncs.length - failed - done
  return [
    `${done} of ${syncs.length} accounts are synced`,
    ...(running > 0 ? [`${running} still running`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ')
}
