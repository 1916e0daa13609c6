import type { EntityManager } from '#db/engine/database.ts'
import { AUDIT_ORDER, listAuditEvents } from '#db/identity/audit-log.ts'
import { listSessions } from '#db/identity/sessions.ts'
import { findUser, listUsers, USER_ORDER, type UserRecord } from '#db/identity/users.ts'
import { findActiveHalt } from '#db/risk/halts.ts'
import { z } from 'zod'
import { administration } from '../access/policy.ts'
import { ApiError } from '../http/errors.ts'
import { examplePaging } from '../http/examples.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { endedSessionsAnswer, sessionListAnswer } from '../identity/answers.ts'
import { administratorOf } from '../identity/administrator.ts'
import { sendEmail } from '../identity/email-delivery.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { EXAMPLE_AUDIT_EVENT, EXAMPLE_SESSION, EXAMPLE_USER } from '../identity/examples.ts'
import { presentSessions } from '../identity/record.ts'
import { aYearFrom } from '../identity/token-commands.ts'
import { presentHalt } from '../settings/record.ts'
import { idOf, listRoute, route } from '../route/route.ts'
import {
  administeredAnswer,
  issuedKeyAnswer,
  userDetailAnswer,
  userListAnswer,
  wholeAuditLogAnswer,
  type AdministeredUserAnswer,
} from './answers.ts'
import { administerUser, createUser, endAllSessions, issueLegacyKey } from './commands.ts'
import { presentEventToAdmin, presentUserToAdmin } from './record.ts'
import * as schemas from './schema.ts'

const userPath = { userId: idOf('USER_NOT_FOUND') }
const USER_EXAMPLE: AdministeredUserAnswer = { ...EXAMPLE_USER, isDisabled: false, hasPassword: true }

const oneUser = (description: string, words: string, user: AdministeredUserAnswer) => ({
  description,
  schema: administeredAnswer,
  examples: { [words]: { user } },
})

export const adminRoutes = [
  listRoute({
    name: 'GET /api/v1/admin/users',
    access: administration(),
    tag: 'Administration',
    summary: 'List users, the oldest first',
    query: schemas.userListQuery,
    answers: {
      200: {
        description: 'All users',
        schema: userListAnswer,
        examples: { one: { users: [USER_EXAMPLE], ...examplePaging(1) } },
      },
    },
    errors: [],
    list: { order: USER_ORDER, rows: 'users', present: presentUserToAdmin },
    run: ({ em, page }) => listUsers(em, page),
  }),
  route({
    name: 'POST /api/v1/admin/users',
    access: administration(),
    tag: 'Administration',
    summary: 'Invite a user',
    description: 'They are sent a link with which they choose a password, within a day.',
    body: {
      schema: z.strictObject(schemas.newUser),
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
    run: async ({ em, caller, body }, deps: IdentityDeps) => {
      const { email, role, plan = deps.settings.DEFAULT_PLAN } = body
      const { user, invitation } = await createUser(em, administratorOf(caller), { email, role, plan })
      deps.background.run('inviting a user', () =>
        sendEmail(deps, deps.emailTemplates.invitation(email, invitation), caller),
      )
      return { user: presentUserToAdmin(user) }
    },
  }),
  route({
    name: 'GET /api/v1/admin/users/:userId',
    access: administration(),
    tag: 'Administration',
    summary: 'Show a user',
    path: userPath,
    answers: {
      200: {
        description: 'The user, and the halt that an administrator has set for them',
        schema: userDetailAnswer,
        examples: { 'a member': { user: USER_EXAMPLE, halt: null } },
      },
    },
    errors: ['USER_NOT_FOUND'],
    run: async ({ em, path: { userId } }) => {
      const user = presentUserToAdmin(await namedUser(em, userId))
      const halt = await findActiveHalt(em, { scope: 'operator', userId })
      return { user, halt: halt && presentHalt(halt) }
    },
  }),
  route({
    name: 'PATCH /api/v1/admin/users/:userId',
    access: administration(),
    tag: 'Administration',
    summary: 'Change plan or role of a user, or disable them',
    description: 'It takes effect with their next request; disabling ends their sessions.',
    path: userPath,
    body: {
      schema: z.strictObject(schemas.userChange),
      examples: { 'another plan': { plan: 'ADVANCED' }, disable: { isDisabled: true } },
    },
    answers: { 200: oneUser('The user as they are now', 'disabled', { ...USER_EXAMPLE, isDisabled: true }) },
    errors: ['USER_NOT_FOUND', 'OWN_ACCOUNT'],
    run: async ({ em, caller, path, body }) => ({
      user: presentUserToAdmin(await administerUser(em, administratorOf(caller), path.userId, body)),
    }),
  }),
  route({
    name: 'GET /api/v1/admin/users/:userId/sessions',
    access: administration(),
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
    run: async ({ em, me, path }) => {
      const { id } = await namedUser(em, path.userId)
      return presentSessions(await listSessions(em, id), me.sessionId)
    },
  }),
  route({
    name: 'DELETE /api/v1/admin/users/:userId/sessions',
    access: administration(),
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
    run: async ({ em, caller, path }) => ({
      ended: await endAllSessions(em, administratorOf(caller), path.userId),
    }),
  }),
  route({
    name: 'POST /api/v1/admin/users/:userId/legacy-keys',
    access: administration(),
    tag: 'Administration',
    summary: 'Issue an API key of the older form',
    description:
      'For senders that can set neither `Authorization` nor anything else. Shown in this answer, and never again.',
    path: userPath,
    body: {
      schema: z.strictObject(schemas.legacyKey),
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
    run: async ({ em, caller, path, body }) => {
      const { label, scopes, expiresAt = aYearFrom(new Date()) } = body
      const wanted = { label, scopes, expiresAt }
      const issued = await issueLegacyKey(em, administratorOf(caller), path.userId, wanted)
      return { label, scopes, ...issued, expiresAt: toIsoInstant(expiresAt) }
    },
  }),
  listRoute({
    name: 'GET /api/v1/admin/audit-log',
    access: administration(),
    tag: 'Administration',
    summary: 'List what was done in the name of all users or one, the newest first',
    query: schemas.auditQuery,
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
    list: { order: AUDIT_ORDER, rows: 'events', present: presentEventToAdmin },
    run: ({ em, filter, page }) => listAuditEvents(em, filter.userId ?? null, page),
  }),
]

async function namedUser(em: EntityManager, userId: string): Promise<UserRecord> {
  const user = await findUser(em, userId)
  if (!user) throw new ApiError('USER_NOT_FOUND')
  return user
}
