import { checkConnection } from '#db/engine/health.ts'
import type { Database } from '#db/engine/database.ts'
import { countOverdue } from '#db/watch/due-work.ts'
import { isWorkerAlive } from '#db/watch/worker-heartbeats.ts'
import { within } from '../http/deadline.ts'
import type { SignalGateway } from '../temporal/signals.ts'

/** Each part has this many milliseconds to show that it is there. */
const LIMIT = 1_000

export interface ReadinessDeps {
  database: Database
  gateway: Pick<SignalGateway, 'checkReachable'>
  taskQueue: string
  venueUrl: string
}

type Part = 'database' | 'temporal' | 'worker' | 'venue'
export interface Readiness {
  parts: Record<Part, 'up' | 'down'>
  /** Work that is overdue in all accounts; null when the database does not tell. `ours`: by the service's own fault. */
  overdue: { total: number; ours: number } | null
}

/** Makes the check; callers that come while an answer is being found share it, so that probing costs little. */
export const createReadinessCheck = (deps: ReadinessDeps): (() => Promise<Readiness>) =>
  sharedWhileRunning(() => checkParts(deps))

async function checkParts({ database, gateway, taskQueue, venueUrl }: ReadinessDeps): Promise<Readiness> {
  const [databaseState, temporal, worker, venue, overdue] = await Promise.all([
    stateOf(checkConnection(database.em.fork())),
    stateOf(gateway.checkReachable(LIMIT)),
    stateOf(checkWorker(database, taskQueue)),
    stateOf(checkVenue(venueUrl)),
    within(LIMIT, 'the check', countOverdue(database.em.fork())).catch(() => null),
  ])
  return { parts: { database: databaseState, temporal, worker, venue }, overdue }
}

async function stateOf(check: Promise<void>): Promise<'up' | 'down'> {
  try {
    await within(LIMIT, 'the check', check)
    return 'up'
  } catch {
    // Why it is down is for the part's own log; here it only counts that it is.
    return 'down'
  }
}

async function checkWorker(database: Database, taskQueue: string): Promise<void> {
  if (!(await isWorkerAlive(database.em.fork(), taskQueue))) throw new Error('No worker runs')
}

async function checkVenue(venueUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT)
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
