import { restrictionsOf } from '#domain/account-may.ts'
import type { ConnectedBroker } from '#db/brokers/brokers.ts'
import { toIsoInstant } from '../http/presentation.ts'
import type { BrokerAnswer } from '#contract/brokers/answers.ts'

export const presentBroker = ({ connection, accounts }: ConnectedBroker): BrokerAnswer => ({
  id: connection.id,
  brokerType: connection.brokerType,
  name: connection.name,
  status: connection.status,
  statusDetail: connection.statusDetail ?? null,
  lastCheckedAt: toIsoInstant(connection.lastCheckedAt),
  failingSince: toIsoInstant(connection.failingSince),
  unansweredSince: toIsoInstant(connection.unansweredSince),
  accounts: accounts.map((account) => ({
    id: account.id,
    brokerAccountId: account.brokerAccountId,
    name: account.name,
    isDemo: account.isDemo,
    isPrimary: account.isPrimary,
    restrictions: restrictionsOf(account.permissions ?? null),
    lastSyncedAt: toIsoInstant(account.lastSyncedAt),
  })),
  createdAt: toIsoInstant(connection.createdAt),
  updatedAt: toIsoInstant(connection.updatedAt),
})
