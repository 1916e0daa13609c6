import { listHalts } from '#db/risk/halts.ts'
import { administration, inPerson, scoped } from '../access/policy.ts'
import { FREE, requireWithinBounds } from '../access/token-bounds.ts'
import { administratorOf } from '../identity/administrator.ts'
import { route } from '../route/route.ts'
import {
  deleteHalt,
  haltEverybody,
  haltUser,
  ownAccount,
  putHalt,
  resumeEverybody,
  resumeUser,
} from './commands.ts'
import { presentHalt } from './record.ts'
import { haltEndpoints } from '#contract/settings/halt-endpoints.ts'

/** A program may set a halt and make it more severe; milder or lifted takes a person with a fresh proof. */
export const haltRoutes = [
  route(haltEndpoints['GET /api/v1/settings/halts'], {
    access: scoped('trading:read'),
    run: async ({ em, me, query }) => ({
      halts: (await listHalts(em, me.userId, query.limit)).map(presentHalt),
    }),
  }),
  route(haltEndpoints['PUT /api/v1/settings/halt'], {
    // A program may stop trading; only a person may resume it.
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
