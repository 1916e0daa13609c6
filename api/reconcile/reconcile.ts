import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccountSyncGateway } from '../temporal/account-syncs.ts'
import type { WatchGateway } from '../watch/gateway.ts'
import { restartMissing } from '../watch/restarts.ts'
import type { Broker } from '#brokers/port.ts'
import { listActiveConnections, type AccountConnection } from '#db/accounts/sync.ts'
import type { Database } from '#db/engine/database.ts'
import { wordsOf, EMPTY, together, type Comparison, type Difference } from './difference.ts'
import { compareWithBroker } from './with-broker.ts'
import { compareWithTemporal } from './with-temporal.ts'

/** Milliseconds for the sync of one account, and between two looks at what is left. */
const SYNC_LIMIT = 20_000
const LOOK_EVERY = 2_000

export interface ReconcileDependencies {
  database: Database
  gateway: WatchGateway & AccountSyncGateway
  /** Throws when the connection's credentials cannot be read. */
  brokerOf(connection: AccountConnection): Broker
  logger: Logger
  /** Milliseconds that the service has to mend what is different; at 0 it is not asked to. */
  patience: number
  tell(line: string): void
}

/** What a reconciliation has found, and what came of each difference. */
export interface Reconciliation {
  compared: Comparison
  outcomes: { difference: Difference; isMended: boolean }[]
  /** Why parts could not be compared or mended, in words. */
  failures: string[]
}

/**
 * Compares ledger, Temporal and brokers, has the service mend what is different (workflows that are missing are started
 * again, accounts are synced), and compares again until nothing is left or the patience is over. A difference that came
 * and went with an order in flight counts as mended.
 */
export async function reconcile(deps: ReconcileDependencies): Promise<Reconciliation> {
  const { tell, patience } = deps
  const compared = await compareAll(deps)
  const { differences } = compared
  if (differences.length === 0 || patience === 0)
    return {
      compared,
      outcomes: differences.map((difference) => ({ difference, isMended: false })),
      failures: compared.failures,
    }
  tell(`${differences.length} different; mending takes up to ${Math.round(patience / 1_000)} s`)
  const failures = [...compared.failures, ...(await mend(deps, differences))]
  const deadline = performance.now() + patience
  let left = new Set(differences.map(({ key }) => key))
  while (left.size > 0 && performance.now() < deadline) {
    await sleep(LOOK_EVERY)
    const now = await compareAll(deps)
    // What cannot be compared any more is not mended.
    if (now.failures.length > compared.failures.length) continue
    const still = new Set(now.differences.map(({ key }) => key))
    left = new Set([...left].filter((key) => still.has(key)))
    tell(`${left.size} of ${differences.length} left`)
  }
  const outcomes = differences.map((difference) => ({ difference, isMended: !left.has(difference.key) }))
  return { compared, outcomes, failures }
}

async function compareAll({ database, gateway, brokerOf }: ReconcileDependencies): Promise<Comparison> {
  const em = database.em.fork()
  const parts = [await compareWithTemporal(em, gateway)]
  for (const connection of await listActiveConnections(em)) {
    try {
      parts.push(await compareWithBroker(em, brokerOf(connection), connection))
    } catch (error) {
      const failure = `account ${connection.accountId} could not be compared: ${wordsOf(error)}`
      parts.push({ ...EMPTY, failures: [failure] })
    }
  }
  return together(parts)
}

/** Returns what could not be mended, in words. */
async function mend(
  { database, gateway, logger, tell }: ReconcileDependencies,
  differences: readonly Difference[],
): Promise<string[]> {
  const failures: string[] = []
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    tell(what)
    try {
      await work()
    } catch (error) {
      failures.push(`${what}: ${wordsOf(error)}`)
    }
  }
  if (differences.some(({ accountId }) => accountId === null))
    await attempt('start missing workflows again', () => restartMissing({ database, gateway, logger }))
  for (const accountId of new Set(differences.map((difference) => difference.accountId)))
    if (accountId !== null)
      await attempt(`sync account ${accountId}`, () => gateway.syncAccount(accountId, SYNC_LIMIT))
  return failures
}
