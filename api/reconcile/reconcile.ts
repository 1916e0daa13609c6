import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccountSyncGateway } from '../temporal/account-syncs.ts'
import type { WatchGateway } from '../temporal/watch-gateway.ts'
import { Census } from '../supervisor/census.ts'
import type { Broker } from '#brokers/port.ts'
import { listActiveConnections, type AccountConnection } from '#db/accounts/sync.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { readLedgerMark } from '#db/watch/ledger-mark.ts'
import {
  wordsOf,
  EMPTY,
  SYNCED,
  together,
  type Comparison,
  type Difference,
  type Failure,
} from './difference.ts'
import { compareWithBroker } from './with-broker.ts'
import { compareWithTemporal } from './with-temporal.ts'

/** Orders and executions of so many milliseconds are compared in any case, ... */
const COMPARED_REACH_MS = 86_400_000
/** ... and so many more before the state to which a store was set back, for clocks that differ. */
const SET_BACK_MARGIN_MS = 3_600_000
const SYNC_LIMIT = 20_000

export interface ReconcileDependencies {
  database: Database
  gateway: WatchGateway & AccountSyncGateway
  /** Throws when the connection's credentials cannot be read. */
  brokerOf(connection: AccountConnection): Broker
  logger: Logger
  /** From when on orders that have ended and executions are compared, where a day is too short. */
  since?: Date | undefined
  /** Milliseconds that the service has to mend what is different; at 0 it is not asked to. */
  patience: number
  /** Milliseconds between two looks at what is left, each of which costs requests to the brokers. */
  lookEvery: number
  signal?: AbortSignal
  /** Once, when the ledger has all orders and executions that only brokers knew, or the patience is over. `uncompared`: accounts. */
  whenTakenUp?(uncompared: ReadonlySet<string>): Promise<void>
  tell(line: string): void
}

export interface Reconciliation {
  compared: Comparison
  outcomes: { difference: Difference; isMended: boolean }[]
  failures: Failure[]
  failedAttempts: Failure[]
}

/** A difference that came and went with an order in flight is mended. */
export async function reconcile(deps: ReconcileDependencies): Promise<Reconciliation> {
  const { tell, patience, lookEvery, signal, whenTakenUp = async () => {} } = deps
  const compared = await compareAll(deps)
  const { differences } = compared
  const isUncompared = compared.failures.some(isOfBroker)
  if (patience === 0 || (differences.length === 0 && !isUncompared)) {
    if (patience > 0) await whenTakenUp(new Set())
    return {
      compared,
      outcomes: differences.map((difference) => ({ difference, isMended: false })),
      failures: compared.failures,
      failedAttempts: [],
    }
  }
  tell(`${differences.length} different; mending takes up to ${Math.round(patience / 1_000)} s`)
  const failedAttempts = await mend(deps, differences)
  const deadline = performance.now() + patience
  let left = new Set(differences.map(({ key }) => key))
  const uncomparedBefore = new Set(compared.failures.map(({ accountId }) => accountId))
  let failures = compared.failures
  let isTakenUp = false
  const hasPatience = (): boolean => performance.now() < deadline && signal?.aborted !== true
  while ((left.size > 0 || failures.some(isOfBroker)) && hasPatience()) {
    await sleep(lookEvery)
    const now = await compareAll(deps)
    // Parts that cannot be compared any more are not mended.
    if (now.failures.some(({ accountId }) => !uncomparedBefore.has(accountId))) continue
    failures = now.failures
    if (
      !isTakenUp &&
      !failures.some(isOfBroker) &&
      now.differences.every(({ advice }) => advice !== SYNCED)
    ) {
      isTakenUp = true
      await whenTakenUp(new Set())
    }
    const still = new Set(now.differences.map(({ key }) => key))
    left = new Set([...left].filter((key) => still.has(key)))
    tell(`${left.size} of ${differences.length} left`)
  }
  if (!isTakenUp && signal?.aborted !== true)
    await whenTakenUp(new Set(failures.filter(isOfBroker).flatMap(({ accountId }) => accountId ?? [])))
  const outcomes = differences.map((difference) => ({ difference, isMended: !left.has(difference.key) }))
  return { compared, outcomes, failures: compared.failures, failedAttempts }
}

const isOfBroker = ({ accountId, isOfNewAccount }: Failure): boolean => accountId !== null && !isOfNewAccount

async function compareAll({
  database,
  gateway,
  brokerOf,
  since: asked,
}: ReconcileDependencies): Promise<Comparison> {
  const em = database.em.fork()
  const parts = [await compareWithTemporal(em, gateway)]
  const since = await reachOf(em, asked)
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

/** UTC instant: what the ledger may lack reaches back to what was restored, to its last mark, or as far as asked. */
async function reachOf(em: EntityManager, asked: Date | undefined): Promise<string> {
  const mark = await readLedgerMark(em)
  const knownUntil = mark === null ? Infinity : Date.parse(mark.restoredTo ?? mark.markedAt)
  const askedFrom = asked?.getTime() ?? Infinity
  return new Date(
    Math.min(Date.now() - COMPARED_REACH_MS, knownUntil - SET_BACK_MARGIN_MS, askedFrom),
  ).toISOString()
}

async function mend(
  { database, gateway, logger, tell, signal }: ReconcileDependencies,
  differences: readonly Difference[],
): Promise<Failure[]> {
  const failures: Failure[] = []
  const attempt = async (
    what: string,
    accountId: string | null,
    work: () => Promise<unknown>,
  ): Promise<void> => {
    tell(what)
    try {
      await work()
    } catch (error) {
      failures.push({ accountId, message: `${what}: ${wordsOf(error)}` })
    }
  }
  // Orders first: a workflow that is started again goes on from those that the ledger knows.
  const atBrokers = differences.filter(({ from }) => from === 'broker')
  for (const accountId of new Set(atBrokers.map((difference) => difference.accountId)))
    if (accountId !== null && !signal?.aborted)
      await attempt(`sync account ${accountId}`, accountId, async () => {
        const synced = await gateway.syncAccount(accountId, SYNC_LIMIT)
        if ('detail' in synced) throw new Error(synced.detail)
      })
  if (differences.some(({ from }) => from === 'temporal') && !signal?.aborted)
    await attempt('start missing workflows again', null, () => Census.take({ database, gateway, logger }))
  return failures
}
