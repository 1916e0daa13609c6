import { findHook, HOOK_ORDER, listHooks, isOwnHook } from '#db/hook/hooks.ts'
import { inPerson, requireFreshProof } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { wordsOfRevoking } from '#contract/identity/requests.ts'
import { listRoute, route } from '../route/route.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import type { HookAnswer, WholeHookRequestAnswer } from '#contract/hook/answers.ts'
import {
  changeOwnHook,
  createHook,
  deleteHook,
  switchLive,
  type HookDeps,
  endSecret,
  makeSecret,
  makeSigningKey,
  removeSigningKey,
} from './commands.ts'
import { presentHook, presentSecret, presentRequest, presentTrial, presentWholeRequest } from './present.ts'
import type { addressAnswer } from '#contract/hook/endpoints.ts'
import {
  hookEndpoints,
  hookSecretEndpoints,
  ENDED,
  UNSIGNED,
  hookAddressEndpoints,
} from '#contract/hook/endpoints.ts'
import { findRequest, listRequests, REQUEST_ORDER } from '#db/hook/inbox.ts'
import type { IntakeDeps } from './intake/deps.ts'
import { makeTestRequest, sendAgain, tryMessage } from './intake/routes.ts'
import { hookRequestEndpoints } from '#contract/hook/messages.ts'
import { listCalls, type CallOfHook } from '#db/hook/calls.ts'
import type { z } from 'zod'
import { toIsoInstant } from '../http/presentation.ts'
import { hooksOrigin, type PublicAddresses, addressFaults, whereaboutsOf } from './public-address.ts'

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

export const hookSecretRoutes = [
  route(hookSecretEndpoints['POST /api/v1/hooks/:hookId/secrets'], {
    access: inPerson({ fresh: true }),
    run: async ({ caller, path: { hookId }, body }, deps: HookDeps) => {
      const { url, secret } = await makeSecret(deps, caller, hookId, body.endsOthersAfter)
      return { url, secret: presentSecret(secret) }
    },
  }),
  route(hookSecretEndpoints['DELETE /api/v1/hooks/:hookId/secrets/:secretId'], {
    access: inPerson(),
    run: async ({ caller, path: { hookId, secretId } }) => {
      await endSecret(caller, hookId, secretId)
      return { message: ENDED }
    },
  }),
  route(hookSecretEndpoints['POST /api/v1/hooks/:hookId/signing-key'], {
    access: inPerson({ fresh: true }),
    run: async ({ caller, path: { hookId } }, deps: HookDeps) => ({
      key: await makeSigningKey(deps, caller, hookId),
    }),
  }),
  route(hookSecretEndpoints['DELETE /api/v1/hooks/:hookId/signing-key'], {
    access: inPerson(),
    run: async ({ caller, path: { hookId } }) => {
      await removeSigningKey(caller, hookId)
      return { message: UNSIGNED }
    },
  }),
]

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

export const hookAddressRoutes = [
  route(hookAddressEndpoints['GET /api/v1/hooks/address'], {
    access: inPerson(),
    async run({ em, me }, { settings }: { settings: PublicAddresses }) {
      return checkAddress(hooksOrigin(settings), await listCalls(em, me.userId))
    },
  }),
]

type Check = z.output<typeof addressAnswer>

/** @param calls the newest from each address, newest first */
function checkAddress(hooksUrl: string, calls: readonly CallOfHook[]): Check {
  const placed = calls.map((call) => ({ ...call, at: toIsoInstant(call.at), from: whereaboutsOf(call.ip) }))
  const last = placed[0] ?? null
  const lastFromOutside = placed.find(({ from }) => from === 'outside') ?? null
  const faults = addressFaults(hooksUrl)
  const missing = faults.length > 0 || lastFromOutside ? faults : [unproven(last)]
  return { hooksUrl, isPublic: faults.length === 0, missing, last, lastFromOutside }
}

const unproven = (last: Check['last']): Check['missing'][number] =>
  last === null
    ? {
        code: 'no_request_yet',
        message: 'No sender has called a hook yet: send the first message from outside',
      }
    : {
        code: 'no_request_from_outside',
        message: `The last request came from ${last.ip}: it was sent from within, or the proxy before the service is not named in TRUSTED_PROXIES`,
      }
