import { z } from 'zod'
import { email, expiry, scopes } from './identity/requests.ts'
import { paging, pagingAnswer } from './values/query.ts'
import { lineOfText, oneOf, trueOrFalse, uuid } from './values/values.ts'
import { SCOPES } from '#domain/risk/token-bounds.ts'
import { haltAnswer } from './risk/shapes.ts'
import {
  auditEventAnswer,
  userAnswer,
  endedSessionsAnswer,
  sessionListAnswer,
  EXAMPLE_AUDIT_EVENT,
  EXAMPLE_SESSION,
  EXAMPLE_USER,
} from './identity/answers.ts'
import { endpoints, idOf } from './endpoint.ts'
import { examplePaging } from './envelopes.ts'

export const PLANS = ['FREE', 'BASIC', 'ADVANCED', 'PRO'] as const
export const ROLES = ['admin', 'member'] as const

const userListQuery = z.strictObject(paging)
const auditQuery = z.strictObject({ userId: uuid().optional(), ...paging })

const newUser = {
  email: email(),
  role: oneOf(ROLES).default('member'),
  plan: oneOf(PLANS).optional(),
}
const userChange = {
  plan: oneOf(PLANS).optional(),
  role: oneOf(ROLES).optional(),
  isDisabled: trueOrFalse().optional(),
}
const legacyKey = { label: lineOfText(100), scopes: scopes(), expiresAt: expiry() }

const administeredUserAnswer = z
  .strictObject({
    ...userAnswer.shape,
    isDisabled: z.boolean(),
    hasPassword: z.boolean().describe('False until an invited user has chosen one'),
  })
  .meta({ id: 'AdministeredUser' })

const userListAnswer = z.strictObject({ users: z.array(administeredUserAnswer), ...pagingAnswer })
const administeredAnswer = z.strictObject({ user: administeredUserAnswer })
const userDetailAnswer = z.strictObject({
  user: administeredUserAnswer,
  halt: haltAnswer
    .nullable()
    .describe('The active halt that an administrator has set for this user; null for none'),
})
const issuedKeyAnswer = z.strictObject({
  id: z.uuid(),
  label: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  prefix: z.string(),
  expiresAt: z.iso.datetime(),
  key: z.string().describe('Shown this once'),
})
const wholeAuditLogAnswer = z.strictObject({
  events: z.array(
    z.strictObject({ ...auditEventAnswer.shape, userId: z.uuid().nullable().describe('Whom it concerns') }),
  ),
  ...pagingAnswer,
})

export type AdministeredUserAnswer = z.output<typeof administeredUserAnswer>

const userPath = { userId: idOf('USER_NOT_FOUND') }

const USER_EXAMPLE: AdministeredUserAnswer = { ...EXAMPLE_USER, isDisabled: false, hasPassword: true }

const oneUser = (description: string, words: string, user: AdministeredUserAnswer) => ({
  description,
  schema: administeredAnswer,
  examples: { [words]: { user } },
})

export const adminEndpoints = endpoints({
  'GET /api/v1/admin/users': {
    tag: 'Administration',
    summary: 'List users, the oldest first',
    query: userListQuery,
    answers: {
      200: {
        description: 'All users',
        schema: userListAnswer,
        examples: { one: { users: [USER_EXAMPLE], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'POST /api/v1/admin/users': {
    tag: 'Administration',
    summary: 'Invite a user',
    description: 'They are sent a link with which they choose a password, within a day.',
    body: {
      schema: z.strictObject(newUser),
      examples: { 'a member': { email: 'grace@example.com', plan: 'PRO' } },
    },
    answers: {
      201: oneUser('Invited', 'a member', {
        ...USER_EXAMPLE,
        email: 'grace@example.com',
        hasPassword: false,
      }),
    },
    errors: ['EMAIL_TAKEN'],
  },
  'GET /api/v1/admin/users/:userId': {
    tag: 'Administration',
    summary: 'Get a user',
    path: userPath,
    answers: {
      200: {
        description: 'The user, and the halt that an administrator has set for them',
        schema: userDetailAnswer,
        examples: { 'a member': { user: USER_EXAMPLE, halt: null } },
      },
    },
    errors: ['USER_NOT_FOUND'],
  },
  'PATCH /api/v1/admin/users/:userId': {
    tag: 'Administration',
    summary: 'Change the subscription plan or role of a user, or disable them',
    description: 'It takes effect with their next request; disabling ends their sessions.',
    path: userPath,
    body: {
      schema: z.strictObject(userChange),
      examples: { 'another subscription plan': { plan: 'ADVANCED' }, disable: { isDisabled: true } },
    },
    answers: { 200: oneUser('The user as they are now', 'disabled', { ...USER_EXAMPLE, isDisabled: true }) },
    errors: ['USER_NOT_FOUND', 'OWN_ACCOUNT'],
  },
  'GET /api/v1/admin/users/:userId/sessions': {
    tag: 'Administration',
    summary: 'List where a user is signed in',
    path: userPath,
    answers: {
      200: {
        description: 'All sessions of the user',
        schema: sessionListAnswer,
        examples: { one: { sessions: [EXAMPLE_SESSION], total: 1, limit: 1, offset: 0 } },
      },
    },
    errors: ['USER_NOT_FOUND'],
  },
  'DELETE /api/v1/admin/users/:userId/sessions': {
    tag: 'Administration',
    summary: 'End all sessions of a user',
    path: userPath,
    answers: {
      200: {
        description: 'How many were ended, devices included',
        schema: endedSessionsAnswer,
        examples: { ended: { ended: 3 } },
      },
    },
    errors: ['USER_NOT_FOUND'],
  },
  'POST /api/v1/admin/users/:userId/legacy-keys': {
    tag: 'Administration',
    summary: 'Issue an API key of the older form',
    description:
      'For senders that can set neither `Authorization` nor anything else. Shown in this answer, and never again.',
    path: userPath,
    body: {
      schema: z.strictObject(legacyKey),
      examples: { 'for a webhook': { label: 'old charting service', scopes: ['signals:write'] } },
    },
    answers: {
      201: {
        description: 'The key',
        schema: issuedKeyAnswer,
        examples: {
          issued: {
            id: 'e5d4c3b2-a190-4f8e-9d7c-6b5a49382716',
            label: 'old charting service',
            scopes: ['signals:write'],
            prefix: 'dtk_7pR3',
            expiresAt: '2027-03-02T15:00:00.000Z',
            key: 'dtk_7pR3vB6yT0mC9fJ2hL5gD84nQ8sW1kZx',
          },
        },
      },
    },
    errors: ['USER_NOT_FOUND'],
  },
  'GET /api/v1/admin/audit-log': {
    tag: 'Administration',
    summary: 'List what was done in the name of all users or one, the newest first',
    query: auditQuery,
    answers: {
      200: {
        description: 'Entries of the log',
        schema: wholeAuditLogAnswer,
        examples: {
          'a sign-in': {
            events: [{ ...EXAMPLE_AUDIT_EVENT, userId: EXAMPLE_USER.id }],
            ...examplePaging(1),
          },
        },
      },
    },
    errors: [],
  },
})
