import { listHalts } from '#db/risk/halts.ts'
import { administration, inPerson, scoped, FREE, requireWithinBounds } from '../access/policy.ts'
import { administratorOf } from '../identity/audit.ts'
import { route } from '../route/route.ts'
import {
  deleteHalt,
  haltEverybody,
  haltUser,
  ownAccount,
  putHalt,
  resumeEverybody,
  resumeUser,
  replaceLimits,
} from './commands.ts'
import { presentHalt, presentRiskSettings, presentUsage } from './present.ts'
import { haltEndpoints, riskEndpoints } from '#contract/risk/endpoints.ts'
import { given } from '#db/engine/filter.ts'
import { listRiskUsage } from '#db/risk/usage.ts'
import { listRiskSettings } from '#db/risk/settings.ts'
import { ApiError } from '#contract/errors.ts'

/** A program may set or strengthen a halt; other changes take a person with a fresh proof. */
export const haltRoutes = [
  route(haltEndpoints['GET /api/v1/settings/halts'], {
    access: scoped('trading:read'),
    run: async ({ em, me, query }) => ({
      halts: (await listHalts(em, me.userId, query.limit)).map(presentHalt),
    }),
  }),
  route(haltEndpoints['PUT /api/v1/settings/halt'], {
    access: scoped('orders:write', { work: 'stopping', bounds: { ...FREE, accountIds: 'refused' } }),
    deadline: 'around',
    run: async ({ me, caller, body }) => ({
      halt: presentHalt(await putHalt(caller, { scope: 'user', userId: me.userId }, body)),
    }),
  }),
  route(haltEndpoints['DELETE /api/v1/settings/halt'], {
    access: inPerson({ fresh: true, reserve: 'everybody' }),
    run: async ({ me, caller }) => ({
      halt: presentHalt(await deleteHalt(caller, { scope: 'user', userId: me.userId })),
    }),
  }),
  route(haltEndpoints['PUT /api/v1/settings/halt/:accountId'], {
    access: scoped('orders:write', { work: 'stopping', bounds: { ...FREE, accountIds: 'judged' } }),
    deadline: 'around',
    run: async ({ caller, path, body }) => {
      requireWithinBounds(caller.principal, path)
      const account = await ownAccount(caller, path.accountId)
      return { halt: presentHalt(await putHalt(caller, account, body)) }
    },
  }),
  route(haltEndpoints['DELETE /api/v1/settings/halt/:accountId'], {
    access: inPerson({ fresh: true, reserve: 'everybody' }),
    run: async ({ caller, path }) => {
      const account = await ownAccount(caller, path.accountId)
      return { halt: presentHalt(await deleteHalt(caller, account)) }
    },
  }),
  route(haltEndpoints['PUT /api/v1/admin/halt'], {
    access: administration({ work: 'stopping' }),
    deadline: 'around',
    run: async ({ caller, body }) => ({
      halt: presentHalt(await haltEverybody(caller.em, administratorOf(caller), body)),
    }),
  }),
  route(haltEndpoints['DELETE /api/v1/admin/halt'], {
    access: administration({ reserve: 'everybody' }),
    run: async ({ caller }) => ({
      halt: presentHalt(await resumeEverybody(caller.em, administratorOf(caller))),
    }),
  }),
  route(haltEndpoints['PUT /api/v1/admin/users/:userId/halt'], {
    access: administration({ work: 'stopping' }),
    deadline: 'around',
    run: async ({ caller, path, body }) => ({
      halt: presentHalt(await haltUser(caller.em, administratorOf(caller), path.userId, body)),
    }),
  }),
  route(haltEndpoints['DELETE /api/v1/admin/users/:userId/halt'], {
    access: administration({ reserve: 'everybody' }),
    run: async ({ caller, path }) => ({
      halt: presentHalt(await resumeUser(caller.em, administratorOf(caller), path.userId)),
    }),
  }),
]

export const riskRoutes = [
  route(riskEndpoints['GET /api/v1/settings/risk'], {
    access: scoped('trading:read'),
    run: async ({ em, me }) => {
      const list = await listRiskSettings(em, me.userId)
      return { accounts: list.map(({ accountId, set }) => presentRiskSettings(accountId, set)) }
    },
  }),
  route(riskEndpoints['GET /api/v1/settings/risk-usage'], {
    access: scoped('trading:read'),
    run: async ({ em, me }) => ({ accounts: (await listRiskUsage(em, me.userId)).map(presentUsage) }),
  }),
  route(riskEndpoints['GET /api/v1/settings/risk/:accountId'], {
    access: scoped('trading:read'),
    run: async ({ em, me, path: { accountId } }) => {
      const list = await listRiskSettings(em, me.userId)
      const found = list.find((own) => own.accountId === accountId)
      if (!found) throw new ApiError('ACCOUNT_NOT_FOUND')
      return presentRiskSettings(accountId, found.set)
    },
  }),
  route(riskEndpoints['PUT /api/v1/settings/risk/:accountId'], {
    // Loosening requires a fresh proof.
    access: inPerson(),
    run: ({ caller, path, body }) => replaceLimits(caller, path.accountId, given(body)),
  }),
  route(riskEndpoints['DELETE /api/v1/settings/risk/:accountId'], {
    access: inPerson(),
    run: ({ caller, path }) => replaceLimits(caller, path.accountId, {}),
  }),
]
