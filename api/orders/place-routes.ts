import { scoped } from '../access/policy.ts'
import { Reply, route } from '../route/route.ts'
import type { DryRunDeps } from '../signals/dry-run-commands.ts'
import { PLACING } from './bounds.ts'
import { placeOrder, type OrderDeps } from './commands.ts'
import { dryRunOrder } from './dry-run-commands.ts'
import { presentOrderDryRun } from './dry-run-record.ts'
import { readRequestKey } from './idempotency.ts'
import { presentPlacement } from './placement-record.ts'
import { placeEndpoints } from '#contract/orders/place-endpoints.ts'

export const placeRoutes = [
  route(placeEndpoints['POST /api/v1/orders'], {
    access: scoped('orders:write', { work: 'trading', reserve: 'people', bounds: PLACING }),
    run: async ({ caller, body: { wish, dryRun }, http }, deps: OrderDeps & DryRunDeps) => {
      const request = readRequestKey(http, { route: 'POST /orders', wish })
      if (dryRun)
        return presentOrderDryRun(await dryRunOrder(deps, caller, wish, request !== null), caller.requestId)
      const { status, body: data } = presentPlacement(
        await placeOrder(deps, caller, wish, request),
        caller.requestId,
      )
      return new Reply(status, data)
    },
  }),
]
