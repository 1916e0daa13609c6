import { type UserRecord, findUser, listUsers, USER_ORDER } from '#db/identity/users.ts'
import { presentAuditEvent, presentUser, presentSessions } from '../identity/present.ts'
import { type AdministeredUserAnswer, adminEndpoints } from '#contract/admin.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { AUDIT_ORDER, listAuditEvents } from '#db/identity/audit-log.ts'
import { listSessions } from '#db/identity/sessions.ts'
import { findActiveHalt } from '#db/risk/halts.ts'
import { administration } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { toIsoInstant } from '../http/presentation.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { administratorOf } from '../identity/audit.ts'
import { sendEmail } from '../identity/email-delivery.ts'
import { aYearFrom } from '#domain/risk/token-bounds.ts'
import { presentHalt } from '../risk/present.ts'
import { listRoute, route } from '../route/route.ts'
import { administerUser, createUser, endAllSessions, issueLegacyKey } from './commands.ts'

const presentUserToAdmin = (user: UserRecord): AdministeredUserAnswer => ({
  ...presentUser(user),
  isDisabled: user.isDisabled,
  hasPassword: user.passwordHash !== null,
})

const presentEventToAdmin = (event: Parameters<typeof presentAuditEvent>[0]) => ({
  ...presentAuditEvent(event),
  userId: event.userId,
})

export const adminRoutes = [
  listRoute(adminEndpoints['GET /api/v1/admin/users'], {
    access: administration(),
    list: { order: USER_ORDER, rows: 'users', present: presentUserToAdmin },
    run: ({ em, page }) => listUsers(em, page),
  }),
  route(adminEndpoints['POST /api/v1/admin/users'], {
    access: administration(),
    run: async ({ em, caller, body }, deps: IdentityDeps) => {
      const { email, role, plan = deps.settings.DEFAULT_PLAN } = body
      const { user, invitation } = await createUser(em, administratorOf(caller), { email, role, plan })
      deps.background.run('inviting a user', () =>
        sendEmail(deps, deps.emailTemplates.invitation(email, invitation), caller),
      )
      return { user: presentUserToAdmin(user) }
    },
  }),
  route(adminEndpoints['GET /api/v1/admin/users/:userId'], {
    access: administration(),
    run: async ({ em, path: { userId } }) => {
      const user = presentUserToAdmin(await namedUser(em, userId))
      const halt = await findActiveHalt(em, { scope: 'operator', userId })
      return { user, halt: halt && presentHalt(halt) }
    },
  }),
  route(adminEndpoints['PATCH /api/v1/admin/users/:userId'], {
    access: administration(),
    run: async ({ em, caller, path, body }) => ({
      user: presentUserToAdmin(await administerUser(em, administratorOf(caller), path.userId, body)),
    }),
  }),
  route(adminEndpoints['GET /api/v1/admin/users/:userId/sessions'], {
    access: administration(),
    run: async ({ em, me, path }) => {
      const { id } = await namedUser(em, path.userId)
      return presentSessions(await listSessions(em, id), me.sessionId)
    },
  }),
  route(adminEndpoints['DELETE /api/v1/admin/users/:userId/sessions'], {
    access: administration(),
    run: async ({ em, caller, path }) => ({
      ended: await endAllSessions(em, administratorOf(caller), path.userId),
    }),
  }),
  route(adminEndpoints['POST /api/v1/admin/users/:userId/legacy-keys'], {
    access: administration(),
    run: async ({ em, caller, path, body }) => {
      const { label, scopes, expiresAt = aYearFrom(new Date()) } = body
      const wanted = { label, scopes, expiresAt }
      const issued = await issueLegacyKey(em, administratorOf(caller), path.userId, wanted)
      return { label, scopes, ...issued, expiresAt: toIsoInstant(expiresAt) }
    },
  }),
  listRoute(adminEndpoints['GET /api/v1/admin/audit-log'], {
    access: administration(),
    list: { order: AUDIT_ORDER, rows: 'events', present: presentEventToAdmin },
    run: ({ em, filter, page }) => listAuditEvents(em, filter.userId ?? null, page),
  }),
]

async function namedUser(em: EntityManager, userId: string): Promise<UserRecord> {
  const user = await findUser(em, userId)
  if (!user) throw new ApiError('USER_NOT_FOUND')
  return user
}
