import { anyone } from '../access/policy.ts'
import { VERSION } from '../http/presentation.ts'
import { Reply, route } from '../route/route.ts'
import { reasonsNotReady, type Readiness } from './readiness.ts'
import { serviceEndpoints } from '#contract/service.ts'

/**
 * Public, so they report only which parts are up. /healthz: the process runs. /readyz: a signal sent now would become
 * an order, no work is overdue by our fault, every account is followed, the disk has room, and workers run the API's
 * build and can follow every workflow.
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
    // Other requests from the same address must not prevent answers to probes.
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
