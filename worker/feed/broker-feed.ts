import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import { listActiveConnections, type AccountConnection } from '#db/account-sync.ts'
import type { EntityManager } from '#db/database.ts'
import { AccountFeed } from './account-feed.ts'
import { OrderDesk, type Announcer } from './order-desk.ts'

export interface BrokerFeedDependencies {
  em: EntityManager
  connectBroker(settings: BrokerConnectionSettings): Broker
  announcer: Announcer
  requestTimeoutMs: number
  /** Milliseconds between two comparisons of an account with its broker. */
  pollEvery: number
  log: Logger
}

/** How often the list of accounts is read again, in milliseconds. */
const LOOK_FOR_ACCOUNTS_EVERY = 5_000

/**
 * Follows every active account at its broker, taking up new ones and letting go of closed ones, until
 * aborted. Several workers may do so at once: reports are applied once, whoever brings them.
 */
export async function followBrokers(
  dependencies: BrokerFeedDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { em, log } = dependencies
  const followed = new Map<string, { stop: AbortController; done: Promise<void> }>()
  while (!signal.aborted) {
    try {
      const connections = new Map((await listActiveConnections(em)).map((found) => [keyOf(found), found]))
      for (const [key, { stop }] of followed) {
        if (connections.has(key)) continue
        stop.abort()
        followed.delete(key)
      }
      for (const [key, connection] of connections) {
        if (followed.has(key)) continue
        const stop = new AbortController()
        followed.set(key, { stop, done: feedFor(dependencies, connection).run(stop.signal) })
      }
    } catch (error) {
      log.warn({ err: error }, 'the list of accounts could not be read; trying again')
    }
    try {
      await pause(LOOK_FOR_ACCOUNTS_EVERY, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  for (const { stop } of followed.values()) stop.abort()
  await Promise.all([...followed.values()].map(({ done }) => done))
}

/** A connection whose address or keys change is followed anew. */
const keyOf = (connection: AccountConnection): string => JSON.stringify(connection)

function feedFor(
  { em, connectBroker, announcer, requestTimeoutMs, pollEvery, log }: BrokerFeedDependencies,
  account: AccountConnection,
): AccountFeed {
  const { brokerType, baseUrl, credentials, accountId } = account
  const broker = connectBroker({ brokerType, baseUrl, credentials, requestTimeoutMs })
  const accountLog = log.child({ accountId })
  const desk = new OrderDesk(em, broker, announcer, accountId, accountLog)
  return new AccountFeed(em, broker, desk, account, pollEvery, accountLog)
}
