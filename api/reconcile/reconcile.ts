import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccountSyncGateway } from '../temporal/gateway.ts'
import type { WatchGateway } from '../temporal/watch-gateway.ts'
import { Census } from '../supervisor/census.ts'
import { comparedSince } from '#activities/account/compare.ts'
import type { Broker } from '#brokers/port.ts'
import { listActiveConnections, type AccountConnection } from '#db/account/sync.ts'
import type { Database } from '#db/engine/database.ts'
import {
  compareWithBroker,
  compareWithTemporal,
  type Difference,
  SYNCED,
  type Failure,
  type Comparison,
  EMPTY,
  together,
  wordsOf,
} from './compare.ts'

const SYNC_LIMIT = 20_000

export interface ReconcileDependencies {
  database: Database
  gateway: WatchGateway & AccountSyncGateway
  /** Throws when credentials cannot be read. */
  brokerOf(connection: AccountConnection): Broker
  logger: Logger
  /** Start for ended orders and executions, beyond a day. */
  since?: Date | undefined
  /** Milliseconds for the service to reconcile; 0 only compares. */
  patience: number
  /** Milliseconds between comparisons, which cost broker requests. */
  lookEvery: number
  signal?: AbortSignal
  /**
   * Called once, when the ledger has adopted the brokers' orders and executions, or patience ends.
   * @param uncompared accounts
   */
  whenAdopted?(uncompared: ReadonlySet<string>): Promise<void>
  tell(line: string): void
}

export interface Reconciliation {
  compared: Comparison
  outcomes: { difference: Difference; isMended: boolean }[]
  failures: Failure[]
  failedAttempts: Failure[]
}

/** A difference that vanishes counts as reconciled. */
export async function reconcile(deps: ReconcileDependencies): Promise<Reconciliation> {
  const { tell, patience, lookEvery, signal, whenAdopted = async () => {} } = deps
  const compared = await compareAll(deps)
  const { differences } = compared
  const isUncompared = compared.failures.some(isOfBroker)
  if (patience === 0 || (differences.length === 0 && !isUncompared)) {
    if (patience > 0) await whenAdopted(new Set())
    return {
      compared,
      outcomes: differences.map((difference) => ({ difference, isMended: false })),
      failures: compared.failures,
      failedAttempts: [],
    }
  }
  tell(`${differences.length} different; mending takes up to ${Math.round(patience / 1_000)} s`)
  const failedAttempts = new Map<string, Failure>()
  await mend(deps, { differences, uncompared: uncomparedIn(compared) }, failedAttempts)
  const deadline = performance.now() + patience
  let left = new Set(differences.map(({ key }) => key))
  const uncomparedBefore = new Set(compared.failures.map(({ accountId }) => accountId))
  let failures = compared.failures
  let isAdopted = false
  const hasPatience = (): boolean => performance.now() < deadline && signal?.aborted !== true
  while ((left.size > 0 || failures.some(isOfBroker)) && hasPatience()) {
    await sleep(lookEvery)
    const now = await compareAll(deps)
    // Uncomparable parts are not reconciled.
    if (now.failures.some(({ accountId }) => !uncomparedBefore.has(accountId))) continue
    failures = now.failures
    if (!isAdopted && !failures.some(isOfBroker) && !now.differences.some(isSynced)) {
      isAdopted = true
      await whenAdopted(new Set())
    }
    const still = new Set(now.differences.map(({ key }) => key))
    left = new Set([...left].filter((key) => still.has(key)))
    tell(`${left.size} of ${differences.length} left`)
    // A running sync may not have reached back as far.
    const taken = { differences: now.differences.filter(isSynced), uncompared: uncomparedIn(now) }
    await mend(deps, taken, failedAttempts, deadline)
  }
  if (!isAdopted && signal?.aborted !== true) await whenAdopted(uncomparedIn({ failures }))
  const outcomes = differences.map((difference) => ({ difference, isMended: !left.has(difference.key) }))
  return { compared, outcomes, failures: compared.failures, failedAttempts: [...failedAttempts.values()] }
}

const isOfBroker = ({ accountId, isOfNewAccount }: Failure): boolean => accountId !== null && !isOfNewAccount

const uncomparedIn = ({ failures }: Pick<Comparison, 'failures'>): ReadonlySet<string> =>
  new Set(failures.filter(isOfBroker).flatMap(({ accountId }) => accountId ?? []))

const isSynced = ({ advice }: Difference): boolean => advice === SYNCED

async function compareAll(deps: ReconcileDependencies): Promise<Comparison> {
  const { database, gateway, brokerOf, since: asked } = deps
  const em = database.em.fork()
  const parts = [await compareWithTemporal(em, gateway)]
  const since = await comparedSince(em, Date.now(), asked?.toISOString())
  for (const connection of await listActiveConnections(em)) {
    try {
      parts.push(await compareWithBroker(em, brokerOf(connection), connection, since))
    } catch (error) {
      const { accountId } = connection
      const message = `account ${accountId} could not be compared: ${wordsOf(error)}`
      parts.push({ ...EMPTY, failures: [{ accountId, message }] })
    }
  }
  return together(parts)
}

/** Orders come first: a restarted workflow continues from those in the ledger. */
async function mend(
  { database, gateway, logger, tell, signal, since: asked }: ReconcileDependencies,
  { differences, uncompared }: { differences: readonly Difference[]; uncompared: ReadonlySet<string> },
  failed: Map<string, Failure>,
  deadline = Infinity,
): Promise<void> {
  const attempt = async (what: string, accountId: string | null, work: () => Promise<unknown>) => {
    if (signal?.aborted || performance.now() >= deadline) return
    tell(what)
    try {
      await work()
      failed.delete(what)
    } catch (error) {
      failed.set(what, { accountId, message: `${what}: ${wordsOf(error)}` })
    }
  }
  const since = await comparedSince(database.em.fork(), Date.now(), asked?.toISOString())
  const atBrokers = differences.flatMap(({ from, accountId }) => (from === 'broker' && accountId) || [])
  for (const accountId of new Set(atBrokers))
    await attempt(`sync account ${accountId}`, accountId, async () => {
      const limit = Math.min(SYNC_LIMIT, deadline - performance.now())
      const synced = await gateway.syncAccount(accountId, limit, since)
      if ('detail' in synced) throw new Error(synced.detail)
    })
  if (differences.some(({ from }) => from === 'temporal'))
    await attempt('start missing workflows again', null, () =>
      Census.take({ database, gateway, logger }, uncompared),
    )
}
