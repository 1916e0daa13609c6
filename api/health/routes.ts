import { anyone } from '../access/policy.ts'
import { VERSION } from '../http/presentation.ts'
import { Reply, route } from '../route/route.ts'
import { reasonsNotReady, type Readiness } from './readiness.ts'
import { serviceEndpoints } from '#contract/service.ts'

/**
 * Open to anybody, so they tell which parts are up and no more. /healthz: the process runs. /readyz: a
 * signal sent now would become an order, nothing that is due is late by the fault of the service itself, every account is
 * followed, the disk has room, and workers run the code of the API and can follow every workflow with it.
 */
export const serviceRoutes = [
  route(serviceEndpoints['GET /'], {
    access: anyone('default'),
    run: ({ caller: { requestId } }) => ({
      name: 'durable-trader',
      version: VERSION,
      links: {
        reference: '/docs',
        description: '/openapi.json',
        signals: '/api/v1/signals',
        health: '/healthz',
        readiness: '/readyz',
      },
      requestId,
    }),
  }),
  route(serviceEndpoints['GET /healthz'], {
    // Probes ask often, and must be answered while nothing can be counted and others from their address ask for much.
    access: anyone(null, { work: null }),
    run: () => ({ status: 'ok' as const }),
  }),
  route(serviceEndpoints['GET /readyz'], {
    access: anyone(null, { work: null }),
    run: async ({ caller: { requestId } }, deps: { checkReadiness: () => Promise<Readiness> }) => {
      const readiness = await deps.checkReadiness()
      const { parts, overdue, workers } = readiness
      const down = reasonsNotReady(readiness)
      const isReady = down.length === 0
      return new Reply(isReady ? 200 : 503, {
        status: isReady ? 'ready' : 'not ready',
        down,
        parts,
        overdue: overdue?.total ?? null,
        unfollowedAccounts: overdue?.feeds ?? null,
        workersOfOtherBuild: workers?.ofOtherBuild ?? null,
        failingWorkflows: workers?.failingWorkflows ?? null,
        requestId,
      })
    },
  }),
]
