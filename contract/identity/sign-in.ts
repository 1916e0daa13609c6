import { endpoints } from '../endpoint.ts'
import { z } from 'zod'
import {
  firstStepAnswer,
  messageAnswer,
  namedUserAnswer,
  signedInAnswer,
  EXAMPLE_PASSWORD,
  EXAMPLE_RANDOM_TEXT,
  EXAMPLE_SIGNED_IN,
  EXAMPLE_SIGNED_IN_BROWSER,
  EXAMPLE_USER,
  backupCodesAnswer,
  enrolmentAnswer,
  secondFactorOffAnswer,
  secondStepAnswer,
} from './answers.ts'
import * as schemas from './requests.ts'
import { renewalHeaders } from './requests.ts'

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

export const signInEndpoints = endpoints({
  'POST /api/v1/auth/register': {
    tag: 'Sign-in',
    summary: 'Register',
    description:
      'The first user of an installation becomes its administrator, at once, when `setupSecret` is the one of the installation: `SETUP_SECRET`, or the one in the log of the API. Everybody else is sent a link; the answer does not reveal whether an address is known already.',
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
      'A person with a second factor gets an `mfaToken` for `POST /api/v1/auth/mfa/verify` instead of a session. With `session: cookie`, which our own pages alone may ask for, the refresh token is kept in an HttpOnly cookie instead of the body, and the answer has a `renewalKey`: the second half, which the page keeps and shows at each renewal, because every port of a host is sent its cookies.',
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

export const passwordEndpoints = endpoints({
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
      examples: { 'a new password': { token: EXAMPLE_RANDOM_TEXT, password: EXAMPLE_PASSWORD } },
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
})

const backupCodes = ['k7qm-4rtx-9wbz-2hns', 'p3vc-8dfj-6lgy-5xam']

const proof = {
  schema: z.strictObject(schemas.passwordAndCode),
  examples: { proof: { password: EXAMPLE_PASSWORD, code: '123456' } },
}

export const secondFactorEndpoints = endpoints({
  'POST /api/v1/auth/mfa/setup': {
    tag: 'Two-step sign-in',
    summary: 'Begin to enrol an authenticator',
    description: 'It is in use once its first code came to `POST /api/v1/auth/mfa/verify`.',
    answers: {
      200: {
        description: 'The data for the authenticator',
        schema: enrolmentAnswer,
        examples: {
          secret: {
            secret: 'JBSWY3DPEHPK3PXP',
            uri: 'otpauth://totp/Durable%20Trader:ada%40example.com?issuer=Durable%20Trader&secret=JBSWY3DPEHPK3PXP',
          },
        },
      },
    },
    errors: ['MFA_ALREADY_ENABLED'],
  },
  'POST /api/v1/auth/mfa/verify': {
    tag: 'Two-step sign-in',
    summary: 'Finish a sign-in, or an enrolment, by a code',
    description:
      'With `mfaToken` it is the second step of a sign-in and needs no other credential; the code may be a backup code. Without it, it ends the enrolment of the person who is signed in, and answers their backup codes.',
    body: {
      schema: z.strictObject(schemas.secondStep),
      examples: {
        'the second step': { mfaToken: EXAMPLE_RANDOM_TEXT, code: '123456' },
        'the end of an enrolment': { code: '123456' },
      },
    },
    answers: {
      200: {
        description: 'Signed in, or enrolled',
        schema: secondStepAnswer,
        examples: {
          'signed in': EXAMPLE_SIGNED_IN,
          enrolled: { mfaEnabled: true, backupCodes },
        },
      },
    },
    errors: ['UNAUTHENTICATED', 'MFA_ALREADY_ENABLED', 'MFA_NOT_ENABLED'],
  },
  'POST /api/v1/auth/mfa/disable': {
    tag: 'Two-step sign-in',
    summary: 'Remove the second factor',
    body: proof,
    answers: {
      200: {
        description: 'The password alone signs in',
        schema: secondFactorOffAnswer,
        examples: { off: { mfaEnabled: false } },
      },
    },
    errors: ['WRONG_PASSWORD', 'WRONG_CODE', 'MFA_NOT_ENABLED', 'TOO_BUSY'],
  },
  'POST /api/v1/auth/mfa/backup-codes/regenerate': {
    tag: 'Two-step sign-in',
    summary: 'Make new backup codes',
    description: 'The earlier ones are void.',
    body: proof,
    answers: {
      200: {
        description: 'The new codes',
        schema: backupCodesAnswer,
        examples: { codes: { backupCodes } },
      },
    },
    errors: ['WRONG_PASSWORD', 'WRONG_CODE', 'MFA_NOT_ENABLED', 'TOO_BUSY'],
  },
})
