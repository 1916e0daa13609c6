import { AUDIT_ORDER, listAuditEvents } from '#db/identity/audit-log.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { countBackupCodes } from '#db/identity/second-factor.ts'
import { endSessions, listSessions } from '#db/identity/sessions.ts'
import { lockUser } from '#db/identity/users.ts'
import { principalOf } from '../http/context.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { isId } from '../http/validation/query.ts'
import { audit } from './audit.ts'
import type { Caller } from './deps.ts'
import { presentAuditEvent, presentSession, presentUser } from './record.ts'
import { auditLogQuery } from './list-schema.ts'
import { callerOf, personOf } from './requester.ts'
import { RouteList } from '../http/route-list.ts'

/** What users see of themselves: who they are, where they are signed in, what was done in their name. */
export function ownAccountRoutes(): RouteList {
  const routes = new RouteList('/api/v1')

  routes.get('/me', async (ctx) => {
    const { user, em } = await personOf(ctx)
    const backupCodesLeft = await countBackupCodes(em, user.id)
    ctx.body = standardSuccess({ user: { ...presentUser(user), backupCodesLeft } }, ctx.state.requestId)
  })

  routes.get('/audit-log', async (ctx) => {
    const { page } = readListQuery(ctx, auditLogQuery, AUDIT_ORDER)
    const slice = await listAuditEvents(ctx.state.em, principalOf(ctx).userId, page)
    const events = slice.items.map(presentAuditEvent)
    ctx.body = standardSuccess({ events, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.get('/sessions', async (ctx) => {
    const { userId, sessionId } = principalOf(ctx)
    const sessions = await listSessions(ctx.state.em, userId)
    const shown = sessions.map((session) => presentSession(session, sessionId))
    const data = { sessions: shown, total: shown.length, limit: shown.length, offset: 0 }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  routes.delete('/sessions', async (ctx) => {
    const { userId, sessionId } = principalOf(ctx)
    const ended = await end(ctx.state.em, userId, { except: sessionId! }, callerOf(ctx))
    ctx.body = standardSuccess({ ended }, ctx.state.requestId)
  })

  routes.delete('/sessions/:sessionId', async (ctx) => {
    const { sessionId } = ctx.params
    const ended = isId(sessionId)
      ? await end(ctx.state.em, principalOf(ctx).userId, { only: sessionId }, callerOf(ctx))
      : 0
    if (ended === 0) throw new ApiError('SESSION_NOT_FOUND')
    ctx.body = standardSuccess({ ended }, ctx.state.requestId)
  })

  return routes
}

/** Ends sessions of the user's own and answers how many. */
const end = (
  em: EntityManager,
  userId: string,
  which: { only: string } | { except: string },
  caller: Caller,
): Promise<number> =>
  em.transactional(async (inner) => {
    await lockUser(inner, userId)
    const ended = await endSessions(inner, userId, which, 'revoked')
    for (const sessionId of ended)
      await audit(inner, 'session.ended', userId, caller, { sessionId, reason: 'revoked' })
    return ended.length
  })
