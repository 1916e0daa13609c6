import type { Database } from '#db/database.ts'
import { checkConnection } from '#db/health.ts'
import { within } from './deadline.ts'
import type { SignalGateway } from './signal-gateway.ts'
import { RouteList } from './route-list.ts'

/** Each part has this many milliseconds to show that it is there. */
const LIMIT = 1_000

export interface HealthDeps {
  database: Database
  gateway: SignalGateway
  venueUrl: string
}

type Part = 'database' | 'temporal' | 'worker' | 'venue'
type Readiness = Record<Part, 'up' | 'down'>

/**
 * Open to anybody, so they tell which parts are up and no more. /healthz: the process runs. /readyz: a signal
 * sent now would become an order. A worker that died shows as up for about a minute, because a worker's last
 * poll is all that Temporal knows of it.
 */
export function healthRoutes(deps: HealthDeps): RouteList {
  const routes = new RouteList()
  const readiness = sharedWhileRunning(() => checkParts(deps))

  routes.get('/', (ctx) => {
    ctx.body = {
      name: 'durable-trader',
      version: '0.1.0',
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
    const parts = await readiness()
    const down = Object.entries(parts).flatMap(([part, state]) => (state === 'down' ? [part] : []))
    ctx.status = down.length === 0 ? 200 : 503
    ctx.body = {
      status: down.length === 0 ? 'ready' : 'not ready',
      down,
      parts,
      requestId: ctx.state.requestId,
    }
  })

  return routes
}

async function checkParts({ database, gateway, venueUrl }: HealthDeps): Promise<Readiness> {
  const [databaseState, temporal, worker, venue] = await Promise.all([
    stateOf(checkConnection(database.em.fork())),
    stateOf(gateway.checkReachable(LIMIT)),
    stateOf(gateway.checkWorkerPolling(LIMIT)),
    stateOf(checkVenue(venueUrl)),
  ])
  return { database: databaseState, temporal, worker, venue }
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
