import type { Logger } from 'pino'
import type { HeardFills } from '#activities/order/heard-fills.ts'
import { periodically, type Part } from '#config/periodically.ts'
import { listActiveConnections, type AccountConnection } from '#db/account/sync.ts'
import type { Semaphore } from '#domain/async/semaphore.ts'
import { AccountFeed, type FeedPatience } from './account-feed.ts'
import { comparisonOf, type ComparisonDependencies } from './comparison.ts'
import type { ExitAnnouncer } from './exit-retrigger.ts'
import type { Announcer } from './order-reconciler.ts'
import { connectionsOf, type Fleet } from './owners.ts'
import { ExitCache } from './exit-cache.ts'
import { ProtectionWatch } from './protection-watch.ts'

export interface BrokerFeedDependencies extends ComparisonDependencies {
  announcer: Announcer & ExitAnnouncer
  /** Milliseconds between comparisons with the broker. */
  pollEvery: number
  fleet: Fleet
  /** Milliseconds, as all of these. */
  lookForAccountsEvery?: number
  slots: Semaphore
  heardFills?: HeardFills
  lookAtFleetEvery?: number
  patience?: FeedPatience
  /** Milliseconds of following on after another worker took over. */
  letGoAfter?: number
  log: Logger
}

/** Milliseconds after which a worker without a heartbeat follows every connection. */
const FIRST_BEAT_WITHIN = 5_000

export function followBrokers(dependencies: BrokerFeedDependencies): Part {
  const { fleet, lookForAccountsEvery = 5_000, lookAtFleetEvery = 500, letGoAfter = 3_000 } = dependencies
  const begun = performance.now()
  const accounts = new FollowedAccounts(dependencies, letGoAfter)
  let readAt = Number.NEGATIVE_INFINITY
  async function look(): Promise<void> {
    const now = performance.now()
    if (now - readAt >= lookForAccountsEvery && (await accounts.read())) readAt = now
    if (fleet.followers !== null || now - begun >= FIRST_BEAT_WITHIN) accounts.divide(fleet)
  }
  const looks = periodically('look at the fleet', lookAtFleetEvery, look, dependencies.log)
  return {
    start: looks.start,
    async stop() {
      await looks.stop()
      await accounts.stop()
    },
  }
}

interface Followed {
  stop: AbortController
  othersSince: number | null
}

class FollowedAccounts {
  readonly #deps: BrokerFeedDependencies
  readonly #plans: ExitCache
  readonly #letGoAfter: number
  readonly #followed = new Map<string, Followed>()
  readonly #running = new Set<Promise<void>>()
  readonly #impossible = new Set<string>()
  #active: ReadonlyMap<string, AccountConnection> = new Map()

  constructor(deps: BrokerFeedDependencies, letGoAfter: number) {
    this.#deps = deps
    this.#plans = new ExitCache(deps.em)
    this.#letGoAfter = letGoAfter
  }

  async read(): Promise<boolean> {
    try {
      const connections = await listActiveConnections(this.#deps.em)
      this.#active = new Map(connections.map((found) => [keyOf(found), found]))
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the list of accounts could not be read; trying again')
      return false
    }
    this.#impossible.clear()
    for (const key of this.#followed.keys()) if (!this.#active.has(key)) this.#letGo(key)
    return true
  }

  /** Follows this worker's accounts, and stops following those that another took over a moment ago. */
  divide({ workerId, followers }: Fleet): void {
    const all = [...new Set([...this.#active.values()].map(({ brokerId }) => brokerId))]
    const own = connectionsOf(workerId, followers ?? [workerId], all)
    for (const [key, connection] of this.#active) {
      const followed = this.#followed.get(key)
      if (own.has(connection.brokerId)) {
        if (followed) followed.othersSince = null
        else if (!this.#impossible.has(key)) this.#follow(key, connection)
      } else if (followed) {
        followed.othersSince ??= performance.now()
        if (performance.now() - followed.othersSince >= this.#letGoAfter) {
          this.#deps.log.info({ accountId: connection.accountId }, 'another worker follows the account')
          this.#letGo(key)
        }
      }
    }
  }

  async stop(): Promise<void> {
    for (const key of this.#followed.keys()) this.#letGo(key)
    await Promise.all(this.#running)
  }

  #follow(key: string, connection: AccountConnection): void {
    try {
      const follow = followerOf(this.#deps, this.#plans, connection)
      const stop = new AbortController()
      const done = follow(stop.signal).finally(() => this.#running.delete(done))
      this.#running.add(done)
      this.#followed.set(key, { stop, othersSince: null })
    } catch (error) {
      this.#impossible.add(key)
      this.#deps.log.error({ err: error, accountId: connection.accountId }, 'an account cannot be followed')
    }
  }

  #letGo(key: string): void {
    this.#followed.get(key)?.stop.abort()
    this.#followed.delete(key)
  }
}

const keyOf = (connection: AccountConnection): string => JSON.stringify(connection)

function followerOf(
  deps: BrokerFeedDependencies,
  plans: ExitCache,
  account: AccountConnection,
): (signal: AbortSignal) => Promise<void> {
  const { em, announcer, pollEvery, slots, heardFills, patience } = deps
  const log = deps.log.child({ accountId: account.accountId })
  const { broker, reconciler, fills } = comparisonOf(deps, account, log)
  const feed = new AccountFeed({
    em,
    broker,
    reconciler,
    fills,
    heardFills,
    announcer,
    account,
    pollEvery,
    slots,
    patience,
    log,
  })
  const watch = new ProtectionWatch({
    em,
    broker,
    announcer,
    account,
    plans,
    quietMs: patience?.quietMs,
    log,
  })
  return async (signal) => void (await Promise.all([feed.run(signal), watch.run(signal)]))
}
