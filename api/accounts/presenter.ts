import type { ConnectedAccount } from '#db/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import { instantOut, numberOut } from '../presentation.ts'
import type { AccountAnswer, AccountDetailAnswer } from './answers.ts'

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
