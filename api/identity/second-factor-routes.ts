import type { UserRecord } from '#db/identity/users.ts'
import { z } from 'zod'
import { inPerson, inPersonOrAnonymous } from '../access/policy.ts'
import { fault, validationError } from '../http/errors.ts'
import { route } from '../route/route.ts'
import { backupCodesAnswer, enrolmentAnswer, secondFactorOffAnswer, secondStepAnswer } from './answers.ts'
import { sendWarning } from './email-delivery.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import { EXAMPLE_PASSWORD, EXAMPLE_SIGNED_IN, EXAMPLE_RANDOM_TEXT } from './examples.ts'
import { ownUser, ownUserWithSecondFactor } from './own-user.ts'
import * as schemas from './schema.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  regenerateBackupCodes,
} from './second-factor-commands.ts'
import { placeOfSession } from './session-place.ts'
import { completeSignIn } from './sign-in-commands.ts'
import { withPasswordAndCode } from './verification-commands.ts'

const backupCodes = ['k7qm-4rtx-9wbz-2hns', 'p3vc-8dfj-6lgy-5xam']
const proof = {
  schema: z.strictObject(schemas.passwordAndCode),
  examples: { proof: { password: EXAMPLE_PASSWORD, code: '123456' } },
}

export const secondFactorRoutes = [
  route({
    name: 'POST /api/v1/auth/mfa/setup',
    access: inPerson({ fresh: true }),
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
    run: async ({ em, caller }, deps: IdentityDeps) => beginEnrolment(deps, em, await ownUser(caller)),
  }),
  route({
    name: 'POST /api/v1/auth/mfa/verify',
    // The second step of a sign-in, which has no JWT yet, and the end of an enrolment, which needs one.
    access: inPersonOrAnonymous('secondFactor'),
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
    // A session is handed out only once, so the answer may come late.
    deadline: 'within',
    run: async ({ em, me, caller, body: { mfaToken, code, session: keep }, http }, deps: SessionDeps) => {
      if (mfaToken !== undefined) {
        const place = placeOfSession(deps.cookieDoor, http, keep)
        const { user, session } = await completeSignIn(deps, em, { mfaToken, code, keep }, caller)
        return deps.handOutSession(place, session, user)
      }
      if (!me) throw validationError([fault(['mfaToken'], 'required', 'mfaToken is required without a JWT')])
      const { userId, sessionId } = me
      const user = await ownUser({ ...caller, principal: me })
      const backupCodes = await confirmEnrolment(deps, em, { userId, sessionId, code }, caller)
      if (!backupCodes) throw validationError([fault(['code'], 'wrong_code', 'code is wrong')])
      tellOfSecondFactor(deps, user, 'enabled')
      return { mfaEnabled: true as const, backupCodes }
    },
  }),
  route({
    name: 'POST /api/v1/auth/mfa/disable',
    access: inPerson({ tier: 'password' }),
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
    deadline: 'within',
    run: async ({ caller, body: proof }, deps: IdentityDeps) => {
      const user = await ownUserWithSecondFactor(caller)
      await withPasswordAndCode(deps, caller, { user, proof }, (inner) =>
        disableSecondFactor(inner, user.id, caller.principal.sessionId, caller),
      )
      tellOfSecondFactor(deps, user, 'disabled')
      return { mfaEnabled: false as const }
    },
  }),
  route({
    name: 'POST /api/v1/auth/mfa/backup-codes/regenerate',
    access: inPerson({ tier: 'password' }),
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
    deadline: 'within',
    run: async ({ caller, body: proof }, deps: IdentityDeps) => {
      const user = await ownUserWithSecondFactor(caller)
      const backupCodes = await withPasswordAndCode(deps, caller, { user, proof }, (inner) =>
        regenerateBackupCodes(inner, user.id, caller),
      )
      return { backupCodes }
    },
  }),
]

const tellOfSecondFactor = (deps: IdentityDeps, user: UserRecord, change: 'enabled' | 'disabled'): void =>
  deps.background.run('telling of two-step sign-in', () =>
    sendWarning(deps, deps.emailTemplates.secondFactorChanged(user.email, change)),
  )
