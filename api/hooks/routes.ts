import { findHook, HOOK_ORDER, listHooks } from '#db/hooks/hooks.ts'
import { inPerson } from '../access/policy.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { wordsOfRevoking } from '#contract/identity/words-of-revoking.ts'
import { listRoute, route } from '../route/route.ts'
import type { SignalDeps } from '../signals/deps.ts'
import type { HookAnswer } from '#contract/hooks/answers.ts'
import { changeOwnHook, createHook, deleteHook, switchLive, type HookDeps } from './commands.ts'
import { presentHook } from './record.ts'
import { hookEndpoints } from '#contract/hooks/endpoints.ts'

export const hookRoutes = [
  listRoute(hookEndpoints['GET /api/v1/hooks'], {
    access: inPerson(),
    list: { order: HOOK_ORDER, rows: 'hooks', present: presentHook },
    run: ({ em, me, page }) => listHooks(em, me.userId, page),
  }),
  route(hookEndpoints['POST /api/v1/hooks'], {
    access: inPerson({ fresh: true }),
    run: async ({ caller, body }, deps: HookDeps) => {
      const { id, url } = await createHook(deps, caller, body)
      return { hook: await ownHook(caller, id), url }
    },
  }),
  route(hookEndpoints['GET /api/v1/hooks/:hookId'], {
    access: inPerson(),
    run: async ({ caller, path }) => ({ hook: await ownHook(caller, path.hookId) }),
  }),
  route(hookEndpoints['PATCH /api/v1/hooks/:hookId'], {
    access: inPerson(),
    run: async ({ caller, path: { hookId }, body }) => {
      await changeOwnHook(caller, hookId, body)
      return { hook: await ownHook(caller, hookId) }
    },
  }),
  route(hookEndpoints['DELETE /api/v1/hooks/:hookId'], {
    access: inPerson(),
    deadline: 'within',
    run: async ({ caller, path, query }, deps: SignalDeps) => {
      const signals = await deleteHook(deps, caller, path.hookId, query.signals)
      return { message: wordsOfRevoking('The hook is deleted', query.signals, signals), signals }
    },
  }),
  route(hookEndpoints['PUT /api/v1/hooks/:hookId/live'], {
    access: inPerson(),
    run: async ({ me, caller, path: { hookId }, body: { live } }, deps: HookDeps) => {
      if (live && !deps.liveTrading) throw new ApiError('LIVE_TRADING_DISABLED')
      if (live) requireFreshProof(me)
      await switchLive(caller, hookId, live)
      return { hook: await ownHook(caller, hookId) }
    },
  }),
]

async function ownHook({ em, principal }: Caller, hookId: string): Promise<HookAnswer> {
  const hook = await findHook(em, principal.userId, hookId)
  if (!hook) throw new ApiError('HOOK_NOT_FOUND')
  return presentHook(hook)
}
