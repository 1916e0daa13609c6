import { findOwnAccount } from '#db/account/accounts.ts'
import { findInstants, readPercentiles } from '#db/signal/timing.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { instantToLocal } from '#domain/time/wall-time.ts'
import { scoped, inPerson, FREE } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { route, listRoute, Reply } from '../route/route.ts'
import { ownSignal, type SignalDeps, ownSignalToChange } from './own-signal.ts'
import {
  presentTiming,
  presentCreated,
  presentListed,
  presentSignalDetail,
  presentSignalEvent,
  presentSource,
  readOutcomes,
  presentSignal,
} from './present.ts'
import { daysAskedFor, timingEndpoints } from '#contract/signal/timing.ts'
import { SIGNAL_EVENT_ORDER } from '#db/order/decisions.ts'
import { listSignalEvents, listSignals, SIGNAL_ORDERS } from '#db/signal/signals.ts'
import { findResult, findSource } from '#db/signal/story.ts'
import { presentCreatedGroup } from '../group/present.ts'
import { dryRunForSeveral, sendToSeveral } from '../group/commands.ts'
import { createOne, type CreationDeps } from '../intake/create.ts'
import { temporalUiFor } from '../http/presentation.ts'
import type { DryRunDeps } from './dry-run.ts'
import { dryRunSignal, presentDryRun, checkSignal, presentCheck } from './check.ts'
import { changeProtection, chooseSize } from '../exit/commands.ts'
import { readLevels } from '../exit/present.ts'
import {
  withoutSecrets,
  JUDGED,
  requireSignalWithinBounds,
  requireChangeWithinBounds,
  requireExitWithinBounds,
} from './new-signal.ts'
import { signalEndpoints } from '#contract/signal/endpoints.ts'
import type { MarketData } from '../market/market-data.ts'
import { approveSignal, cancelExit, declineSignal, withdrawSignal, editsOf } from './decide.ts'
import {
  presentApproved,
  presentApprovedLine,
  presentDecided,
  presentDecidedLine,
  decideOnAll,
} from './decide-on-all.ts'
import { decisionEndpoints, protectionEndpoints } from '#contract/signal/decisions.ts'

/** Must precede `/signals/:id`, which accepts any word as id. */
const timingRoutes = [
  route(timingEndpoints['GET /api/v1/signals/timing'], {
    access: scoped('trading:read'),
    run: async ({ em, me: { userId }, query: { accountId = null, ...asked } }) => {
      const days = daysAskedFor(asked, instantToLocal(new Date().toISOString(), NYSE_ZONE).date)
      if (accountId !== null && !(await findOwnAccount(em, userId, accountId)))
        throw new ApiError('ACCOUNT_NOT_FOUND')
      return { ...days, accountId, days: await readPercentiles(em, userId, days, accountId) }
    },
  }),
  route(timingEndpoints['GET /api/v1/signals/:id/timing'], {
    access: scoped('trading:read'),
    run: async ({ em, caller, path }) => {
      const signal = await ownSignal(caller, path.id)
      return presentTiming(signal, await findInstants(em, signal.userId, signal.id))
    },
  }),
]

interface SendingDeps extends CreationDeps, DryRunDeps {
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
      const plans = await readLevels(em, signal.userId, [signal])
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

export const decisionRoutes = [
  route(decisionEndpoints['GET /api/v1/signals/:id/check'], {
    // The dry run bounds requests to the broker.
    access: scoped('trading:read'),
    deadline: 'within',
    run: async ({ caller, path, query }, deps: DryRunDeps & { market: MarketData }) => {
      const signal = await ownSignalToChange(caller, path.id)
      const check = await checkSignal(deps, caller, signal, editsOf(signal, query))
      return presentCheck(check, caller.requestId)
    },
  }),
  route(decisionEndpoints['POST /api/v1/signals/:id/process'], {
    access: inPerson({ work: 'trading' }),
    run: async ({ caller, path, body }, deps: SignalDeps) => {
      const signal = await ownSignalToChange(caller, path.id)
      const approved = await approveSignal(deps, caller, signal, editsOf(signal, body))
      const { status, body: data } = presentApproved(approved, caller.requestId)
      return new Reply(status, data)
    },
  }),
  route(decisionEndpoints['POST /api/v1/signals/:id/reject'], {
    access: inPerson({ work: 'stopping' }),
    run: async ({ caller, path, body: { reason = null } }, deps: SignalDeps) => {
      const signal = await ownSignalToChange(caller, path.id)
      const { status, body } = presentDecided(await declineSignal(deps, caller, signal, reason))
      return new Reply(status, body)
    },
  }),
  route(decisionEndpoints['POST /api/v1/signals/process'], {
    // Live accounts require a fresh proof.
    access: inPerson({ work: 'trading' }),
    run: ({ caller, body: { ids } }, deps: SignalDeps) => {
      const edits = { quantity: null, limitPrice: null }
      return decideOnAll(caller, ids, presentApprovedLine, (signal) =>
        approveSignal(deps, caller, signal, edits),
      )
    },
  }),
  route(decisionEndpoints['POST /api/v1/signals/reject'], {
    access: inPerson({ work: 'stopping' }),
    run: ({ caller, body: { ids, reason = null } }, deps: SignalDeps) =>
      decideOnAll(caller, ids, presentDecidedLine, (signal) => declineSignal(deps, caller, signal, reason)),
  }),
  route(decisionEndpoints['DELETE /api/v1/signals/:id'], {
    access: scoped('signals:write', {
      work: 'stopping',
      bounds: { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' },
    }),
    run: async ({ caller, path }, deps: SignalDeps) => {
      const signal = await ownSignalToChange(caller, path.id)
      requireChangeWithinBounds(caller.principal, signal)
      const { status, body } = presentDecided(await withdrawSignal(deps, caller, signal))
      return new Reply(status, body)
    },
  }),
  route(decisionEndpoints['DELETE /api/v1/signals/:id/exit'], {
    access: scoped('signals:write', {
      work: 'trading',
      bounds: { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' },
    }),
    run: async ({ caller, path }, deps: SignalDeps) => {
      const signal = await ownSignalToChange(caller, path.id)
      requireExitWithinBounds(caller.principal, signal)
      const { status, body } = presentDecided(await cancelExit(deps, caller, signal))
      return new Reply(status, body)
    },
  }),
  route(decisionEndpoints['POST /api/v1/signals/:id/exit/size'], {
    access: inPerson({ work: 'trading' }),
    run: async ({ caller, path, body }, deps: SignalDeps) => {
      const signal = await ownSignalToChange(caller, path.id)
      return new Reply(202, { signal: presentSignal(await chooseSize(deps, caller, signal, body)) })
    },
  }),
]

export const protectionRoutes = [
  route(protectionEndpoints['PATCH /api/v1/signals/:id/protection'], {
    access: scoped('signals:write', {
      work: 'trading',
      bounds: { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' },
    }),
    run: async ({ caller, path, body }, deps: SignalDeps & { market: MarketData }) => {
      const signal = await ownSignalToChange(caller, path.id)
      requireExitWithinBounds(caller.principal, signal)
      const { status, body: data } = presentDecided(await changeProtection(deps, caller, signal, body))
      return new Reply(status, data)
    },
  }),
]
