import type { Database } from '#db/engine/database.ts'
import { countOverdue } from '#db/watch/due-work.ts'
import { checkConnection } from '#db/engine/health.ts'
import { isWorkerAlive } from '#db/watch/worker-heartbeats.ts'
import { within } from '../http/deadline.ts'
import type { SignalGateway } from '../temporal/signals.ts'
import { VERSION } from '../http/version.ts'
import { RouteList } from '../http/route-list.ts'

/** Each part has this many milliseconds to show that it is there. */
const LIMIT = 1_000

export interface HealthDeps {
  database: Database
  gateway: Pick<SignalGateway, 'checkReachable'>
  taskQueue: string
  venueUrl: string
}

type Part = 'database' | 'temporal' | 'worker' | 'venue'
interface Readiness {
  parts: Record<Part, 'up' | 'down'>
  /** Work that is overdue in all accounts; null when the database does not tell. `ours`: by the service's own fault. */
  overdue: { total: number; ours: number } | null
}

/**
 * Open to anybody, so they tell which parts are up and no more. /healthz: the process runs. /readyz: a signal
 * sent now would become an order, and nothing that is due is late by the service's own fault.
 */
export function healthRoutes(deps: HealthDeps): RouteList {
  const routes = new RouteList()
  const readiness = sharedWhileRunning(() => checkParts(deps))

  routes.get('/', (ctx) => {
    ctx.body = {
      name: 'durable-trader',
      version: VERSION,
      links: {
        reference: '/docs',
        description: '/openapi.json',
        signals: '/api/v1/signals',
        health: '/healthz',
        readiness: '/readyz',
      },
      requestId: ctx.state.requestId,
    }
  })

  routes.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' }
  })

  routes.get('/readyz', async (ctx) => {
    const { parts, overdue } = await readiness()
    const down = Object.entries(parts).flatMap(([part, state]) => (state === 'down' ? [part] : []))
    if (overdue !== null && overdue.ours > 0) down.push('overdue')
    ctx.status = down.length === 0 ? 200 : 503
    ctx.body = {
      status: down.length === 0 ? 'ready' : 'not ready',
      down,
      parts,
      overdue: overdue?.total ?? null,
      requestId: ctx.state.requestId,
    }
  })

  return routes
}

async function checkParts({ database, gateway, taskQueue, venueUrl }: HealthDeps): Promise<Readiness> {
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

/** Callers that come while an answer is being found share it, so that probing costs little. */
function sharedWhileRunning<T>(find: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () =>
    (running ??= find().finally(() => {
      running = undefined
    }))
}
