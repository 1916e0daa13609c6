import type { Signal } from '#db/entities/index.ts'
import { GROUP_ORDER, listGroups } from '#db/signal/groups.ts'
import { inPerson, scoped, FREE } from '../access/policy.ts'
import type { OrderDeps } from '../order/commands.ts'
import { listRoute, route } from '../route/route.ts'
import { requireExitWithinBounds } from '../signal/new-signal.ts'
import { approveSignal, cancelExit, declineSignal, hasOpenExit } from '../signal/decide.ts'
import { presentApprovedLine, presentDecidedLine, decideOnEach } from '../signal/decide-on-all.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import { ownGroup, stopEntries } from './commands.ts'
import { presentGroup, presentGroupDetail, presentStopped } from './present.ts'
import { groupEndpoints } from '#contract/group/endpoints.ts'

const OF_A_TOKEN = { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' } as const

export const groupRoutes = [
  listRoute(groupEndpoints['GET /api/v1/signal-groups'], {
    access: scoped('trading:read'),
    list: { order: GROUP_ORDER, rows: 'groups', present: presentGroup },
    run: ({ em, me, filter, page }) => listGroups(em, me.userId, filter, page),
  }),
  route(groupEndpoints['GET /api/v1/signal-groups/:groupId'], {
    access: scoped('trading:read'),
    run: async ({ caller, path }) => presentGroupDetail(await ownGroup(caller, path.groupId)),
  }),
  route(groupEndpoints['POST /api/v1/signal-groups/:groupId/process'], {
    // Live accounts require a fresh proof.
    access: inPerson({ work: 'trading' }),
    run: async ({ caller, path }, deps: SignalDeps) => {
      const edits = { quantity: null, limitPrice: null }
      return decideOnEach(await pendingOf(caller, path.groupId), presentApprovedLine, (signal) =>
        approveSignal(deps, caller, signal, edits),
      )
    },
  }),
  route(groupEndpoints['POST /api/v1/signal-groups/:groupId/reject'], {
    access: inPerson({ work: 'stopping' }),
    run: async ({ caller, path, body: { reason = null } }, deps: SignalDeps) =>
      decideOnEach(await pendingOf(caller, path.groupId), presentDecidedLine, (signal) =>
        declineSignal(deps, caller, signal, reason),
      ),
  }),
  route(groupEndpoints['DELETE /api/v1/signal-groups/:groupId'], {
    access: scoped('signals:write', { work: 'stopping', bounds: OF_A_TOKEN }),
    run: async ({ caller, path }, deps: SignalDeps & OrderDeps) => {
      const { signals } = await ownGroup(caller, path.groupId)
      return presentStopped(await stopEntries(deps, caller, signals))
    },
  }),
  route(groupEndpoints['DELETE /api/v1/signal-groups/:groupId/exit'], {
    access: scoped('signals:write', { work: 'trading', bounds: OF_A_TOKEN }),
    run: async ({ caller, path }, deps: SignalDeps) => {
      const { signals } = await ownGroup(caller, path.groupId)
      return decideOnEach(signals.filter(hasOpenExit), presentDecidedLine, async (signal) => {
        requireExitWithinBounds(caller.principal, signal)
        return cancelExit(deps, caller, signal)
      })
    },
  }),
]

async function pendingOf(...asked: Parameters<typeof ownGroup>): Promise<Signal[]> {
  const { signals } = await ownGroup(...asked)
  return signals.filter(({ status }) => status === 'pending')
}
