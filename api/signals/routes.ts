import { SIGNAL_EVENT_ORDER } from '#db/orders/event-order.ts'
import { listSignalEvents, listSignals, SIGNAL_ORDERS } from '#db/signals/signals.ts'
import { findResult, findSource } from '#db/signals/story.ts'
import { findInstants } from '#db/signals/timing.ts'
import { scoped } from '../access/policy.ts'
import { presentCreatedGroup } from '../groups/record.ts'
import { dryRunForSeveral, sendToSeveral } from '../groups/sending.ts'
import { ApiError } from '#contract/errors.ts'
import { createOne, type CreationDeps } from '../intake/create.ts'
import { temporalUiFor } from '../http/workflow-link.ts'
import { listRoute, Reply, route } from '../route/route.ts'
import type { DryRunDeps } from './dry-run-commands.ts'
import { dryRunSignal } from './dry-run-signal.ts'
import { presentDryRun } from './dry-run-record.ts'
import { ownSignal } from './own-signal.ts'
import {
  presentCreated,
  presentListed,
  presentSignalDetail,
  presentSignalEvent,
  presentSource,
  readOutcomes,
} from './record.ts'
import { readPlans } from './protection-record.ts'
import { withoutSecrets } from './source.ts'
import { JUDGED, requireSignalWithinBounds } from './bounds.ts'
import { timingRoutes } from './timing-routes.ts'
import { signalEndpoints } from '#contract/signals/endpoints.ts'

interface SendingDeps extends CreationDeps, DryRunDeps {
  /** False while an operator has switched signals off. */
  signalsEnabled: boolean
}

export const signalRoutes = [
  route(signalEndpoints['POST /api/v1/signals'], {
    access: scoped('signals:write', { work: 'signals', reserve: 'people', keyInQuery: true, bounds: JUDGED }),
    run: async ({ caller, body: { sending, text } }, deps: SendingDeps) => {
      if (!deps.signalsEnabled) throw new ApiError('SERVICE_DISABLED')
      if ('requests' in sending) {
        const { requests } = sending
        if (requests[0]!.dryRun) return dryRunForSeveral(deps, caller, requests)
        const sent = await sendToSeveral(deps, caller, requests, withoutSecrets(text))
        const { status, body: data } = presentCreatedGroup(sent, caller.requestId)
        return new Reply(status, data)
      }
      const { request } = sending
      requireSignalWithinBounds(caller.principal, request)
      if (request.dryRun) return presentDryRun(await dryRunSignal(deps, caller, request), caller.requestId)
      const created = await createOne(deps, caller, request, withoutSecrets(text))
      caller.noteSignal(created.signal.id)
      const { status, body: data } = presentCreated(created, caller.requestId)
      return new Reply(status, data)
    },
  }),
  listRoute(signalEndpoints['GET /api/v1/signals'], {
    access: scoped('trading:read'),
    list: {
      order: ({ sort }) => SIGNAL_ORDERS[sort],
      rows: 'signals',
      present: presentListed,
    },
    run: async ({ em, me, filter, page }) => {
      const slice = await listSignals(em, me.userId, filter, page)
      const outcomes = await readOutcomes(em, me.userId, slice.items)
      return { ...slice, items: slice.items.map((signal) => ({ signal, outcomes })) }
    },
  }),
  ...timingRoutes,
  route(signalEndpoints['GET /api/v1/signals/:id'], {
    access: scoped('trading:read'),
    run: async ({ em, me, caller, path }, { temporalUiUrl }: { temporalUiUrl: string | null }) => {
      const signal = await ownSignal(caller, path.id)
      const instants = await findInstants(em, signal.userId, signal.id)
      const result = await findResult(em, signal.userId, signal.id)
      const plans = await readPlans(em, signal.userId, [signal])
      return presentSignalDetail(signal, instants, result, temporalUiFor(me, temporalUiUrl), plans)
    },
  }),
  route(signalEndpoints['GET /api/v1/signals/:id/source'], {
    access: scoped('trading:read'),
    run: async ({ em, caller, path }) => {
      const signal = await ownSignal(caller, path.id)
      return presentSource(signal, await findSource(em, signal.userId, signal.id))
    },
  }),
  listRoute(signalEndpoints['GET /api/v1/signals/:id/events'], {
    access: scoped('trading:read'),
    list: { order: SIGNAL_EVENT_ORDER, rows: 'events', present: presentSignalEvent },
    run: async ({ em, me, caller, path, page }) =>
      listSignalEvents(em, me.userId, (await ownSignal(caller, path.id)).id, page),
  }),
]
