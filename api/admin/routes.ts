import { AUDIT_ORDER, listAuditEvents } from '#db/identity/audit-log.ts'
import { listSessions } from '#db/identity/sessions.ts'
import { findUser, listUsers, USER_ORDER, type UserRecord } from '#db/identity/users.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { sendEmail } from '../identity/email-delivery.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { presentAuditEvent, presentSession, presentUser } from '../identity/record.ts'
import { aYearFrom } from '../identity/token-commands.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { presentHalt } from '../settings/record.ts'
import { haltRequest } from '../settings/halt-schema.ts'
import { isId } from '../http/validation/query.ts'
import { readBody } from '../http/validation/request-body.ts'
import {
  administerUser,
  createUser,
  endAllSessions,
  haltEverybody,
  issueLegacyKey,
  resumeEverybody,
  type Administrator,
} from './commands.ts'
import type { AdministeredUserAnswer } from './answers.ts'
import * as schemas from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** What administrators do with users, which lets in nobody else. */
export function adminRoutes(deps: IdentityDeps): RouteList {
  const routes = new RouteList('/api/v1/admin')

  routes.get('/users', async (ctx) => {
    const { page } = readListQuery(ctx, schemas.userListQuery, USER_ORDER)
    const slice = await listUsers(ctx.state.em, page)
    const users = slice.items.map(presentUserToAdmin)
    ctx.body = standardSuccess({ users, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.post('/users', async (ctx) => {
    const { email, role, plan = deps.settings.DEFAULT_PLAN } = await readBody(ctx, schemas.newUser)
    const { user, invitation } = await createUser(ctx.state.em, administratorOf(ctx), { email, role, plan })
    deps.background.run('inviting a user', () =>
      sendEmail(deps, deps.emailTemplates.invitation(email, invitation)),
    )
    ctx.status = 201
    ctx.body = standardSuccess({ user: presentUserToAdmin(user) }, ctx.state.requestId)
  })

  routes.get('/users/:userId', async (ctx) => {
    ctx.body = standardSuccess({ user: presentUserToAdmin(await namedUser(ctx)) }, ctx.state.requestId)
  })

  routes.patch('/users/:userId', async (ctx) => {
    const change = await readBody(ctx, schemas.userChange)
    const { id } = await namedUser(ctx)
    const user = await administerUser(ctx.state.em, administratorOf(ctx), id, change)
    ctx.body = standardSuccess({ user: presentUserToAdmin(user) }, ctx.state.requestId)
  })

  routes.get('/users/:userId/sessions', async (ctx) => {
    const { id } = await namedUser(ctx)
    const sessions = await listSessions(ctx.state.em, id)
    const shown = sessions.map((session) => presentSession(session, principalOf(ctx).sessionId))
    const data = { sessions: shown, total: shown.length, limit: shown.length, offset: 0 }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  routes.delete('/users/:userId/sessions', async (ctx) => {
    const { id } = await namedUser(ctx)
    const ended = await endAllSessions(ctx.state.em, administratorOf(ctx), id)
    ctx.body = standardSuccess({ ended }, ctx.state.requestId)
  })

  routes.post('/users/:userId/legacy-keys', async (ctx) => {
    const { label, scopes, expiresAt = aYearFrom(new Date()) } = await readBody(ctx, schemas.legacyKey)
    const { id: userId } = await namedUser(ctx)
    const wanted = { label, scopes, expiresAt }
    const { id, key, prefix } = await issueLegacyKey(ctx.state.em, administratorOf(ctx), userId, wanted)
    ctx.status = 201
    const data = { id, label, scopes, prefix, expiresAt: toIsoInstant(expiresAt), key }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  routes.put('/halt', async (ctx) => {
    const { level, reason } = await readBody(ctx, haltRequest)
    const halt = await haltEverybody(ctx.state.em, administratorOf(ctx), level, reason)
    ctx.body = standardSuccess({ halt: presentHalt(halt) }, ctx.state.requestId)
  })

  routes.delete('/halt', async (ctx) => {
    const halt = await resumeEverybody(ctx.state.em, administratorOf(ctx))
    ctx.body = standardSuccess({ halt: presentHalt(halt) }, ctx.state.requestId)
  })

  routes.get('/audit-log', async (ctx) => {
    const { filter, page } = readListQuery(ctx, schemas.auditQuery, AUDIT_ORDER)
    const slice = await listAuditEvents(ctx.state.em, filter.userId ?? null, page)
    const events = slice.items.map((event) => ({ ...presentAuditEvent(event), userId: event.userId }))
    ctx.body = standardSuccess({ events, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  return routes
}

const presentUserToAdmin = (user: UserRecord): AdministeredUserAnswer => ({
  ...presentUser(user),
  isDisabled: user.isDisabled,
  hasPassword: user.passwordHash !== null,
})

const administratorOf = (ctx: ApiContext): Administrator => ({
  actorId: principalOf(ctx).userId,
  ip: ctx.state.clientIp,
  requestId: ctx.state.requestId,
})

async function namedUser(ctx: ApiContext): Promise<UserRecord> {
  const { userId } = ctx.params
  const user = isId(userId) ? await findUser(ctx.state.em, userId) : null
  if (!user) throw new ApiError('USER_NOT_FOUND')
  return user
}
