import { z } from 'zod'
import { EXAMPLE_REQUEST_ID, exampleAnswer, examplePaging } from '../http/examples.ts'
import type { Operations } from '../http/operation.ts'
import { uuid } from '../http/validation/values.ts'
import {
  auditLogAnswer,
  createdTokenAnswer,
  endedSessionsAnswer,
  messageAnswer,
  ownUserAnswer,
  sessionListAnswer,
  tokenListAnswer,
  type AuditEventAnswer,
  type SessionItemAnswer,
} from './answers.ts'
import { EXAMPLE_USER } from './examples.ts'
import { auditLogQuery, tokenListQuery } from './list-schema.ts'
import * as schemas from './schema.ts'

export const EXAMPLE_SESSION: SessionItemAnswer = {
  id: '0f1e2d3c-4b5a-4697-8878-695a4b3c2d1e',
  kind: 'web',
  name: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/148.0',
  ip: '192.0.2.7',
  createdAt: '2026-03-02T14:00:00.000Z',
  lastUsedAt: '2026-03-02T15:00:00.000Z',
  expiresAt: '2026-04-01T14:00:00.000Z',
  isCurrent: true,
}

export const EXAMPLE_AUDIT_EVENT: AuditEventAnswer = {
  id: '4711',
  kind: 'sign_in.succeeded',
  at: '2026-03-02T14:00:00.000Z',
  actorId: EXAMPLE_USER.id,
  ip: '192.0.2.7',
  requestId: EXAMPLE_REQUEST_ID,
  data: { sessionId: EXAMPLE_SESSION.id },
}

const TOKEN = {
  id: 'e5d4c3b2-a190-4f8e-9d7c-6b5a49382716',
  label: 'TradingView',
  scopes: ['trading:read' as const, 'signals:write' as const],
  prefix: 'dt_4nQ8',
  createdAt: '2026-03-02T15:00:00.000Z',
  expiresAt: '2027-03-02T15:00:00.000Z',
}

const ended = (description: string, count: number) => ({
  description,
  schema: endedSessionsAnswer,
  examples: { ended: exampleAnswer({ ended: count }) },
})

/** Who somebody is, their sessions, log and tokens, for the description of the API. */
export const ownAccountOperations: Operations = {
  'GET /api/v1/me': {
    tag: 'Own account',
    summary: 'Show who you are',
    answers: {
      200: {
        description: 'You',
        schema: ownUserAnswer,
        examples: { 'a member': exampleAnswer({ user: { ...EXAMPLE_USER, backupCodesLeft: 0 } }) },
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
        examples: { 'a sign-in': exampleAnswer({ events: [EXAMPLE_AUDIT_EVENT], ...examplePaging(1) }) },
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
        examples: { one: exampleAnswer({ sessions: [EXAMPLE_SESSION], total: 1, limit: 1, offset: 0 }) },
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
    path: z.strictObject({ sessionId: uuid() }),
    answers: { 200: ended('It was ended', 1) },
    errors: ['SESSION_NOT_FOUND'],
  },
  'GET /api/v1/tokens': {
    tag: 'Access tokens',
    summary: 'List your access tokens, the newest first',
    description: 'Never their texts. Tokens of desktops are shown too; they end with their sessions.',
    query: tokenListQuery,
    answers: {
      200: {
        description: 'Your tokens',
        schema: tokenListAnswer,
        examples: {
          one: exampleAnswer({
            tokens: [
              {
                ...TOKEN,
                kind: 'access',
                lastUsedAt: null,
                isExpired: false,
                isReadOnly: false,
              },
            ],
            ...examplePaging(1),
          }),
        },
      },
    },
    errors: [],
  },
  'POST /api/v1/tokens': {
    tag: 'Access tokens',
    summary: 'Make an access token',
    description:
      'Its text is in this answer and never shown again. It expires after a year, or at `expiresAt`, which is at most 366 days from now.',
    body: {
      schema: z.strictObject(schemas.tokenCreation),
      examples: {
        'for alerts': { label: TOKEN.label, scopes: TOKEN.scopes },
        'for a month': { label: 'trial', scopes: ['trading:read'], expiresAt: '2030-01-31T00:00:00Z' },
      },
    },
    answers: {
      201: {
        description: 'The token',
        schema: createdTokenAnswer,
        examples: { created: exampleAnswer({ ...TOKEN, token: 'dt_4nQ8sW1kZx7pR3vB6yT0mC9fJ2hL5gD8' }) },
      },
    },
    errors: ['CONNECTED_APP_LIMIT_REACHED'],
  },
  'DELETE /api/v1/tokens/:tokenId': {
    tag: 'Access tokens',
    summary: 'Revoke an access token',
    description: 'With the next request it is refused. It cannot be undone.',
    path: z.strictObject({ tokenId: uuid() }),
    answers: {
      200: {
        description: 'Revoked',
        schema: messageAnswer,
        examples: { revoked: exampleAnswer({ message: 'The token is revoked' }) },
      },
    },
    errors: ['TOKEN_NOT_FOUND'],
  },
}
