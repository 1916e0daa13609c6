import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import { listActiveConnections, type AccountConnection } from '#db/accounts/sync.ts'
import { openCredentials } from '#db/brokers/credentials.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { EncryptionKeys } from '#db/brokers/secret-box.ts'
import { AccountFeed } from './account-feed.ts'
import { FillImporter } from './fill-importer.ts'
import { OrderReconciler, type Announcer } from './order-reconciler.ts'

export interface BrokerFeedDependencies {
  em: EntityManager
  /** For the credentials of brokers. */
  secretKeys: EncryptionKeys
  connectBroker(settings: BrokerConnectionSettings): Broker
  announcer: Announcer
  requestTimeoutMs: number
  /** Milliseconds between two comparisons of an account with its broker. */
  pollEvery: number
  /** Milliseconds between two readings of the list of accounts. */
  lookForAccountsEvery?: number
  log: Logger
}

/**
 * Follows every active account at its broker, taking up new ones and letting go of closed ones, until
 * aborted. Several workers may do so at once: reports are applied once, whoever brings them.
 */
export async function followBrokers(
  dependencies: BrokerFeedDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { em, log, lookForAccountsEvery = 5_000 } = dependencies
  const followed = new Map<string, AbortController>()
  const running = new Set<Promise<void>>()
  const follow = (key: string, connection: AccountConnection): void => {
    const feed = feedFor(dependencies, connection)
    const stop = new AbortController()
    const done = feed.run(stop.signal).finally(() => running.delete(done))
    running.add(done)
    followed.set(key, stop)
  }
  while (!signal.aborted) {
    try {
      const connections = new Map((await listActiveConnections(em)).map((found) => [keyOf(found), found]))
      for (const [key, stop] of followed) {
        if (connections.has(key)) continue
        stop.abort()
        followed.delete(key)
      }
      for (const [key, connection] of connections) {
        if (followed.has(key)) continue
        try {
          follow(key, connection)
        } catch (error) {
          log.error({ err: error, accountId: connection.accountId }, 'an account cannot be followed')
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'the list of accounts could not be read; trying again')
    }
    try {
      await pause(lookForAccountsEvery, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  for (const stop of followed.values()) stop.abort()
  await Promise.all(running)
}

/** A connection whose address or keys change is followed anew. */
const keyOf = (connection: AccountConnection): string => JSON.stringify(connection)

function feedFor(
  { em, secretKeys, connectBroker, announcer, requestTimeoutMs, pollEvery, log }: BrokerFeedDependencies,
  account: AccountConnection,
): AccountFeed {
  const { brokerType, baseUrl, accountId } = account
  const credentials = openCredentials(secretKeys, account)
  const broker = connectBroker({ brokerType, baseUrl, credentials, requestTimeoutMs })
  const accountLog = log.child({ accountId })
  const reconciler = new OrderReconciler(em, broker, announcer, accountId, accountLog)
  const fills = new FillImporter(em, broker, account, (id) => reconciler.ask(id), accountLog)
  return new AccountFeed({ em, broker, reconciler, fills, announcer, account, pollEvery, log: accountLog })
}
