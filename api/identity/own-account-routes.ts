import { AUDIT_ORDER, listAuditEvents } from '#db/identity/audit-log.ts'
import { countBackupCodes } from '#db/identity/second-factor.ts'
import { listSessions } from '#db/identity/sessions.ts'
import { inPerson } from '../access/policy.ts'
import { ApiError } from '../http/errors.ts'
import { examplePaging } from '../http/examples.ts'
import { idOf, listRoute, route } from '../route/route.ts'
import { auditLogAnswer, endedSessionsAnswer, ownUserAnswer, sessionListAnswer } from './answers.ts'
import { EXAMPLE_AUDIT_EVENT, EXAMPLE_SESSION, EXAMPLE_USER } from './examples.ts'
import { auditLogQuery } from './schema.ts'
import { ownUser } from './own-user.ts'
import { presentAuditEvent, presentSessions, presentUser } from './record.ts'
import { endOwnSessions } from './session-commands.ts'

const ended = (description: string, count: number) => ({
  description,
  schema: endedSessionsAnswer,
  examples: { ended: { ended: count } },
})

export const ownAccountRoutes = [
  route({
    name: 'GET /api/v1/me',
    access: inPerson(),
    tag: 'Own account',
    summary: 'Show who you are',
    answers: {
      200: {
        description: 'You',
        schema: ownUserAnswer,
        examples: { 'a member': { user: { ...EXAMPLE_USER, backupCodesLeft: 0 } } },
      },
    },
    errors: [],
    run: async ({ em, caller }) => {
      const user = await ownUser(caller)
      return { user: { ...presentUser(user), backupCodesLeft: await countBackupCodes(em, user.id) } }
    },
  }),
  listRoute({
    name: 'GET /api/v1/audit-log',
    access: inPerson(),
    tag: 'Own account',
    summary: 'List what was done in your name, the newest first',
    query: auditLogQuery,
    answers: {
      200: {
        description: 'Entries of the log, which can only be added to',
        schema: auditLogAnswer,
        examples: { 'a sign-in': { events: [EXAMPLE_AUDIT_EVENT], ...examplePaging(1) } },
      },
    },
    errors: [],
    list: { order: AUDIT_ORDER, rows: 'events', present: presentAuditEvent },
    run: ({ em, me, page }) => listAuditEvents(em, me.userId, page),
  }),
  route({
    name: 'GET /api/v1/sessions',
    access: inPerson(),
    tag: 'Own account',
    summary: 'List where you are signed in',
    answers: {
      200: {
        description: 'All sessions, of browsers and devices',
        schema: sessionListAnswer,
        examples: { one: { sessions: [EXAMPLE_SESSION], total: 1, limit: 1, offset: 0 } },
      },
    },
    errors: [],
    run: async ({ em, me }) => presentSessions(await listSessions(em, me.userId), me.sessionId),
  }),
  route({
    name: 'DELETE /api/v1/sessions',
    access: inPerson(),
    tag: 'Own account',
    summary: 'End all your other sessions',
    answers: { 200: ended('How many were ended', 2) },
    errors: [],
    run: async ({ me, caller }) => ({
      ended: await endOwnSessions(caller, { except: me.sessionId }),
    }),
  }),
  route({
    name: 'DELETE /api/v1/sessions/:sessionId',
    access: inPerson(),
    tag: 'Own account',
    summary: 'End a session',
    path: { sessionId: idOf('SESSION_NOT_FOUND') },
    answers: { 200: ended('It was ended', 1) },
    errors: ['SESSION_NOT_FOUND'],
    run: async ({ caller, path }) => {
      const ended = await endOwnSessions(caller, { only: path.sessionId })
      if (ended === 0) throw new ApiError('SESSION_NOT_FOUND')
      return { ended }
    },
  }),
]
