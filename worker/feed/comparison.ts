import type { Logger } from 'pino'
import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import { openCredentials } from '#db/broker/credentials.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { FillImporter } from './fill-importer.ts'
import { OrderReconciler, type Announcer } from './order-reconciler.ts'

export interface ComparisonDependencies {
  em: EntityManager
  secretKeys: EncryptionKeys
  connectBroker(settings: BrokerConnectionSettings): Broker
  announcer: Announcer
  requestTimeoutMs: number
}

export function comparisonOf(
  { em, secretKeys, connectBroker, announcer, requestTimeoutMs }: ComparisonDependencies,
  account: AccountConnection,
  log: Logger,
): { broker: Broker; reconciler: OrderReconciler; fills: FillImporter } {
  const { brokerType, baseUrl, accountId, brokerId: connectionId } = account
  const broker = connectBroker({
    brokerType,
    baseUrl,
    credentials: openCredentials(secretKeys, account),
    requestTimeoutMs,
    connectionId,
    requestClass: 'comparison',
  })
  const reconciler = new OrderReconciler(em, broker, announcer, accountId, log)
  const fills = new FillImporter(em, broker, account, (id) => reconciler.ask(id), log)
  reconciler.executionsBy(fills)
  return { broker, reconciler, fills }
}
