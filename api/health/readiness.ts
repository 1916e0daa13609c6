import { checkConnection } from '#db/engine/health.ts'
import type { Database } from '#db/engine/database.ts'
import { countOverdue, type OverdueCount } from '#db/watch/overdue-work.ts'
import { countWorkers, type WorkerCount } from '#db/watch/worker-heartbeats.ts'
import { within } from '../http/deadline.ts'
import type { DiskSpace } from '../metrics/dependency-probes.ts'
import type { SignalGateway } from '../temporal/calls.ts'

/** Milliseconds for each part. */
const READINESS_LIMIT_MS = 1_000
/** Bytes on the data disk: PostgreSQL's log grows by 16 MiB at a time. */
const LEAST_FREE = 64 << 20

export interface ReadinessDeps {
  database: Database
  gateway: Pick<SignalGateway, 'checkReachable'>
  taskQueue: string
  venueUrl: string
  /** Null where the system reports none. */
  diskSpace(): Promise<DiskSpace | null>
  buildId: string
  /** Seconds. */
  uptime(): number
}

type Part = 'database' | 'temporal' | 'worker' | 'venue'
export interface Readiness {
  parts: Record<Part, 'up' | 'down'>
  /** Null without a database answer. */
  overdue: OverdueCount | null
  /** Null without a database answer. */
  workers: WorkerCount | null
  isDiskFull: boolean
}

/** Concurrent callers share an answer. */
export const createReadinessCheck = (deps: ReadinessDeps): (() => Promise<Readiness>) =>
  sharedWhileRunning(() => checkParts(deps))

async function checkParts(deps: ReadinessDeps): Promise<Readiness> {
  const { database, gateway, taskQueue, venueUrl, diskSpace, buildId, uptime } = deps
  const self = { buildId, since: uptime() }
  const [databaseState, temporal, venue, workers, overdue, disk] = await Promise.all([
    stateOf(checkConnection(database.em.fork())),
    stateOf(gateway.checkReachable(READINESS_LIMIT_MS)),
    stateOf(checkVenue(venueUrl)),
    orNull(countWorkers(database.em.fork(), taskQueue, self)),
    orNull(countOverdue(database.em.fork())),
    orNull(diskSpace()),
  ])
  const worker = workers !== null && workers.alive > 0 ? 'up' : 'down'
  return {
    parts: { database: databaseState, temporal, worker, venue },
    overdue,
    workers,
    isDiskFull: disk !== null && disk.freeBytes < LEAST_FREE,
  }
}

export function reasonsNotReady({ parts, overdue, workers, isDiskFull }: Readiness): string[] {
  const reasons: string[] = Object.entries(parts).flatMap(([part, state]) => (state === 'down' ? [part] : []))
  if (overdue !== null && overdue.ours > 0) reasons.push('overdue')
  if (overdue !== null && overdue.feeds > 0) reasons.push('feed')
  if (workers !== null && workers.ofOtherBuild > 0) reasons.push('build')
  if (workers !== null && workers.failingWorkflows > 0) reasons.push('workflows')
  if (isDiskFull) reasons.push('disk')
  return reasons
}

async function stateOf(check: Promise<void>): Promise<'up' | 'down'> {
  try {
    await within(READINESS_LIMIT_MS, 'the check', check)
    return 'up'
  } catch {
    // The part's own log has the cause.
    return 'down'
  }
}

const orNull = <T>(count: Promise<T | null>): Promise<T | null> =>
  within(READINESS_LIMIT_MS, 'the check', count).catch(() => null)

async function checkVenue(venueUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(READINESS_LIMIT_MS)
  const response = await fetch(new URL('/venue/health', venueUrl), { signal, redirect: 'error' })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`The venue answered ${response.status}`)
}

function sharedWhileRunning<T>(find: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () =>
    (running ??= find().finally(() => {
      running = undefined
    }))
}
