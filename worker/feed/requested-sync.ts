import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { comparedSince } from '#activities/account/compare.ts'
import { findAccountConnection } from '#db/account/sync.ts'
import { SecretUnreadable } from '#db/broker/secret-box.ts'
import type { AccountSyncInput, AccountSyncOutcome } from '#workflows/account/sync-contract.ts'
import { syncAccount } from './account-sync.ts'
import { comparisonOf, type ComparisonDependencies } from './comparison.ts'
import { healthIn, reportHealth } from './connection-health.ts'

export interface RequestedSyncDependencies extends ComparisonDependencies {
  log: Logger
}

/** Milliseconds between syncs of an account: orders need the requests more. */
const APART = 2_000

export class RequestedSyncs {
  readonly #dependencies: RequestedSyncDependencies
  readonly #lastBegan = new Map<string, number>()

  constructor(dependencies: RequestedSyncDependencies) {
    this.#dependencies = dependencies
  }

  async sync({ accountId, since }: AccountSyncInput): Promise<AccountSyncOutcome> {
    const sinceLast = performance.now() - (this.#lastBegan.get(accountId) ?? Number.NEGATIVE_INFINITY)
    await pause(Math.max(0, APART - sinceLast))
    this.#lastBegan.set(accountId, performance.now())
    return syncNow(this.#dependencies, accountId, since)
  }
}

async function syncNow(
  dependencies: RequestedSyncDependencies,
  accountId: string,
  since: string | undefined,
): Promise<AccountSyncOutcome> {
  const { em, announcer, log } = dependencies
  const account = await findAccountConnection(em, accountId)
  if (!account?.isActive) return { outcome: 'gone' }
  const accountLog = log.child({ accountId })
  const reporter = { em, announcer, account, log: accountLog }
  try {
    const { broker, reconciler, fills } = comparisonOf(dependencies, account, accountLog)
    const now = Date.now()
    await reconciler.reconcile(now, await comparedSince(em, now, since))
    const { syncedAt } = await syncAccount(em, broker, account)
    await fills.poll(Date.now())
    await reportHealth(reporter, null)
    return { outcome: 'synced', syncedAt: syncedAt.toISOString() }
  } catch (error) {
    if (error instanceof SecretUnreadable) return { outcome: 'rejected_keys', detail: error.message }
    const health = healthIn(error)
    if (health === null) throw error
    accountLog.warn({ err: error }, 'an account could not be synced')
    await reportHealth(reporter, error)
    const outcome = health.found === 'rejected' ? 'rejected_keys' : 'unreachable'
    return { outcome, detail: health.detail }
  }
}
