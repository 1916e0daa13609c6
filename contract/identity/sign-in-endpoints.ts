import { endpoints } from '../endpoint.ts'
import { z } from 'zod'
import { firstStepAnswer, messageAnswer, namedUserAnswer, signedInAnswer } from './answers.ts'
import {
  EXAMPLE_PASSWORD,
  EXAMPLE_RANDOM_TEXT,
  EXAMPLE_SIGNED_IN,
  EXAMPLE_SIGNED_IN_BROWSER,
  EXAMPLE_USER,
} from './examples.ts'
import * as schemas from './schema.ts'
import { renewalHeaders } from './schema.ts'

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

export const credentials = { email: EXAMPLE_USER.email, password: EXAMPLE_PASSWORD }

export const signInEndpoints = endpoints({
  'POST /api/v1/auth/register': {
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
  },
  'POST /api/v1/auth/register/confirm': {
    tag: 'Sign-in',
    summary: 'Confirm a registration by the link that was sent',
    body: {
      schema: z.strictObject(schemas.confirmation),
      examples: { confirmation: { token: EXAMPLE_RANDOM_TEXT, password: EXAMPLE_PASSWORD } },
    },
    answers: { 201: registered('The user is there') },
    errors: ['LINK_INVALID', 'WRONG_PASSWORD', 'TOO_BUSY'],
  },
  'POST /api/v1/auth/login': {
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
  },
  'POST /api/v1/auth/refresh': {
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
  },
  'POST /api/v1/auth/logout': {
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
})
