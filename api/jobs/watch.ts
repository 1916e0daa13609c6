import { periodically, type Part } from '#config/periodically.ts'
import type { Database } from '#db/engine/database.ts'
import {
  findOverdueWork,
  forgetReadable,
  raiseOverdue,
  resolveDoneWork,
  type OverdueWork,
} from '#db/watch/overdue-work.ts'
import { giveUpLease, holdLease } from '#db/engine/leases.ts'
import { isWorkerAlive } from '#db/watch/worker-heartbeats.ts'
import type { Logger } from 'pino'
import { randomUUID } from 'node:crypto'
import { within } from '../http/deadline.ts'
import type { PhaseObserver } from '../metrics/phase-observer.ts'
import { RollbackWatch, type RollbackDependencies } from '../reconcile/rollback-watch.ts'
import type { SignalGateway } from '../temporal/calls.ts'
import { diagnose, workOf, type Diagnosis, checkFailing } from '../watch/diagnosis.ts'
import type { WatchGateway } from '../temporal/watch-gateway.ts'
import { Census, countMissing, startMissing } from '../supervisor/census.ts'

/** Milliseconds; an alert is at most 30 s late. */
const WATCH_EVERY_MS = 4_000
/** Seconds until another process takes over after a crash. */
const LEASE = 12
const LEASE_NAME = 'watch'
/** Milliseconds between counts in Temporal, and between comparisons. */
const CENSUS_EVERY = 10_000
const COMPARISON_EVERY = 60_000
/** Milliseconds of uninterrupted slices in a round. */
const HURRIED_FOR = 2_000
const WATCH_LIMIT_MS = 3_000
const WATCH_QUESTION_LIMIT_MS = 1_000
const WATCH_BATCH = 2_000
const ACCOUNTS_NAMED = 20

export interface WatchDependencies {
  database: Database
  gateway: WatchGateway & Pick<SignalGateway, 'checkReachable'>
  taskQueue: string
  logger: Logger
  /** Milliseconds without failure before recurring work's alert ends; default a minute. */
  quietMs?: number
  everyMs?: number
}

/** Needs only the ledger, not Temporal or workers. One process at a time. */
export function createWatch(
  deps: WatchDependencies & RollbackDependencies & { phases: Pick<PhaseObserver, 'look' | 'rest'> },
): Part {
  const { database, logger, phases } = deps
  const rollbacks = new RollbackWatch(deps)
  const holder = randomUUID()
  let censusAt = 0
  let comparisonAt = 0
  const lost = new Census(deps)
  let isHurried = false
  /** Missing by number, though the last comparison found none lost. */
  let explained = 0
  /** The same number at the start of this comparison, and its lost workflows. */
  let toExplain = 0
  let found = 0
  let said: string | null = null

  async function round(): Promise<void> {
    const lease = { name: LEASE_NAME, holder, seconds: LEASE }
    if (!(await within(WATCH_LIMIT_MS, 'the database', holdLease(database.em.fork(), lease))))
      return phases.rest()
    await phases.look()
    const isCensus = performance.now() >= censusAt
    if (isCensus) await rollbacks.look()
    const summary = await watchOverdue(deps, { restarts: !rollbacks.isLedgerBehind })
    // Logged only at a change.
    if (summary !== said && summary !== null) logger.warn({ summary }, 'what is due is not done')
    if (said !== null && summary === null) logger.info('everything that is due is done')
    said = summary
    if (isCensus) await takeCensus()
    if (lost.isUnderWay && !rollbacks.isLedgerBehind) await compare()
  }

  async function takeCensus(): Promise<void> {
    censusAt = performance.now() + CENSUS_EVERY
    await checkFailing(deps)
    await within(WATCH_LIMIT_MS, 'the database', forgetReadable(database.em.fork()))
    const missing = await countMissing(deps)
    isHurried = missing > explained
    if (!isHurried && performance.now() < comparisonAt) return
    if (!lost.isUnderWay) {
      comparisonAt = performance.now() + COMPARISON_EVERY
      toExplain = missing
      found = 0
    }
    lost.begin()
  }

  /** A slice per round leaves Temporal time, unless workflows are missing. */
  async function compare(): Promise<void> {
    const until = isHurried ? performance.now() + HURRIED_FOR : 0
    let restarted = 0
    try {
      do restarted += await lost.compareNext()
      while (lost.isUnderWay && performance.now() < until)
    } finally {
      found += restarted
      if (restarted > 0)
        logger.warn({ restarted }, 'workflows were missing in Temporal and are started again')
    }
    // A difference with another cause needs no new comparison.
    if (!lost.isUnderWay) explained = found === 0 ? toExplain : 0
  }

  const rounds = periodically('the watch', deps.everyMs ?? WATCH_EVERY_MS, round, logger)
  return {
    start: rounds.start,
    async stop() {
      await rounds.stop()
      await rollbacks.stop()
      await giveUpLease(database.em.fork(), LEASE_NAME, holder).catch((error: unknown) =>
        logger.warn({ err: error }, 'the watch could not be handed over; it is taken over in a few seconds'),
      )
    },
  }
}

/**
 * Returns counts by cause; null without any.
 * @param restarts missing workflows
 */
export async function watchOverdue(
  deps: WatchDependencies,
  { restarts = true }: { restarts?: boolean } = {},
): Promise<string | null> {
  const { database, gateway, taskQueue } = deps
  let summary: string | null = null
  const overdue = await within(
    WATCH_LIMIT_MS,
    'the database',
    findOverdueWork(database.em.fork(), WATCH_BATCH),
  )
  if (overdue.length > 0) {
    const [temporalIsReachable, workerIsAlive] = await Promise.all([
      gateway.checkReachable(WATCH_QUESTION_LIMIT_MS).then(
        () => true,
        () => false,
      ),
      isWorkerAlive(database.em.fork(), taskQueue),
    ])
    const causes = await diagnose({ gateway, temporalIsReachable, workerIsAlive }, overdue)
    const alarming = overdue.flatMap((work, index) =>
      isKnownToOwner(work, causes[index]!) ? [] : [{ ...work, ...causes[index]! }],
    )
    await raiseOverdue(database.em.fork(), alarming)
    summary = summarise(overdue, causes)
    const missing = overdue.filter((_, index) => causes[index]!.cause === 'workflow_missing')
    if (restarts)
      await startMissing(
        deps,
        missing.flatMap((work) => workOf(work) ?? []),
      )
  }
  await within(WATCH_LIMIT_MS, 'the database', resolveDoneWork(database.em.fork(), deps.quietMs))
  return summary
}

function summarise(overdue: readonly OverdueWork[], causes: readonly Diagnosis[]): string {
  const counts = new Map<string, number>()
  for (const { cause } of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  const unfollowed = overdue.filter(({ what }) => what === 'feed').map(({ accountId }) => accountId)
  return [
    ...[...counts].map(([cause, count]) => `${count} ${cause}`),
    ...(unfollowed.length > 0
      ? [`accounts that are not followed: ${unfollowed.slice(0, ACCOUNTS_NAMED).join(' ')}`]
      : []),
  ].join(', ')
}

const isKnownToOwner = ({ isKnownTrouble, isOwnStop }: OverdueWork, { cause }: Diagnosis): boolean =>
  (isOwnStop && cause === 'halted') ||
  (isKnownTrouble && (cause === 'step_failing' || cause === 'halted' || cause === 'busy'))
