import { z } from 'zod'
import { unauthenticated } from '../access/credential.ts'
import { anyone, inPerson } from '../access/policy.ts'
import { Reply, route } from '../route/route.ts'
import { firstStepAnswer, messageAnswer, namedUserAnswer, signedInAnswer } from './answers.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import {
  EXAMPLE_PASSWORD,
  EXAMPLE_RANDOM_TEXT,
  EXAMPLE_SIGNED_IN,
  EXAMPLE_SIGNED_IN_BROWSER,
  EXAMPLE_USER,
} from './examples.ts'
import { ownUser } from './own-user.ts'
import { checkNewPassword } from './password-commands.ts'
import { presentUser } from './record.ts'
import { confirmRegistration, register } from './registration-commands.ts'
import * as schemas from './schema.ts'
import { closeSession, renewSession } from './session-commands.ts'
import { forgetRefreshToken, placeOfSession, presentedSession } from './session-place.ts'
import { renewalHeaders } from './schema.ts'
import { signIn } from './sign-in-commands.ts'
import { renewVerification } from './verification-commands.ts'

const done = (message: string) => ({
  description: message,
  schema: messageAnswer,
  examples: { done: { message } },
})

const registered = (description: string) => ({
  description,
  schema: namedUserAnswer,
  examples: { registered: { user: EXAMPLE_USER } },
})

const credentials = { email: EXAMPLE_USER.email, password: EXAMPLE_PASSWORD }

export const signInRoutes = [
  route({
    name: 'POST /api/v1/auth/register',
    access: anyone('auth'),
    tag: 'Sign-in',
    summary: 'Register',
    description:
      'The first user of an installation becomes its administrator, at once, when `setupSecret` is the one of the installation: `SETUP_SECRET`, or the one in the log of the API. Everybody else is sent a link, and whether an address is known already is not told.',
    body: {
      schema: z.strictObject(schemas.registration),
      examples: {
        'a new user': credentials,
        'the first user': { ...credentials, setupSecret: EXAMPLE_RANDOM_TEXT },
      },
    },
    answers: {
      201: registered('The first user is there'),
      202: done('If this address can be registered, a message with a link is on its way to it'),
    },
    errors: ['REGISTRATION_CLOSED', 'SETUP_SECRET_WRONG', 'TOO_BUSY'],
    deadline: 'within',
    run: async ({ em, caller, body }, deps: IdentityDeps) => {
      checkNewPassword(body.password, body.email, 'password')
      const user = await register(deps, em, body, caller)
      if (user) return { user: presentUser(user) }
      const message = 'If this address can be registered, a message with a link is on its way to it'
      return new Reply(202, { message })
    },
  }),
  route({
    name: 'POST /api/v1/auth/register/confirm',
    access: anyone('auth'),
    tag: 'Sign-in',
    summary: 'Confirm a registration by the link that was sent',
    body: {
      schema: z.strictObject(schemas.confirmation),
      examples: { confirmation: { token: EXAMPLE_RANDOM_TEXT, password: EXAMPLE_PASSWORD } },
    },
    answers: { 201: registered('The user is there') },
    errors: ['LINK_INVALID', 'WRONG_PASSWORD', 'TOO_BUSY'],
    deadline: 'within',
    run: async ({ em, caller, body }, deps: IdentityDeps) => ({
      user: presentUser(await confirmRegistration(deps, em, body, caller)),
    }),
  }),
  route({
    name: 'POST /api/v1/auth/login',
    access: anyone('auth'),
    tag: 'Sign-in',
    summary: 'Sign in',
    description:
      'Whoever has a second factor gets an `mfaToken` for `POST /api/v1/auth/mfa/verify` instead of a session. With `session: cookie`, which our own pages alone may ask for, the refresh token is kept in an HttpOnly cookie instead of the body, and the answer has a `renewalKey`: the second half, which the page keeps and shows at each renewal, because every port of a host is sent its cookies.',
    body: {
      schema: z.strictObject(schemas.login),
      examples: { 'for a program': credentials, 'for a browser': { ...credentials, session: 'cookie' } },
    },
    answers: {
      200: {
        description: 'Signed in, or the first of two steps is done',
        schema: firstStepAnswer,
        examples: {
          'signed in': EXAMPLE_SIGNED_IN,
          'signed in, in a browser': EXAMPLE_SIGNED_IN_BROWSER,
          'a code is needed': { mfaRequired: true, mfaToken: EXAMPLE_RANDOM_TEXT },
        },
      },
    },
    errors: ['UNAUTHENTICATED', 'TOO_BUSY'],
    deadline: 'within',
    run: async ({ em, caller, body: { session: keep, ...credentials }, http }, deps: SessionDeps) => {
      const place = placeOfSession(deps.cookieDoor, http, keep)
      const step = await signIn(deps, em, { ...credentials, keep }, caller)
      if (!step.isComplete) return { mfaRequired: true as const, mfaToken: step.mfaToken }
      return deps.handOutSession(place, step.session, step.user)
    },
  }),
  route({
    name: 'POST /api/v1/auth/refresh',
    access: anyone('refresh'),
    tag: 'Sign-in',
    summary: 'Renew a session',
    description:
      'Each refresh token is good once and followed by another; one that is used again later ends the session. Without `refreshToken` the one in the cookie is used, from our own pages only. The token of a cookie renews nothing without its `Renewal-Key`: half a session is answered 401, and nothing becomes of it.',
    headers: renewalHeaders,
    body: {
      schema: z.strictObject(schemas.refresh),
      examples: { 'with the token': { refreshToken: EXAMPLE_RANDOM_TEXT }, 'with the cookie': {} },
    },
    answers: {
      200: {
        description: 'A new access token, and the next refresh token',
        schema: signedInAnswer,
        examples: { renewed: EXAMPLE_SIGNED_IN },
      },
    },
    errors: ['UNAUTHENTICATED'],
    // A session is handed out only once, so the answer may come late.
    deadline: 'within',
    run: async ({ em, caller, body: { refreshToken }, http }, deps: SessionDeps) => {
      const presented = presentedSession(deps.cookieDoor, http, refreshToken)
      const session = presented && (await renewSession(em, presented.session, caller))
      if (!session) throw unauthenticated()
      return deps.handOutSession(presented.place, session)
    },
  }),
  route({
    name: 'POST /api/v1/auth/logout',
    access: anyone('default'),
    tag: 'Sign-in',
    summary: 'Sign out',
    description:
      'Ends the session of the refresh token, given or in the cookie. The token of a cookie ends nothing without its `Renewal-Key`.',
    headers: renewalHeaders,
    body: {
      schema: z.strictObject(schemas.logout),
      examples: { 'with the token': { refreshToken: EXAMPLE_RANDOM_TEXT }, 'with the cookie': {} },
    },
    answers: { 200: done('Signed out') },
    errors: ['UNAUTHENTICATED'],
    run: async ({ em, caller, body: { refreshToken }, http }, { cookieDoor }: SessionDeps) => {
      const presented = presentedSession(cookieDoor, http, refreshToken)
      if (!presented) return { message: 'Signed out' }
      if (!(await closeSession(em, presented.session, caller))) throw unauthenticated()
      if (presented.place.keep === 'cookie') forgetRefreshToken(presented.place.jar)
      return { message: 'Signed out' }
    },
  }),
  route({
    name: 'POST /api/v1/auth/verify',
    // Nobody can resume trading without it.
    access: inPerson({ reserve: 'everybody' }),
    tag: 'Sign-in',
    summary: 'Prove again who you are',
    description:
      'By password, and by a code where there is a second factor. For five minutes afterwards the session may do what needs a fresh proof.',
    body: {
      schema: z.strictObject(schemas.proof),
      examples: { 'by password': { password: EXAMPLE_PASSWORD }, 'by code': { code: '123456' } },
    },
    answers: { 200: done('Verified') },
    errors: ['WRONG_PASSWORD', 'WRONG_CODE', 'TOO_BUSY'],
    deadline: 'within',
    run: async ({ caller, body: proof }, deps: IdentityDeps) => {
      await renewVerification(deps, caller, { user: await ownUser(caller), proof })
      return { message: 'Verified' }
    },
  }),
]
