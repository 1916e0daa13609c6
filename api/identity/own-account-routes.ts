import { AUDIT_ORDER, listAuditEvents } from '#db/identity/audit-log.ts'
import { countBackupCodes } from '#db/identity/second-factor.ts'
import { listSessions } from '#db/identity/sessions.ts'
import { inPerson } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { listRoute, route } from '../route/route.ts'
import { ownUser } from './own-user.ts'
import { presentAuditEvent, presentSessions, presentUser } from './record.ts'
import { endOwnSessions } from './session-commands.ts'
import { ownAccountEndpoints } from '#contract/identity/own-account-endpoints.ts'

export const ownAccountRoutes = [
  route(ownAccountEndpoints['GET /api/v1/me'], {
    access: inPerson(),
    run: async ({ em, caller }) => {
      const user = await ownUser(caller)
      return { user: { ...presentUser(user), backupCodesLeft: await countBackupCodes(em, user.id) } }
    },
  }),
  listRoute(ownAccountEndpoints['GET /api/v1/audit-log'], {
    access: inPerson(),
    list: { order: AUDIT_ORDER, rows: 'events', present: presentAuditEvent },
    run: ({ em, me, page }) => listAuditEvents(em, me.userId, page),
  }),
  route(ownAccountEndpoints['GET /api/v1/sessions'], {
    access: inPerson(),
    run: async ({ em, me }) => presentSessions(await listSessions(em, me.userId), me.sessionId),
  }),
  route(ownAccountEndpoints['DELETE /api/v1/sessions'], {
    access: inPerson(),
    run: async ({ me, caller }) => ({
      ended: await endOwnSessions(caller, { except: me.sessionId }),
    }),
  }),
  route(ownAccountEndpoints['DELETE /api/v1/sessions/:sessionId'], {
    access: inPerson(),
    run: async ({ caller, path }) => {
      const ended = await endOwnSessions(caller, { only: path.sessionId })
      if (ended === 0) throw new ApiError('SESSION_NOT_FOUND')
      return { ended }
    },
  }),
]
