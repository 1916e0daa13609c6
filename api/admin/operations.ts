import { z } from 'zod'
import { endedSessionsAnswer, sessionListAnswer } from '../identity/answers.ts'
import { EXAMPLE_USER } from '../identity/examples.ts'
import { EXAMPLE_AUDIT_EVENT, EXAMPLE_SESSION } from '../identity/own-account-operations.ts'
import { exampleAnswer, examplePaging } from '../http/examples.ts'
import type { Answer, Operations } from '../http/operation.ts'
import { uuid } from '../http/validation/values.ts'
import {
  administeredAnswer,
  issuedKeyAnswer,
  userListAnswer,
  wholeAuditLogAnswer,
  type AdministeredUserAnswer,
} from './answers.ts'
import * as schemas from './schema.ts'

const path = z.strictObject({ userId: uuid() })
const EXAMPLE: AdministeredUserAnswer = { ...EXAMPLE_USER, isDisabled: false, hasPassword: true }

const oneUser = (description: string, words: string, user: AdministeredUserAnswer): Answer => ({
  description,
  schema: administeredAnswer,
  examples: { [words]: exampleAnswer({ user }) },
})

/** What administrators do with users, for the description of the API. */
export const adminOperations: Operations = {
  'GET /api/v1/admin/users': {
    tag: 'Administration',
    summary: 'List users, the newest first',
    query: schemas.userListQuery,
    answers: {
      200: {
        description: 'All users',
        schema: userListAnswer,
        examples: { one: exampleAnswer({ users: [EXAMPLE], ...examplePaging(1) }) },
      },
    },
    errors: [],
  },
  'POST /api/v1/admin/users': {
    tag: 'Administration',
    summary: 'Invite a user',
    description: 'They are sent a link with which they choose a password, within a day.',
    body: {
      schema: z.strictObject(schemas.newUser),
      examples: { 'a member': { email: 'grace@example.com', plan: 'PRO' } },
    },
    answers: {
      201: oneUser('Invited', 'a member', { ...EXAMPLE, email: 'grace@example.com', hasPassword: false }),
    },
    errors: ['EMAIL_TAKEN'],
  },
  'GET /api/v1/admin/users/:userId': {
    tag: 'Administration',
    summary: 'Show a user',
    path,
    answers: { 200: oneUser('The user', 'a member', EXAMPLE) },
    errors: ['USER_NOT_FOUND'],
  },
  'PATCH /api/v1/admin/users/:userId': {
    tag: 'Administration',
    summary: 'Change plan or role of a user, or disable them',
    description: 'It takes effect with their next request; disabling ends their sessions.',
    path,
    body: {
      schema: z.strictObject(schemas.userChange),
      examples: { 'another plan': { plan: 'ADVANCED' }, disable: { isDisabled: true } },
    },
    answers: { 200: oneUser('The user as they are now', 'disabled', { ...EXAMPLE, isDisabled: true }) },
    errors: ['USER_NOT_FOUND', 'OWN_ACCOUNT'],
  },
  'GET /api/v1/admin/users/:userId/sessions': {
    tag: 'Administration',
    summary: 'List where a user is signed in',
    path,
    answers: {
      200: {
        description: 'All sessions of the user',
        schema: sessionListAnswer,
        examples: { one: exampleAnswer({ sessions: [EXAMPLE_SESSION], total: 1, limit: 1, offset: 0 }) },
      },
    },
    errors: ['USER_NOT_FOUND'],
  },
  'DELETE /api/v1/admin/users/:userId/sessions': {
    tag: 'Administration',
    summary: 'End all sessions of a user',
    path,
    answers: {
      200: {
        description: 'How many were ended, devices included',
        schema: endedSessionsAnswer,
        examples: { ended: exampleAnswer({ ended: 3 }) },
      },
    },
    errors: ['USER_NOT_FOUND'],
  },
  'POST /api/v1/admin/users/:userId/legacy-keys': {
    tag: 'Administration',
    summary: 'Issue an API key of the older form',
    description:
      'For senders that can set neither `Authorization` nor anything else. Shown in this answer, and never again.',
    path,
    body: {
      schema: z.strictObject(schemas.legacyKey),
      examples: { 'for a webhook': { label: 'old charting service', scopes: ['signals:write'] } },
    },
    answers: {
      201: {
        description: 'The key',
        schema: issuedKeyAnswer,
        examples: {
          issued: exampleAnswer({
            id: 'e5d4c3b2-a190-4f8e-9d7c-6b5a49382716',
            label: 'old charting service',
            scopes: ['signals:write'],
            prefix: 'dtk_7pR3',
            expiresAt: '2027-03-02T15:00:00.000Z',
            key: 'dtk_7pR3vB6yT0mC9fJ2hL5gD84nQ8sW1kZx',
          }),
        },
      },
    },
    errors: ['USER_NOT_FOUND'],
  },
  'GET /api/v1/admin/audit-log': {
    tag: 'Administration',
    summary: 'List what was done in the name of all users or one, the newest first',
    query: schemas.auditQuery,
    answers: {
      200: {
        description: 'Entries of the log',
        schema: wholeAuditLogAnswer,
        examples: {
          'a sign-in': exampleAnswer({
            events: [{ ...EXAMPLE_AUDIT_EVENT, userId: EXAMPLE_USER.id }],
            ...examplePaging(1),
          }),
        },
      },
    },
    errors: [],
  },
}
