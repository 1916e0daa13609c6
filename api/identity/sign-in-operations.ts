import { z } from 'zod'
import { exampleAnswer } from '../http/examples.ts'
import type { Answer, Operations } from '../http/operation.ts'
import { firstStepAnswer, messageAnswer, namedUserAnswer, signedInAnswer } from './answers.ts'
import { EXAMPLE_PASSWORD, EXAMPLE_SIGNED_IN, EXAMPLE_USER } from './examples.ts'
import * as schemas from './schema.ts'

const done = (message: string): Answer => ({
  description: message,
  schema: messageAnswer,
  examples: { done: exampleAnswer({ message }) },
})

const registered = (description: string): Answer => ({
  description,
  schema: namedUserAnswer,
  examples: { registered: exampleAnswer({ user: EXAMPLE_USER }) },
})

const credentials = { email: EXAMPLE_USER.email, password: EXAMPLE_PASSWORD }
const SECRET = 'Vt4mZ2kQ9sXbR7cJ'

/** Registration, sign-in and sign-out, and passwords, for the description of the API. */
export const signInOperations: Operations = {
  'POST /api/v1/auth/register': {
    tag: 'Sign-in',
    summary: 'Register',
    description:
      'The first user of an installation becomes its administrator, at once, when `setupSecret` is the one of the installation: `SETUP_SECRET`, or the one in the log of the API. Everybody else is sent a link, and whether an address is known already is not told.',
    body: {
      schema: z.strictObject(schemas.registration),
      examples: {
        'a new user': credentials,
        'the first user': { ...credentials, setupSecret: SECRET },
      },
    },
    answers: {
      201: registered('The first user is there'),
      202: done('If this address can be registered, a message with a link is on its way to it'),
    },
    errors: ['REGISTRATION_CLOSED', 'SETUP_SECRET_WRONG', 'TOO_BUSY'],
  },
  'POST /api/v1/auth/register/confirm': {
    tag: 'Sign-in',
    summary: 'Confirm a registration by the link that was sent',
    body: {
      schema: z.strictObject(schemas.confirmation),
      examples: { confirmation: { token: SECRET, password: EXAMPLE_PASSWORD } },
    },
    answers: { 201: registered('The user is there') },
    errors: ['LINK_INVALID', 'WRONG_PASSWORD', 'TOO_BUSY'],
  },
  'POST /api/v1/auth/login': {
    tag: 'Sign-in',
    summary: 'Sign in',
    description:
      'Whoever has a second factor gets an `mfaToken` for `POST /api/v1/auth/mfa/verify` instead of a session. With `session: cookie` the refresh token is kept in an HttpOnly cookie and is not in the body.',
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
          'a code is needed': exampleAnswer({ mfaRequired: true, mfaToken: SECRET }),
        },
      },
    },
    errors: ['UNAUTHENTICATED', 'TOO_BUSY'],
  },
  'POST /api/v1/auth/refresh': {
    tag: 'Sign-in',
    summary: 'Renew a session',
    description:
      'Each refresh token is good once and followed by another; one that is used again later ends the session. Without `refreshToken` the one in the cookie is used, from our own pages only.',
    body: {
      schema: z.strictObject(schemas.refresh),
      examples: { 'with the token': { refreshToken: SECRET }, 'with the cookie': {} },
    },
    answers: {
      200: {
        description: 'A new access token, and the next refresh token',
        schema: signedInAnswer,
        examples: { renewed: EXAMPLE_SIGNED_IN },
      },
    },
    errors: ['UNAUTHENTICATED', 'ORIGIN_REFUSED'],
  },
  'POST /api/v1/auth/logout': {
    tag: 'Sign-in',
    summary: 'Sign out',
    description: 'Ends the session of the refresh token, given or in the cookie.',
    body: {
      schema: z.strictObject(schemas.logout),
      examples: { 'with the token': { refreshToken: SECRET }, 'with the cookie': {} },
    },
    answers: { 200: done('Signed out') },
    errors: ['ORIGIN_REFUSED'],
  },
  'POST /api/v1/auth/verify': {
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
  },
  'POST /api/v1/auth/forgot-password': {
    tag: 'Sign-in',
    summary: 'Ask for a link to choose a new password',
    description: 'Answers the same for every address.',
    body: {
      schema: z.strictObject(schemas.forgottenPassword),
      examples: { address: { email: EXAMPLE_USER.email } },
    },
    answers: { 202: done('If there is an account with this address, a link is on its way to it') },
    errors: [],
  },
  'POST /api/v1/auth/reset-password': {
    tag: 'Sign-in',
    summary: 'Choose a new password by the link that was sent',
    description: 'Ends all sessions. The second factor is still asked for at the next sign-in.',
    body: {
      schema: z.strictObject(schemas.passwordReset),
      examples: { 'a new password': { token: SECRET, password: EXAMPLE_PASSWORD } },
    },
    answers: { 200: done('The new password is set; all sessions were ended') },
    errors: ['LINK_INVALID', 'TOO_BUSY'],
  },
  'PUT /api/v1/auth/password': {
    tag: 'Sign-in',
    summary: 'Change the password',
    description: 'Ends all other sessions.',
    body: {
      schema: z.strictObject(schemas.passwordChange),
      examples: {
        'without a second factor': {
          currentPassword: 'the old one, which was too short',
          newPassword: EXAMPLE_PASSWORD,
        },
      },
    },
    answers: { 200: done('The new password is set; your other sessions were ended') },
    errors: ['WRONG_PASSWORD', 'WRONG_CODE', 'TOO_BUSY'],
  },
}
