import { inPerson, scoped } from '../access/policy.ts'
import { FREE } from '../access/token-bounds.ts'
import type { MarketData } from '../market/market-data.ts'
import { Reply, route } from '../route/route.ts'
import { requireChangeWithinBounds, requireExitWithinBounds } from './bounds.ts'
import { checkSignal } from './check-commands.ts'
import { presentCheck } from './check-record.ts'
import { approveSignal, cancelExit, declineSignal, withdrawSignal, editsOf } from './decision-commands.ts'
import {
  presentApproved,
  presentApprovedLine,
  presentDecided,
  presentDecidedLine,
} from './decision-record.ts'
import { decideOnAll } from './decision-lines.ts'
import { chooseSize } from './exit-size-commands.ts'
import type { SignalDeps } from './deps.ts'
import type { DryRunDeps } from './dry-run-commands.ts'
import { ownSignalToChange } from './own-signal.ts'
import { presentSignal } from './record.ts'
import { decisionEndpoints } from '#contract/signals/decision-endpoints.ts'

export const decisionRoutes = [
  route(decisionEndpoints['GET /api/v1/signals/:id/check'], {
    // The broker is asked within the bounds of the dry run.
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
    // The command asks for a fresh proof for live accounts.
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
