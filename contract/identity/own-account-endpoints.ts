import { endpoints, idOf } from '../endpoint.ts'
import { examplePaging } from '../examples.ts'
import { auditLogAnswer, endedSessionsAnswer, ownUserAnswer, sessionListAnswer } from './answers.ts'
import { EXAMPLE_AUDIT_EVENT, EXAMPLE_SESSION, EXAMPLE_USER } from './examples.ts'
import { auditLogQuery } from './schema.ts'

export const ended = (description: string, count: number) => ({
  description,
  schema: endedSessionsAnswer,
  examples: { ended: { ended: count } },
})

export const ownAccountEndpoints = endpoints({
  'GET /api/v1/me': {
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
  },
  'GET /api/v1/audit-log': {
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
  },
  'GET /api/v1/sessions': {
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
  },
  'DELETE /api/v1/sessions': {
    tag: 'Own account',
    summary: 'End all your other sessions',
    answers: { 200: ended('How many were ended', 2) },
    errors: [],
  },
  'DELETE /api/v1/sessions/:sessionId': {
    tag: 'Own account',
    summary: 'End a session',
    path: { sessionId: idOf('SESSION_NOT_FOUND') },
    answers: { 200: ended('It was ended', 1) },
    errors: ['SESSION_NOT_FOUND'],
  },
})
