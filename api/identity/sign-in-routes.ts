import { unauthenticated } from '../access/credential.ts'
import { anyone, inPerson, inPersonOrAnonymous } from '../access/policy.ts'
import { Reply, route } from '../route/route.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import { ownUser, presentUser, ownUserWithSecondFactor } from './present.ts'
import { checkNewPassword, changePassword, requestPasswordReset, resetPassword } from './passwords.ts'
import { confirmRegistration, register } from './registration.ts'
import { renewVerification, withPasswordAndCode } from './verification.ts'
import { sendWarning } from './email-delivery.ts'
import {
  closeSession,
  renewSession,
  forgetRefreshToken,
  placeOfSession,
  presentedSession,
} from './sessions.ts'
import { signIn, completeSignIn } from './sign-in.ts'
import { signInEndpoints, passwordEndpoints, secondFactorEndpoints } from '#contract/identity/sign-in.ts'
import type { UserRecord } from '#db/identity/users.ts'
import { fault, validationError } from '#contract/errors.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  regenerateBackupCodes,
} from './second-factor.ts'

export const signInRoutes = [
  route(signInEndpoints['POST /api/v1/auth/register'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body }, deps: IdentityDeps) => {
      checkNewPassword(body.password, body.email, 'password')
      const user = await register(deps, em, body, caller)
      if (user) return { user: presentUser(user) }
      const message = 'If this address can be registered, a message with a link is on its way to it'
      return new Reply(202, { message })
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/register/confirm'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body }, deps: IdentityDeps) => ({
      user: presentUser(await confirmRegistration(deps, em, body, caller)),
    }),
  }),
  route(signInEndpoints['POST /api/v1/auth/login'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body: { session: keep, ...credentials }, http }, deps: SessionDeps) => {
      const place = placeOfSession(deps.cookieDoor, http, keep)
      const step = await signIn(deps, em, { ...credentials, keep }, caller)
      if (!step.isComplete) return { mfaRequired: true as const, mfaToken: step.mfaToken }
      return deps.handOutSession(place, step.session, step.user)
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/refresh'], {
    access: anyone('refresh'),
    // A session is given only once.
    deadline: 'within',
    run: async ({ em, caller, body: { refreshToken }, http }, deps: SessionDeps) => {
      const presented = presentedSession(deps.cookieDoor, http, refreshToken)
      const session = presented && (await renewSession(em, presented.session, caller))
      if (!session) throw unauthenticated()
      return deps.handOutSession(presented.place, session)
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/logout'], {
    access: anyone('default'),
    run: async ({ em, caller, body: { refreshToken }, http }, { cookieDoor }: SessionDeps) => {
      const presented = presentedSession(cookieDoor, http, refreshToken)
      if (!presented) return { message: 'Signed out' }
      if (!(await closeSession(em, presented.session, caller))) throw unauthenticated()
      if (presented.place.keep === 'cookie') forgetRefreshToken(presented.place.jar)
      return { message: 'Signed out' }
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/verify'], {
    // Resuming trading needs it.
    access: inPerson({ reserve: 'everybody' }),
    deadline: 'within',
    run: async ({ caller, body: proof }, deps: IdentityDeps) => {
      await renewVerification(deps, caller, { user: await ownUser(caller), proof })
      return { message: 'Verified' }
    },
  }),
]

export const passwordRoutes = [
  route(passwordEndpoints['POST /api/v1/auth/forgot-password'], {
    access: anyone('auth'),
    run: ({ em, caller, body: { email } }, deps: IdentityDeps) => {
      requestPasswordReset(deps, em, email, caller)
      return { message: 'If there is an account with this address, a link is on its way to it' }
    },
  }),
  route(passwordEndpoints['POST /api/v1/auth/reset-password'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body, http }, deps: SessionDeps) => {
      const owner = await resetPassword(deps, em, body, caller)
      // Strangers' attempts do not lock out a known person; a mailbox is no second factor.
      if (!owner.hasSecondFactor) deps.rememberDevice(deps.cookieDoor.jarOf(http), owner)
      return { message: 'The new password is set; all sessions were ended' }
    },
  }),
  route(passwordEndpoints['PUT /api/v1/auth/password'], {
    access: inPerson({ tier: 'password' }),
    deadline: 'within',
    run: async ({ caller, body, http }, deps: SessionDeps) => {
      const { currentPassword: password, newPassword, code } = body
      const user = await ownUser(caller)
      const passwordHash = await changePassword(
        deps,
        caller,
        { user, proof: { password, code } },
        newPassword,
      )
      deps.rememberDevice(deps.cookieDoor.jarOf(http), { id: user.id, passwordHash })
      return { message: 'The new password is set; your other sessions were ended' }
    },
  }),
]

export const secondFactorRoutes = [
  route(secondFactorEndpoints['POST /api/v1/auth/mfa/setup'], {
    access: inPerson({ fresh: true }),
    run: async ({ em, caller }, deps: IdentityDeps) => beginEnrolment(deps, em, await ownUser(caller)),
  }),
  route(secondFactorEndpoints['POST /api/v1/auth/mfa/verify'], {
    // Second step of a sign-in without a JWT, or end of an enrolment.
    access: inPersonOrAnonymous('secondFactor'),
    // A session is given only once.
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
      notifyOfSecondFactor(deps, user, 'enabled')
      return { mfaEnabled: true as const, backupCodes }
    },
  }),
  route(secondFactorEndpoints['POST /api/v1/auth/mfa/disable'], {
    access: inPerson({ tier: 'password' }),
    deadline: 'within',
    run: async ({ caller, body: proof }, deps: IdentityDeps) => {
      const user = await ownUserWithSecondFactor(caller)
      await withPasswordAndCode(deps, caller, { user, proof }, (inner) =>
        disableSecondFactor(inner, user.id, caller.principal.sessionId, caller),
      )
      notifyOfSecondFactor(deps, user, 'disabled')
      return { mfaEnabled: false as const }
    },
  }),
  route(secondFactorEndpoints['POST /api/v1/auth/mfa/backup-codes/regenerate'], {
    access: inPerson({ tier: 'password' }),
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

const notifyOfSecondFactor = (deps: IdentityDeps, user: UserRecord, change: 'enabled' | 'disabled'): void =>
  deps.background.run('the notice of two-step sign-in', () =>
    sendWarning(deps, deps.emailTemplates.secondFactorChanged(user.email, change)),
  )
