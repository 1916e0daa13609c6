import type { UserRecord } from '#db/identity/users.ts'
import { inPerson, inPersonOrAnonymous } from '../access/policy.ts'
import { fault, validationError } from '#contract/errors.ts'
import { route } from '../route/route.ts'
import { sendWarning } from './email-delivery.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import { ownUser, ownUserWithSecondFactor } from './own-user.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  regenerateBackupCodes,
} from './second-factor-commands.ts'
import { placeOfSession } from './session-place.ts'
import { completeSignIn } from './sign-in-commands.ts'
import { withPasswordAndCode } from './verification-commands.ts'
import { secondFactorEndpoints } from '#contract/identity/second-factor-endpoints.ts'

export const secondFactorRoutes = [
  route(secondFactorEndpoints['POST /api/v1/auth/mfa/setup'], {
    access: inPerson({ fresh: true }),
    run: async ({ em, caller }, deps: IdentityDeps) => beginEnrolment(deps, em, await ownUser(caller)),
  }),
  route(secondFactorEndpoints['POST /api/v1/auth/mfa/verify'], {
    // The second step of a sign-in, which has no JWT yet, and the end of an enrolment, which needs one.
    access: inPersonOrAnonymous('secondFactor'),
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
  route(secondFactorEndpoints['POST /api/v1/auth/mfa/disable'], {
    access: inPerson({ tier: 'password' }),
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

const tellOfSecondFactor = (deps: IdentityDeps, user: UserRecord, change: 'enabled' | 'disabled'): void =>
  deps.background.run('telling of two-step sign-in', () =>
    sendWarning(deps, deps.emailTemplates.secondFactorChanged(user.email, change)),
  )
