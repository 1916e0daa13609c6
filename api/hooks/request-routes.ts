import { isOwnHook } from '#db/hooks/hooks.ts'
import { findRequest, listRequests, REQUEST_ORDER } from '#db/hooks/inbox.ts'
import { inPerson } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { listRoute, route } from '../route/route.ts'
import type { WholeHookRequestAnswer } from '#contract/hooks/answers.ts'
import { presentRequest, presentTrial, presentWholeRequest } from './record.ts'
import type { IntakeDeps } from './intake/deps.ts'
import { makeTestRequest, sendAgain, tryMessage } from './intake/trials.ts'
import { hookRequestEndpoints } from '#contract/hooks/request-endpoints.ts'

export const hookRequestRoutes = [
  listRoute(hookRequestEndpoints['GET /api/v1/hooks/:hookId/requests'], {
    access: inPerson(),
    list: { order: REQUEST_ORDER, rows: 'requests', present: presentRequest },
    run: async ({ em, me, caller, path: { hookId }, filter, page }) => {
      await requireOwnHook(caller, hookId)
      return listRequests(em, me.userId, hookId, filter, page)
    },
  }),
  route(hookRequestEndpoints['GET /api/v1/hooks/:hookId/requests/:requestId'], {
    access: inPerson(),
    run: ({ caller, path: { hookId, requestId } }) => ownRequest(caller, hookId, requestId),
  }),
  route(hookRequestEndpoints['POST /api/v1/hooks/:hookId/try'], {
    access: inPerson(),
    deadline: 'within',
    run: async ({ caller, path: { hookId }, body }, deps: IntakeDeps) => {
      await caller.beforeDatabaseDeadline(requireOwnHook(caller, hookId))
      return presentTrial(await tryMessage(deps, caller, hookId, body.body))
    },
  }),
  route(hookRequestEndpoints['POST /api/v1/hooks/:hookId/test'], {
    access: inPerson(),
    deadline: 'within',
    run: async ({ caller, path: { hookId } }, deps: IntakeDeps) => {
      await caller.beforeDatabaseDeadline(requireOwnHook(caller, hookId))
      const made = await makeTestRequest(deps, caller, hookId)
      return caller.beforeDatabaseDeadline(ownRequest(caller, hookId, made))
    },
  }),
  route(hookRequestEndpoints['POST /api/v1/hooks/:hookId/requests/:requestId/again'], {
    access: inPerson({ reserve: 'people' }),
    deadline: 'within',
    run: async ({ caller, path, body }, deps: IntakeDeps) => {
      const { request } = await caller.beforeDatabaseDeadline(ownRequest(caller, path.hookId, path.requestId))
      const made = await sendAgain(deps, caller, path, body.body ?? request.body)
      return caller.beforeDatabaseDeadline(ownRequest(caller, path.hookId, made))
    },
  }),
]

async function requireOwnHook({ em, principal }: Caller, hookId: string): Promise<void> {
  if (!(await isOwnHook(em, principal.userId, hookId))) throw new ApiError('HOOK_NOT_FOUND')
}

async function ownRequest(
  caller: Caller,
  hookId: string,
  requestId: string,
): Promise<{ request: WholeHookRequestAnswer }> {
  await requireOwnHook(caller, hookId)
  const request = await findRequest(caller.em, caller.principal.userId, hookId, requestId)
  if (!request) throw new ApiError('HOOK_REQUEST_NOT_FOUND')
  return { request: presentWholeRequest(request) }
}
