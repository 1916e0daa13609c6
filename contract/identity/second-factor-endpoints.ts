import { endpoints } from '../endpoint.ts'
import { z } from 'zod'
import { backupCodesAnswer, enrolmentAnswer, secondFactorOffAnswer, secondStepAnswer } from './answers.ts'
import { EXAMPLE_PASSWORD, EXAMPLE_SIGNED_IN, EXAMPLE_RANDOM_TEXT } from './examples.ts'
import * as schemas from './schema.ts'

export const backupCodes = ['k7qm-4rtx-9wbz-2hns', 'p3vc-8dfj-6lgy-5xam']

export const proof = {
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
        description: 'What the authenticator is told',
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
    summary: 'Give up the second factor',
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
